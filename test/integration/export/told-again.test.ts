/** What the summary of an export tells of what earlier runs have found, and how its numbers go together. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
});
afterEach(() => people[Symbol.asyncDispose]());

const words = (): string[] => [
  ...['export', '--user', 'ada', '--out', people.rig.out],
  ...['--base-url', people.rig.emulator.baseUrl],
];
const told = async (): Promise<string> => (await cli(words())).stdout;
const line = (text: string, label: string): string | undefined =>
  new RegExp(`^ {2}${label} +(.*)$`, 'm').exec(text)?.[1];

it('the files that are not archived are those of the gaps, which name the others apart', async () => {
  people.talk('ada', 's-1', 'Sales', [
    { table: 'one.csv', csv: null },
    { table: 'two.csv', csv: null },
    { table: 'there.csv', csv: 'a,b\n1,2\n' },
  ]);
  people.talk('ada', 's-2', 'Costs', [{ table: 'three.csv', csv: null }]);
  const first = await told();
  expect(line(first, 'files')).toMatch(/^4 +1 stored \(.*\), 3 not archived$/);
  expect(line(first, 'gaps')).toMatch(/^3 +3 of files; see below$/);
  people.rig.state.deleteSession('ada', 's-2');
  const second = await told();
  expect(line(second, 'files')).toMatch(/, 2 not archived$|^2 +2 not archived$/);
  expect(line(second, 'gaps')).toMatch(/^3 +2 of files, 1 that this run did not meet; see below$/);
  const metrics = join(people.rig.directory, 'metrics');
  await mkdir(metrics);
  await cli([...words(), '--metrics-dir', metrics]);
  const [file = ''] = await readdir(metrics);
  expect(await readFile(join(metrics, file), 'utf8')).toMatch(
    /^jobvault_run_files\{.*status="missing".*\} 2$/m,
  );
  expect(await cliJson(words(), 3)).toMatchObject({ artifacts: { missing: 2 } });
  expect(second).toContain('No export fills what conversations lack that are no longer');
});

it('what conversations that are gone lack is not to be fetched again, but to be accepted', async () => {
  people.talk('ada', 's-1', 'Sales', [{ table: 'one.csv', csv: null }]);
  people.talk('ada', 's-2', 'Costs', [{}]);
  await told();
  people.rig.state.deleteSession('ada', 's-1');
  const { next, gaps } = await cliJson<ExportSummary & { readonly next: string }>(words(), 3);
  expect(gaps).toMatchObject([{ session: 's-1', is_elsewhere: true, is_absent: true }]);
  expect(next).toBe(
    `no export fills what conversations lack that are no longer at the service; jobvault gap accept ${people.rig.out} --session ID --reason TEXT accepts it.`,
  );
});

it('a doubtful file is told by each run, also by those that find nothing new', async () => {
  people.talk('ada', 's-1', 'Sales', [{ table: 'empty.csv', csv: '' }]);
  for (let night = 0; night < 2; night++) {
    expect((await told()).replace(/\s+/g, ' ')).toContain(
      'Suspicious: 1 file stored as the service sent it, with doubtful content',
    );
  }
});
