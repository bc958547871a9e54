/** ClickHouse reads every table over the life of an archive, and finds the rows that the log has. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { ulid } from '../../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../../src/base/runtime.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import type { Row, TableSchema } from '../../../src/model/table-schema.js';
import { TABLES, tableNamed } from '../../../src/model/tables.js';
import type { Storage } from '../../../src/storage/storage.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { piecedExport } from '../../support/programs/pieced-export.js';
import { over } from '../../simulate/replaced-methods.js';
import { everybodyElseIsDead } from '../../support/store/dying-storage.js';
import { chdbRows, selectDelta } from '../../support/programs/chdb.js';
import { chdb } from '../../services/programs.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { type ExportRig, impatient } from '../../support/rigs/export-rig.js';
import {
  compactArchive,
  copyArchive,
  eraseFromArchive,
  pruneArchive,
} from '../../support/http/one-call.js';
import { openArchive } from '../../../src/library/operations.js';
import { duckDbTable, sqlText } from '../../support/tables/duckdb-rows.js';
import {
  actionsOf,
  deltaObjectsIn,
  deltaRows,
  deltaSnapshot,
  newestIn,
} from '../../support/tables/delta-log.js';
import { filesAsOf } from '../../support/tables/files-as-of.js';

const HOUR = 3_600_000;
const YEAR = 365.25 * 24 * HOUR;

let people: EraseRig;
let rig: ExportRig;
beforeEach(async () => {
  people = await EraseRig.start();
  rig = people.rig;
});
afterEach(() => people[Symbol.asyncDispose]());

function textsOf(table: TableSchema, rows: readonly Row[]): string[] {
  return rows
    .map((row) =>
      JSON.stringify(
        table.columns.map(({ name }) => {
          const cell = row[name] ?? null;
          return cell === null ? null : String(cell);
        }),
      ),
    )
    .sort();
}

/** A table's rows in the Parquet files that were there as of a commit; undefined if one of these is gone. */
async function rowsAsOf(archive: Archive, out: string, name: string, commit: number) {
  const table = tableNamed(name)!;
  const paths = await filesAsOf(archive, name, commit);
  const files = paths.map((path) => join(out, 'tables', name, path));
  if (!files.every((file) => existsSync(file))) return undefined;
  if (files.length === 0) return [];
  const list = files.map(sqlText).join(', ');
  return duckDbTable(table, `read_parquet([${list}], hive_partitioning = false)`);
}

interface Expected {
  readonly out?: string;
  /** Whether versions may be missing that a killed run has not written. */
  readonly mayBeLate?: boolean;
  /** Whether every older version is read, too. */
  readonly andOlder?: boolean;
}

interface Read {
  /** In the newest versions. */
  readonly rows: number;
  readonly tables: readonly string[];
  /** Older versions that could be read. */
  readonly older: number;
  /** Older versions that could not. */
  readonly failed: number;
}

/** ClickHouse finds in every table that there is the rows of the commit that its version names, and no others. */
async function expectSameRows(expected: Expected = {}): Promise<Read> {
  const { out = rig.out, mayBeLate = false, andOlder = false } = expected;
  const archive = await openArchiveIn(await openStorage(out));
  const asked: { table: TableSchema; version: number; isNewest: boolean; commit: number }[] = [];
  for (const table of TABLES) {
    const objects = await deltaObjectsIn(out, table.name);
    const newest = newestIn(objects, 'json');
    if (newest < 0) {
      if (!mayBeLate) expect(await filesAsOf(archive, table.name, Infinity)).toEqual([]);
      continue;
    }
    for (let version = andOlder ? 0 : newest; version <= newest; version++) {
      if (!objects.has(`${String(version).padStart(20, '0')}.json`)) continue;
      const info = actionsOf(objects, version).find(({ commitInfo }) => commitInfo)?.commitInfo;
      const commit = Number(info?.operationParameters.commit);
      const isNewest = version === newest;
      if (isNewest && !mayBeLate) {
        const [then, now] = [commit, Infinity].map((at) => filesAsOf(archive, table.name, at));
        expect([table.name, await then]).toEqual([table.name, await now]);
      }
      asked.push({ table, version, isNewest, commit });
    }
  }
  const answers = await chdbRows(
    asked.map(({ table, version, isNewest }) =>
      selectDelta(out, table, isNewest ? undefined : version),
    ),
  );
  const read = { rows: 0, older: 0, failed: 0 };
  for (const [at, { table, version, isNewest, commit }] of asked.entries()) {
    const answer = answers[at]!;
    const wanted = await rowsAsOf(archive, out, table.name, commit);
    // late, or gone: never other rows
    if (answer instanceof Error) {
      if (isNewest || wanted) throw answer;
      read.failed++;
      continue;
    }
    const found = answer.map((row) => JSON.stringify(row)).sort();
    const place = `${table.name} ${version}`;
    expect([place, found]).toEqual([place, wanted && textsOf(table, wanted)]);
    if (isNewest) read.rows += found.length;
    else read.older++;
  }
  return {
    ...read,
    tables: asked.filter(({ isNewest }) => isNewest).map(({ table }) => table.name),
  };
}

