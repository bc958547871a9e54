/** Every table as a Delta table, over the life of an archive: a version has the rows of its commit, or none. I-60 in FORMAT.md. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { doubledKeys, type ExportRig } from '../../support/rigs/export-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { compactArchive, copyArchive, eraseFromArchive } from '../../support/http/one-call.js';
import {
  actionsOf,
  deltaObjectsIn,
  deltaRows,
  deltaSnapshot,
  newestIn,
} from '../../support/tables/delta-log.js';
import { duckDbRows } from '../../support/tables/duckdb-rows.js';
import { filesAsOf } from '../../support/tables/files-as-of.js';
import { fault } from '../../support/base/fault.js';

let people: EraseRig;
let rig: ExportRig;
beforeEach(async () => {
  people = await EraseRig.start();
  rig = people.rig;
});
afterEach(() => people[Symbol.asyncDispose]());

/** Each version of each table has the files of its commit; the newest those of the newest commit. @returns versions */
async function expectRight(out = rig.out): Promise<number> {
  let versions = 0;
  const archive = await rig.open();
  await archive.index.refresh();
  for (const table of TABLE_NAMES) {
    const objects = await deltaObjectsIn(out, table);
    const newest = newestIn(objects, 'json');
    for (const name of objects.keys()) {
      if (!name.endsWith('.json')) continue;
      const version = Number(name.split('.')[0]);
      const { commitInfo } = actionsOf(objects, version)[0]!;
      const commit = Number(commitInfo!.operationParameters.commit);
      const { paths } = await deltaSnapshot(objects, version);
      const named = await filesAsOf(archive, table, version === newest ? Infinity : commit);
      expect([table, version, paths]).toEqual([table, version, named]);
      versions++;
    }
    expect([table, await deltaRows(out, table)]).toEqual([table, await rig.rows(table)]);
  }
  return versions;
}

const deltaFiles = async () =>
  (await rig.files('tables')).filter((path) => /_delta_log/.test(path));

it('A first and a second run leave every table readable, with the rows of each commit', async () => {
  await people.archived(['parquet']);
  const first = await expectRight();
  expect(first).toBeGreaterThan(5);
  people.talk('ben', 'ben-second');
  await rig.export();
  expect(await expectRight()).toBeGreaterThan(first);
  const before = await deltaFiles();
  await rig.export();
  expect(await deltaFiles()).toEqual(before);
  expect(await rig.verify()).toMatchObject({ problems: [], notes: [], orphans: [], foreign: [] });
});

it('a compaction is a version without new data; time travel reaches back until its files go', async () => {
  await people.archived(['parquet', 'jsonl']);
  people.talk('ben', 'ben-second');
  await rig.export();
  const before = await rig.rows('jobs');
  const newest = newestIn(await deltaObjectsIn(rig.out, 'jobs'), 'json');
  await compactArchive({ archive: rig.out, clock: rig.clock });
  await expectRight();
  const objects = await deltaObjectsIn(rig.out, 'jobs');
  const changes = actionsOf(objects, newest + 1).flatMap(({ add, remove }) => add ?? remove ?? []);
  expect(changes.length).toBeGreaterThan(2);
  expect(changes.every(({ dataChange }) => !dataChange)).toBe(true);
  const byJob = (rows: typeof before) => rows.map((row) => String(row['job_id'])).sort();
  expect(byJob(await deltaRows(rig.out, 'jobs', newest))).toEqual(byJob(before));
  rig.clock.ahead = 8 * 86_400_000;
  await compactArchive({ archive: rig.out, clock: rig.clock });
  await expectRight();
  await expect(deltaRows(rig.out, 'jobs', newest)).rejects.toThrow(/No files found/);
  expect(await rig.verify()).toMatchObject({ problems: [], notes: [] });
});

it('a reader of the newest version finds all its files throughout a compaction without grace', async () => {
  await people.archived(['parquet']);
  for (let n = 0; n < 3; n++) {
    people.talk('ben', `ben-more-${n}`);
    await rig.export();
  }
  const rows = (await rig.rows('jobs')).length;
  let isOver = false;
  let reads = 0;
  const readOn = async (): Promise<void> => {
    while (!isOver) {
      const objects = await deltaObjectsIn(rig.out, 'jobs');
      const found = await deltaRows(rig.out, 'jobs').catch((error: unknown) => {
        if (/No files found|Could not|Cannot open/.test(String(error))) return undefined;
        throw error;
      });
      const now = await deltaObjectsIn(rig.out, 'jobs');
      // one whose files went while it read them begins again, as readers of Delta do
      if (found === undefined) expect(now.size).toBeGreaterThan(objects.size);
      else {
        reads++;
        expect([found.length, doubledKeys('jobs', found)]).toEqual([rows, []]);
      }
    }
  };
  const reading = readOn();
  await compactArchive({ archive: rig.out, clock: rig.clock, graceMs: 0 });
  isOver = true;
  await reading;
  expect(reads).toBeGreaterThan(0);
  await expectRight();
});

