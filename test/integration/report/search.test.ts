/** A report of what a search finds: it holds that and nothing else, and says so. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ReportSummary } from '../../../src/report/report-options.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

it('shows the jobs that match, and nothing of the others', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-sales', 'Sales', [
    { question: 'What of project Falcon?' },
    { question: 'secret-of-ada' },
  ]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'secret-of-ben' }]);
  await people.rig.archived();
  const out = join(people.rig.directory, 'report');
  const words = ['report', people.rig.out, '--out', out, '--match', 'falcon', '--to', '2026'];
  const summary = await cliJson<ReportSummary>(words);
  expect(summary).toMatchObject({
    users: 1,
    sessions: 1,
    jobs: 1,
    search: { searched: 3, matches: 1, time_unknown: 0, undated: null },
  });
  const index = await readFile(join(out, 'index.html'), 'utf8');
  const part = 'A part of the archive: only questions with “falcon” to 2026: 1 hit in 3 questions';
  expect(index).toContain(`<p id="part"><strong>${part}</strong></p>`);
  expect(index).toContain('<span>none known</span>');
  const files = await readdir(out, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
  );
  expect(texts.some((text) => text.includes('project Falcon'))).toBe(true);
  expect(texts.some((text) => text.includes('"found":["question"]'))).toBe(true);
  expect(texts.filter((text) => /secret-of|s-ben/.test(text))).toEqual([]);
});

it(
  'names as gaps jobs that a period could not judge, unless told what becomes of them',
  fault('F-82'),
  async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-2026', 'Of this year', [
      { question: 'plan one' },
      { question: 'the stars' },
      { id: 'without-time', question: 'plan two' },
      { id: 'without-time-either', question: 'the weather' },
    ]);
    await people.rig.archived();
    const out = join(people.rig.directory, 'report');
    const report = async (...more: string[]) => {
      const words = ['--out', out, '--match', 'plan', '--to', '2026-01-11', ...more];
      const told = await cli(['report', people.rig.out, ...words]);
      return { ...told, gaps: await readFile(join(out, 'data', 'gaps.js'), 'utf8') };
    };
    const leftOut = await report();
    expect(leftOut.exitCode).toBe(3);
    expect(leftOut.stdout).toMatch(
      /^Not complete: 1 question whose date is unknown was left out\n/,
    );
    expect(leftOut.stdout).not.toContain('retry-gaps');
    expect(leftOut.gaps).toContain(
      '"sessionName":"Of this year","job":"without-time","when":[1768132800000,null]',
    );
    expect(leftOut.gaps).not.toContain('without-time-either');
    const included = await report('--undated', 'include');
    expect([included.exitCode, included.gaps.includes('without-time')]).toEqual([0, false]);
    expect(included.stdout).toContain('1 question whose date is unknown was taken in by decision');
    const excluded = await report('--undated', 'exclude', '--in', 'question');
    expect(excluded.exitCode).toBe(0);
    expect(excluded.stdout).toContain('1 question whose date is unknown was left out by decision');
  },
);