/** A settled job with everything that has a table of its own: steps, a file, sources, further questions. */
function ask(user: string, session: string, yearsAgo = 0): void {
  const { state, clock } = rig;
  const step = { group_id: 'g-1', group_name: 'Load the sales', stage: 'Analyze' };
  const respond = { group_id: '-1', stage: 'Respond' };
  const file = { name: 'sales.csv', url: '{{url:shared.csv}}', expires_at: '{{expires_at}}' };
  const source = { source: 'sales.csv', datasource_id: 'ds-1', dataset_id: 'sales', id: '7' };
  const blocks = [
    { type: 'CODE', content: '```python\nsum(sales)\n```', ...step },
    { type: 'TABLE', content: file, ...step },
    { type: 'MESSAGE', content: `For ${user}: 42`, ...respond },
    {
      type: 'SOURCES',
      content: [{ ...source, content: 'the cited passage', page_no: 3 }],
      ...respond,
    },
    { type: 'QUESTIONS', content: ['And by month?', 'And by region?'], ...respond },
  ];
  const question = { blocks: [{ type: 'MESSAGE', content: `How much, asks ${user}?` }] };
  // a cuid tells no time before 2022
  const atMs = clock.now() - 48 * HOUR - yearsAgo * YEAR;
  const id = `job-${ulid({ ...systemClock, now: () => atMs }, systemRandom)}`;
  const job = JSON.stringify({ job_id: id, question, answer: { blocks } });
  if (state.userIds().includes(user) && state.sessionIds(user).includes(session)) {
    state.addJob(user, session, job);
  } else state.addSession(user, { id: session, name: `${user} and ${session}` }, [job]);
}

function putDataset(description: string): void {
  rig.state.putDataset({
    id: 'sales',
    project: 'demo',
    creator: 'ann',
    name: 'Sales',
    description,
    summary: 'All that was sold',
    exploration_questions: ['How much?'],
    keywords: ['sales'],
    synched_count: 1,
    invalid_count: 0,
    synching_count: 0,
  });
}

/** A storage whose process is killed at one of its writes to a Delta log: nothing is written any more. */
function dyingAtDelta(place: Storage, puts: number) {
  let [left, isDead] = [puts, false];
  const writing =
    <A extends readonly unknown[], R>(write: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      isDead ||= String(given[0]).includes('/_delta_log/') && left-- === 0;
      if (isDead) throw new StorageError('killed');
      return write(...given);
    };
  const storage = over(place, {
    put: writing(place.put.bind(place)),
    putIfAbsent: writing(place.putIfAbsent.bind(place)),
    compareAndSwap: writing(place.compareAndSwap.bind(place)),
    delete: writing(place.delete.bind(place)),
    stage: writing(place.stage.bind(place)),
  });
  return { storage, isDead: () => isDead };
}

/** Every table is as of the commit of its version. @returns how many are not at the newest commit */
async function late(archive: Archive): Promise<number> {
  let behind = 0;
  for (const { name } of TABLES) {
    const objects = await deltaObjectsIn(rig.out, name);
    const newest = await filesAsOf(archive, name, Infinity);
    if (newestIn(objects, 'json') < 0) {
      if (newest.length > 0) behind++;
      continue;
    }
    const { paths, commit } = await deltaSnapshot(objects);
    // a checkpoint alone says nothing of its commit
    if (commit !== undefined) {
      expect([name, paths]).toEqual([name, await filesAsOf(archive, name, commit)]);
    }
    if (paths.join() !== newest.join()) behind++;
  }
  return behind;
}

/** At each of the first six writes of a run three times, at night six: over checkpoints, at every tenth version. */
const DEATHS = 6 * Math.min(6, Math.ceil(Number(process.env['JOBVAULT_TEST_KILLS'] ?? 5) / 2));

it('runs that die between commit and version leave tables that are late, never wrong', async () => {
  ask('ann', 'ann-first');
  await rig.export({ formats: ['parquet'] });
  const { emulator, out } = rig;
  // a run of this process would wait for the leases of the dead ones, which are of the same
  const goOn = async (storage: Storage) => {
    const archive = await openArchiveIn(storage);
    const given = { emulator, storage, users: ['ann'], archive, processes: everybodyElseIsDead };
    return piecedExport({ ...given, beginsDelta: true });
  };
  let deaths = 0;
  let behind = 0;
  for (let kill = 0; deaths < DEATHS; kill++) {
    expect(kill).toBeLessThan(2 * DEATHS);
    ask('ann', `ann-${kill % 3}`);
    const { storage, isDead } = dyingAtDelta(await openStorage(out), kill % 6);
    await goOn(storage);
    if (isDead()) deaths++;
    if (kill % 7 === 0) behind += await late(await rig.open());
    if (kill === DEATHS / 2 && chdb !== undefined) await expectSameRows({ mayBeLate: true });
  }
  expect(behind).toBeGreaterThan(0);
  await goOn(await openStorage(out));
  expect(await late(await rig.open())).toBe(0);
  for (const { name } of TABLES) {
    expect([name, await deltaRows(out, name)]).toEqual([name, await rig.rows(name)]);
  }
  // what each run left is an older version now
  if (chdb === undefined) return;
  const { rows, older } = await expectSameRows({ andOlder: true });
  expect(rows).toBeGreaterThan(2 * DEATHS);
  expect(older).toBeGreaterThan(2 * DEATHS);
}, 300_000);

