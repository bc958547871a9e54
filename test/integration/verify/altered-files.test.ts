/** Files that somebody has altered since they were archived: whatever shows rows or files notices before it shows them. */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { queryArchive } from '../../../src/query/query-archive.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import type { ExportRig } from '../../support/rigs/export-rig.js';
import { artifactsIn } from '../../support/store/artifacts-in.js';

let people: EraseRig;
let rig: ExportRig;
beforeEach(async () => {
  people = await EraseRig.start();
  rig = people.rig;
  people.talk('ann', 'ann-first', ['ann.csv']);
  await rig.archived({ formats: ['jsonl'] });
});
afterEach(() => people[Symbol.asyncDispose]());

async function pathOf(table: string): Promise<string> {
  const archive = await rig.open();
  await archive.index.refresh();
  const found = [...archive.index.contents.files.values()].find((file) => file.table === table);
  return found?.path ?? '';
}

/** The file still reads as its table, and says something else. */
async function alter(table: string): Promise<string> {
  const path = await pathOf(table);
  const file = join(rig.out, path);
  const text = gunzipSync(await readFile(file)).toString();
  await writeFile(file, gzipSync(text.replaceAll('ann-', 'eve-')));
  return path;
}

const show = () => ['show', rig.out, 'ann-first'];
const report = (page = 'page', ...words: string[]) => [
  'report',
  rig.out,
  '--out',
  join(rig.directory, page),
  ...words,
];
const evidence = () => ['evidence', rig.out, '--out', join(rig.directory, 'pack'), '--user', 'ann'];
const search = () => ['search', rig.out, 'ann'];
const query = () => ['query', rig.out, 'SELECT content_text FROM blocks'];

async function refuses(words: readonly string[], path: string): Promise<void> {
  const { exitCode, stdout, stderr } = await cli(words);
  expect([exitCode, stdout]).toEqual([4, '']);
  expect(stderr).toContain(path);
}

// I-22 in FORMAT.md
it('no command shows a part file that somebody altered: each ends with 4 and names it', async () => {
  for (const words of [show(), report(), search(), query()]) {
    expect((await cli(words)).exitCode).toBe(0);
  }
  const path = await alter('blocks');
  for (const words of [show(), report('new'), search(), query()]) await refuses(words, path);
  // what is there was made when the file was sound, and is left alone
  expect((await cli(report())).stdout).toContain('unchanged  1 conversation ');
  await refuses(evidence(), await alter('raw_jobs'));
});

it('a part file that somebody has altered is of no concern to a query of another table', async () => {
  await alter('blocks');
  const told = await cliJson<Record<string, unknown>>(['query', rig.out, 'FROM sessions']);
  expect(told).toMatchObject({ row_count: 1, unverified_bytes: 0 });
});

it('A table or image that somebody has altered is in no report and no pack', async () => {
  const archive = await rig.open();
  const [path = ''] = (await artifactsIn(archive)).keys();
  const text = await readFile(join(rig.out, path), 'utf8');
  await writeFile(join(rig.out, path), text.replace('ann-only', 'eve-only'));
  for (const words of [report(), evidence()]) await refuses(words, path);
});

it('a query says of how much it has compared only the size with the log', async () => {
  const archive = await rig.open();
  const path = await pathOf('jobs');
  const { files } = await archive.log.read(1);
  const asking = () =>
    queryArchive({ archive, sql: 'FROM jobs', maxReadBackBytes: 1 }, ({ unverifiedBytes }) =>
      Promise.resolve(unverifiedBytes),
    );
  expect(await asking()).toBe(files.find((entry) => entry.path === path)?.bytes);
  await appendFile(join(rig.out, path), 'x');
  await expect(asking()).rejects.toThrow(/^tables\/jobs\/.* has \d+ bytes instead of \d+$/);
});

it('The SQL for other programs says that nobody compares the files with the log', async () => {
  const { stdout } = await cli(['query', rig.out, '--views']);
  expect(stdout).toContain('jobvault verify compares them with the log');
});
