/** ClickHouse reads every table over the life of an archive, and finds the rows that the log has. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Row, TableSchema } from '../../../src/model/table-schema.js';
import { TABLES } from '../../../src/model/tables.js';
import { chdbRows, selectDelta } from '../../support/programs/chdb.js';
import { chdb } from '../../services/programs.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import type { ExportRig } from '../../support/rigs/export-rig.js';
import { compactArchive, copyArchive, eraseFromArchive } from '../../support/http/one-call.js';
import { deltaObjectsIn, newestIn } from '../../support/tables/delta-log.js';

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
  }, 120_000);

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
  }, 60_000);
});