describe.skipIf(chdb === undefined)('ClickHouse', () => {
  const jobs = TABLES.find(({ name }) => name === 'jobs')!;

  it("finds each version's rows over runs, prune, compaction, erasure and expiry, also in copies", async () => {
    const { clock, out } = rig;
    for (const user of ['ann', 'ben', 'cyd']) ask(user, `${user}-first`);
    ask('dan', 'long-ago', 9);
    ask('ben', 'goes');
    putDataset('Of 2025');
    await rig.export({ formats: ['parquet', 'jsonl'], withDatasets: true });
    expect((await expectSameRows()).rows).toBeGreaterThan(60);
    putDataset('Of 2026');
    for (let n = 0; n < 6; n++) {
      ask('ben', `ben-more-${n}`);
      await rig.export({ withDatasets: true });
    }
    await pruneArchive({
      archive: out,
      baseUrl: rig.emulator.baseUrl,
      apiKey: 'demo-key',
      rules: { all: true, sessions: ['goes'] },
      rate: 10_000,
      clock,
      random: impatient,
    });
    const before = await expectSameRows({ andOlder: true });
    expect(before.tables).toEqual(TABLES.map(({ name }) => name));
    expect(before.failed).toBe(0);
    await compactArchive({ archive: out, clock });
    const compacted = await expectSameRows({ andOlder: true });
    expect(compacted).toEqual({ ...before, older: compacted.older });
    expect(compacted.older).toBeGreaterThan(before.older);
    const target = join(rig.directory, 'copy');
    await copyArchive({ archive: out, target });
    expect((await expectSameRows({ out: target, andOlder: true })).rows).toBe(before.rows);
    await eraseFromArchive({ archive: out, users: ['ann'] });
    const erased = await expectSameRows({ andOlder: true });
    expect(erased.rows).toBeLessThan(before.rows);
    await (async () => {
      await using archive = await openArchive(out, { clock });
      await archive.expire({ olderThanMs: 7 * YEAR });
    })();
    const expired = await expectSameRows({ andOlder: true });
    expect(expired.rows).toBeLessThan(erased.rows);
    ask('cyd', 'cyd-second');
    await rig.export({ users: ['cyd'] });
    expect((await expectSameRows({ andOlder: true })).tables).toEqual(before.tables);
    await copyArchive({ archive: out, target });
    await expectSameRows({ out: target });
  }, 300_000);

  it('finds the jobs of a period, though it passes over files by their bounds', async () => {
    for (let year = 0; year < 5; year++) {
      ask('ann', `ann-${year}`, year);
      await rig.export({ formats: ['parquet'] });
    }
    await compactArchive({ archive: rig.out, clock: rig.clock });
    ask('ann', 'ann-now');
    await rig.export();
    const times = (await rig.rows('jobs')).map((row) => row['created_at'] as bigint).sort();
    const conditions = times.flatMap((time) =>
      ['>=', '<=', '=', '>', '<'].map((sign) => ({ sign, time })),
    );
    const answers = await chdbRows(
      conditions.map(
        ({ sign, time }) => `SELECT toString(count()) FROM deltaLakeLocal('${rig.out}/tables/jobs')
          WHERE created_at ${sign} fromUnixTimestamp64Micro(${time}, 'UTC')`,
      ),
    );
    const wanted = conditions.map(({ sign, time }) => {
      const isBetween = (of: bigint) =>
        (sign.includes('=') && of === time) ||
        (sign.includes('>') && of > time) ||
        (sign.includes('<') && of < time);
      return [[String(times.filter(isBetween).length)]];
    });
    expect(answers).toEqual(wanted);
  }, 60_000);

  it('reads older versions until an erasure, and then none', async () => {
    for (const session of ['one', 'two', 'three']) {
      people.talk('ann', `ann-${session}`);
      people.talk('ben', `ben-${session}`);
      await rig.export();
    }
    const at = async (version: number) => {
      const [answer] = await chdbRows([selectDelta(rig.out, jobs, version)]);
      return answer instanceof Error ? answer : answer!.length;
    };
    expect([await at(0), await at(1), await at(2)]).toEqual([2, 4, 6]);
    await eraseFromArchive({ archive: rig.out, users: ['ann'] });
    const newest = newestIn(await deltaObjectsIn(rig.out, 'jobs'), 'json');
    expect(await at(newest)).toBe(3);
    for (let version = 0; version < newest; version++) {
      expect(await at(version)).toBeInstanceOf(Error);
    }
  });
});
