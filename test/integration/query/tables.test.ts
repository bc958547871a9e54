/** That a query sees every table of an archive as its newest commit has it, in either format. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import type { CellValue } from '../../../src/model/table-schema.js';
import { TABLES } from '../../../src/model/tables.js';
import { formatTimestamp } from '../../../src/model/times/timestamp.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { DUCKDB_TYPES } from '../../support/tables/duckdb-rows.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { namedRows, piecedExport, pieceOf } from '../../support/programs/pieced-export.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { ask, askOne } from '../../support/rigs/query-rig.js';

let rig: ExportRig;
/** In Parquet, in a directory. */
let archive: Archive;
/** In JSON lines, in a storage that has no directory. */
let stored: Archive;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 3 });
  await rig.archived();
  archive = await rig.open();
  const storage = createMemoryStorage();
  await piecedExport({ emulator: rig.emulator, storage, users: rig.state.userIds() });
  stored = await pieceOf(storage, rig.emulator);
});
afterAll(() => rig[Symbol.asyncDispose]());

/** As the result has them. */
function texts(rows: readonly object[], timestamps: ReadonlySet<string>): string[] {
  return rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row).map(([name, value]: [string, CellValue]) => {
          if (value === null) return null;
          return timestamps.has(name) ? formatTimestamp(value as bigint) : String(value);
        }),
      ),
    )
    .sort();
}

describe.each(TABLES)('the table $name', (table) => {
  const timestamps = new Set(table.columns.filter(({ type }) => type === 'ts').map((c) => c.name));
  it('has every row of the Parquet files, with the columns and types of the contract', async () => {
    const result = await ask({ archive, sql: `FROM "${table.name}"` });
    expect(result.columns).toEqual(table.columns.map(({ name }) => name));
    expect(result.types).toEqual(table.columns.map(({ type }) => DUCKDB_TYPES[type]));
    const rows = result.rows.map((row) => JSON.stringify(row)).sort();
    expect(rows).toEqual(texts(await rig.rows(table.name), timestamps));
  });

  it('has every row of JSON lines that lie in a store and not on this machine', async () => {
    const result = await ask({ archive: stored, sql: `SELECT * FROM ${table.name}` });
    expect(result.types).toEqual(table.columns.map(({ type }) => DUCKDB_TYPES[type]));
    const rows = result.rows.map((row) => JSON.stringify(row)).sort();
    expect(rows).toEqual(texts(await namedRows(stored, table.name), timestamps));
  });
});

it('the current views have the newest version of every job, and what belongs to it', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
  await rig.export();
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  const [job = ''] = rig.state.jobIds(user, session);
  rig.state.changeJob(user, session, job, (record) => {
    const block = { type: 'MESSAGE', content: 'changed', stage: 'Respond' };
    return { ...record, answer: { blocks: [{ ...block, group_id: '', group_name: '' }] } };
  });
  await rig.export({ full: true });
  const archive = await rig.open();
  const all = await askOne({ archive, sql: 'SELECT count(*) FROM jobs' });
  const ids = rig.state.sessionIds(user).flatMap((id) => rig.state.jobIds(user, id));
  expect(Number(all)).toBe(ids.length + 1);
  const current = await ask({ archive, sql: 'SELECT job_id, job_version FROM current_jobs' });
  expect(current.rows.map(([id]) => id).sort()).toEqual(ids.sort());
  const changed = current.rows.find(([id]) => id === job);
  expect(changed).toEqual([job, '2']);
  const blocks = await ask({
    archive,
    sql: `SELECT content_text, job_version FROM current_blocks WHERE job_id = '${job}' AND role = 'answer'`,
  });
  expect(blocks.rows).toEqual([['changed', '2']]);
  for (const table of [
    'groups',
    'stages',
    'sources',
    'proposed_questions',
    'artifacts',
    'raw_jobs',
  ]) {
    const old = `SELECT count(*) FROM current_${table} WHERE job_id = '${job}' AND job_version = 1`;
    expect(await askOne({ archive, sql: old })).toBe('0');
  }
});

it('the current views mark sessions that the service has no more, deleted or gone', async () => {
  await using rig = await PruneRig.start();
  rig.addSessions('ann', ['kept', 'gone', 'pruned']);
  await rig.rig.export();
  rig.state.deleteSession('ann', 'gone');
  await rig.rig.export();
  await rig.pruned({ rules: { sessions: ['pruned'] } });
  const { columns, rows } = await ask({
    archive: await rig.rig.open(),
    sql: `SELECT session_id, is_gone, is_deleted, gone_at IS NOT NULL AS has_gone_at,
              deleted_at IS NOT NULL AS has_deleted_at
            FROM current_sessions ORDER BY session_id`,
  });
  expect(columns[0]).toBe('session_id');
  expect(rows).toEqual([
    ['gone', 'true', 'false', 'true', 'false'],
    ['kept', 'false', 'false', 'false', 'false'],
    ['pruned', 'false', 'true', 'false', 'true'],
  ]);
});
