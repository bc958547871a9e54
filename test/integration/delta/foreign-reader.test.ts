/** ClickHouse reads every table over the life of an archive, and finds the rows that the log has. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import type { Row, TableSchema } from '../../../src/model/table-schema.js';
import { TABLES } from '../../../src/model/tables.js';
import type { Storage } from '../../../src/storage/storage.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { openStorage } from '../../../src/storage/open-storage.js';
import { piecedExport } from '../../support/programs/pieced-export.js';
import { over } from '../../simulate/replaced-methods.js';
import { everybodyElseIsDead } from '../../support/store/dying-storage.js';
import { chdbRows, selectDelta } from '../../support/programs/chdb.js';
import { chdb } from '../../services/programs.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import type { ExportRig } from '../../support/rigs/export-rig.js';
import { compactArchive, copyArchive, eraseFromArchive } from '../../support/http/one-call.js';
import {
  deltaObjectsIn,
  deltaRows,
  deltaSnapshot,
  newestIn,
} from '../../support/tables/delta-log.js';
import { filesAsOf } from '../../support/tables/files-as-of.js';

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

/** Of every table that has rows. @returns how many rows there are */
async function expectSameRows(out = rig.out): Promise<number> {
  const found: TableSchema[] = [];
  for (const table of TABLES) {
    if ((await deltaObjectsIn(out, table.name)).size > 0) found.push(table);
  }
  const answers = await chdbRows(found.map((table) => selectDelta(out, table)));
  let rows = 0;
  for (const [at, table] of found.entries()) {
    const answer = answers[at]!;
    if (answer instanceof Error) throw answer;
    const wanted = textsOf(table, await rig.rows(table.name));
    expect([table.name, answer.map((row) => JSON.stringify(row)).sort()]).toEqual([
      table.name,
      wanted,
    ]);
    rows += wanted.length;
  }
  return rows;
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

it('A run that dies between a commit and its version a hundred times leaves tables that are late, never wrong, and the next one those of the newest commit', async () => {
  people.talk('ann', 'ann-first');
  await rig.export({ formats: ['parquet'] });
  const { emulator, out } = rig;
  let deaths = 0;
  let behind = 0;
  for (let kill = 0; deaths < 100; kill++) {
    expect(kill).toBeLessThan(200);
    people.talk('ann', `ann-${kill % 3}`);
    const { storage, isDead } = dyingAtDelta(openStorage(out), kill % 6);
    const archive = await openArchiveIn(storage);
    const given = { emulator, storage, users: ['ann'], archive, processes: everybodyElseIsDead };
    await piecedExport({ ...given, beginsDelta: true });
    if (isDead()) deaths++;
    if (kill % 20 === 0) behind += await late(await rig.open());
  }
  expect(behind).toBeGreaterThan(0);
  await rig.export();
  expect(await late(await rig.open())).toBe(0);
  for (const { name } of TABLES) {
    expect([name, await deltaRows(out, name)]).toEqual([name, await rig.rows(name)]);
  }
  if (chdb !== undefined) expect(await expectSameRows()).toBeGreaterThan(300);
}, 300_000);

/** CI must not leave it out. */
describe.skipIf(chdb === undefined && process.env['CI'] === undefined)('ClickHouse', () => {
  const jobs = TABLES.find(({ name }) => name === 'jobs')!;

  it('finds the rows of a first run, of later ones, of a compaction and of an erasure, here and in copies', async () => {
    await people.archived(['parquet', 'jsonl']);
    expect(await expectSameRows()).toBeGreaterThan(20);
    for (let n = 0; n < 12; n++) {
      people.talk('ben', `ben-more-${n}`);
      await rig.export();
    }
    const before = await expectSameRows();
    await compactArchive({ archive: rig.out, clock: rig.clock });
    expect(await expectSameRows()).toBe(before);
    const target = join(rig.directory, 'copy');
    await copyArchive({ archive: rig.out, target });
    expect(await expectSameRows(target)).toBe(before);
    await eraseFromArchive({ archive: rig.out, users: ['ann'] });
    expect(await expectSameRows()).toBeLessThan(before);
    people.talk('cyd', 'cyd-second');
    await rig.export();
    await expectSameRows();
    await copyArchive({ archive: rig.out, target });
    await expectSameRows(target);
  });

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
