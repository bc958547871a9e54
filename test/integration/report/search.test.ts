/** A report of what a search finds: it holds that and nothing else, and says so. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ReportSummary } from '../../../src/report/write-report.js';
import { cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('shows the jobs that match, and nothing of the others', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-sales', 'Sales', [
    { question: 'What of project Falcon?' },
    { question: 'secret-of-ada' },
  ]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'secret-of-ben' }]);
  await people.rig.export();
  const out = join(people.rig.directory, 'report');
  const words = ['report', people.rig.out, '--out', out, '--match', 'falcon', '--to', '2026'];
  const summary = await cliJson<ReportSummary>(words);
  expect(summary).toMatchObject({
    users: 1,
    sessions: 1,
    jobs: 1,
    search: { searched: 3, matches: 1, time_unknown: 0 },
  });
  const index = await readFile(join(out, 'index.html'), 'utf8');
  const part = 'A part of the archive: only jobs with “falcon” to 2026: 1 of 3 searched';
  expect(index).toContain(`</h1>\n<p id="part"><strong>${part}</strong></p>`);
  expect(index).toContain('nothing of these is missing');
  const files = await readdir(out, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
  );
  expect(texts.some((text) => text.includes('project Falcon'))).toBe(true);
  expect(texts.filter((text) => /secret-of|s-ben/.test(text))).toEqual([]);
});