it('The globs of the documentation have the rows of a table and nothing of its Delta log', async () => {
  await people.archived(['parquet']);
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  const counted = async (from: string): Promise<unknown> =>
    (await duckDbRows(`SELECT count(*)::INTEGER AS n FROM ${from}`))[0]?.['n'];
  const everything = `glob('${join(rig.out, 'tables/jobs/**/*.parquet')}') WHERE file LIKE '%.checkpoint.parquet'`;
  expect(await counted(everything)).toBe(1);
  const rows = (await rig.rows('jobs')).length;
  expect(rows).toBeGreaterThan(0);
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  for (const document of ['config/guide/guarantees.md', 'config/warehouse/README.md']) {
    const text = await readFile(join(root, document), 'utf8');
    const globs = [...text.matchAll(/tables\/jobs\/[^\s`']*\*[^\s`']*/g)].map(([glob]) => glob);
    expect([document, globs]).toEqual([document, ['tables/jobs/dt=*/*.parquet']]);
    for (const glob of globs) {
      expect(await counted(`read_parquet('${join(rig.out, glob)}')`)).toBe(rows);
    }
  }
});

it('an erasure ends time travel, leaves nothing of the erased in any Delta log, and all others', async () => {
  const traces = await people.archived(['parquet']);
  const others = (await rig.rows('jobs')).filter((row) => row['user_id'] !== 'ann').length;
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  await expectRight();
  expect((await deltaRows(rig.out, 'jobs')).length).toBe(others);
  expect(await grepArchive(rig.out, traces['ann']!)).toEqual([]);
  const objects = await deltaObjectsIn(rig.out, 'jobs');
  expect(newestIn(objects, 'checkpoint.parquet')).toBe(newestIn(objects, 'json'));
  expect([...objects.keys()].filter((name) => name.endsWith('.json'))).toHaveLength(1);
  await expect(deltaRows(rig.out, 'jobs', 0)).rejects.toThrow('there is no version 0');
  people.talk('ben', 'ben-second');
  await rig.export();
  await expectRight();
  expect(await rig.verify()).toMatchObject({ problems: [], notes: [], orphans: [] });
});

it('a copy has the same Delta logs, also of an archive that was compacted and erased from', async () => {
  await people.archived(['parquet']);
  const target = join(rig.directory, 'copy');
  await copyArchive({ archive: rig.out, target });
  await expectRight(target);
  people.talk('ben', 'ben-third');
  await rig.export();
  await compactArchive({ archive: rig.out, clock: rig.clock });
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  const path = join(target, 'tables', 'jobs', '_delta_log', '00000000000000000000.json');
  await writeFile(path, 'not what it was');
  await copyArchive({ archive: rig.out, target });
  await expectRight(target);
  for (const table of TABLE_NAMES) {
    const objects = await deltaObjectsIn(target, table);
    expect(objects).toEqual(await deltaObjectsIn(rig.out, table));
  }
});

it('Without Delta tables an archive stays so, until a run begins them', async () => {
  for (const user of ['ann', 'ben']) people.talk(user, `${user}-first`);
  await rig.export({ noDelta: true });
  await compactArchive({ archive: rig.out });
  expect(await deltaFiles()).toEqual([]);
  expect(await rig.verify()).toMatchObject({ problems: [], notes: [] });
  people.talk('ben', 'ben-second');
  await rig.export();
  await expectRight();
  people.talk('ben', 'ben-third');
  await rig.export({ noDelta: true });
  await expectRight();
});

it('An archive without Parquet has no Delta tables', async () => {
  people.talk('ann', 'ann-first');
  await rig.export({ formats: ['jsonl'] });
  expect(await deltaFiles()).toEqual([]);
});

it(
  'verify names what differs from the log and what is late, and --repair puts both right',
  fault('F-98'),
  async () => {
    await people.archived(['parquet']);
    for (let n = 0; n < 11; n++) {
      people.talk('ben', `ben-more-${n}`);
      await rig.export();
    }
    const log = 'tables/jobs/_delta_log';
    const whole = await deltaObjectsIn(rig.out, 'jobs');
    const newest = newestIn(whole, 'json');
    const name = (version: number, extension = 'json') =>
      `${String(version).padStart(20, '0')}.${extension}`;
    const at = (file: string) => join(rig.out, log, file);
    const altered = (await readFile(at(name(1)), 'utf8')).replace(
      '"numRecords\\":',
      '"numRecords\\":9',
    );
    await writeFile(at(name(1)), altered);
    await rm(at(name(3)));
    await rm(at(name(newest)));
    await writeFile(at(name(10, 'checkpoint.parquet')), 'PAR1');
    await writeFile(at('_last_checkpoint'), '{"version":4}\n');

    const damaged = await cli(['verify', rig.out]);
    expect(damaged.exitCode).toBe(4);
    for (const part of [
      `${log}/${name(1)} differs from what the log gives`,
      `${log}/${name(3)} is missing from the Delta table`,
      `${log}/${name(10, 'checkpoint.parquet')} differs from what the log gives`,
      `${log}/_last_checkpoint differs from what the log gives`,
      `note: ${log}/${name(newest)} is not written yet: the next run, or --repair, writes it`,
    ]) {
      expect(damaged.stdout).toContain(part);
    }
    const repaired = await cliJson<{ status: string; repair: { delta_rebuilt: string[] } }>([
      ...['verify', rig.out, '--repair'],
    ]);
    expect(repaired.status).toBe('intact');
    expect(repaired.repair.delta_rebuilt).toHaveLength(5);
    expect(await deltaObjectsIn(rig.out, 'jobs')).toEqual(whole);
  },
);

it('verify --repair --delta makes all tables anew where none is left or there was none', async () => {
  await people.archived(['parquet']);
  for (let n = 0; n < 11; n++) {
    people.talk('ben', `ben-more-${n}`);
    await rig.export();
  }
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  const all = async () => Promise.all(TABLE_NAMES.map((name) => deltaObjectsIn(rig.out, name)));
  const whole = await all();
  const drop = async () => {
    for (const name of TABLE_NAMES) {
      await rm(join(rig.out, 'tables', name, '_delta_log'), { recursive: true, force: true });
    }
  };
  await drop();
  await cli(['verify', rig.out, '--repair']);
  expect(await deltaFiles()).toEqual([]);
  const { exitCode, stdout } = await cli(['verify', rig.out, '--repair', '--delta']);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/Delta tables +\d+ objects rebuilt/),
  ]);
  const made = await all();
  for (const [at, objects] of made.entries()) {
    // of older checkpoints none is needed
    for (const [name, bytes] of objects) expect(whole[at]!.get(name)).toEqual(bytes);
    const versions = [...whole[at]!.keys()].filter((name) => !name.includes('checkpoint'));
    expect([...objects.keys()]).toEqual(expect.arrayContaining(versions));
  }
  expect(await cliJson(['verify', rig.out])).toMatchObject({ status: 'intact', notes: [] });
  // of an archive that was made without: from then on every run keeps them up to date
  await drop();
  people.talk('cyd', 'cyd-more');
  await rig.export({ noDelta: true });
  expect(await deltaFiles()).toEqual([]);
  await cli(['verify', rig.out, '--repair', '--delta']);
  people.talk('cyd', 'cyd-again');
  await rig.export({ noDelta: true });
  expect(await deltaRows(rig.out, 'jobs')).toEqual(await rig.rows('jobs'));
});

it.each([
  [[], /--delta needs --repair/],
  [['--repair'], /no Parquet files, so it cannot have Delta tables/],
])('verify --delta %j is refused where it can do nothing', async (flags, message) => {
  people.talk('ann', 'ann-first');
  await rig.archived({ formats: ['jsonl'] });
  const { exitCode, stderr } = await cli(['verify', rig.out, '--delta', ...flags]);
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it('verify names a version that the log does not give, and leaves it', async () => {
  await people.archived(['parquet']);
  const path = 'tables/jobs/_delta_log/00000000000000000077.json';
  await writeFile(join(rig.out, path), '{}\n');
  const { exitCode, stdout } = await cli(['verify', rig.out, '--repair']);
  expect(exitCode).toBe(4);
  expect(stdout).toContain(`${path} is of a version of the Delta table that the log does not give`);
  expect(await rig.files('tables/jobs/_delta_log')).toContain(path);
});
