/** Groups and stages are counted from blocks; stages have one spelling, however the service sends them. */
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { BLOCK_VIEWS } from '../../../../src/query/views/block-views.js';
import { sqlText } from '../../../../src/query/sql-text.js';
import { answerOf, rowsOf } from '../../../support/tables/flattened-job.js';
import type { JobRecord, Verbatim } from '../../../../src/model/records.js';

const block = (fields: object) => JSON.stringify(fields);
const said = (stage: string, content: unknown, type = 'MESSAGE') => block({ type, content, stage });

const BLOCKS = `[{"user_id":"VARCHAR","session_id":"VARCHAR","job_id":"VARCHAR","job_version":"INTEGER","role":"VARCHAR",
  "block_index":"INTEGER","type":"VARCHAR","stage":"VARCHAR","group_id":"VARCHAR","group_name":"VARCHAR",
  "char_count":"INTEGER","run_id":"VARCHAR","exported_at":"BIGINT"}]`;

/** The rows of a view over the blocks of a record, in order. */
async function viewRows(name: string, record: Verbatim<JobRecord>): Promise<object[]> {
  const view = BLOCK_VIEWS.find((one) => one.name === name);
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  const rows = sqlText(JSON.stringify(rowsOf('blocks', record), plain));
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `CREATE TABLE blocks AS SELECT unnest(from_json(${rows}, '${BLOCKS}'), recursive := true)`,
  );
  const reader = await connection.runAndReadAll(
    `FROM (${view?.select('blocks') ?? ''}) ORDER BY first_block_index`,
  );
  expect(reader.columnNames()).toEqual(view?.columns.map((column) => column.name));
  return reader.getRowObjectsJson();
}

describe('groups', () => {
  it('are one row a group and stage, in the order of their first blocks, gaps and all', async () => {
    const grouped = (group_id: unknown, stage: string, group_name?: string) =>
      block({ type: 'MESSAGE', content: '', group_id, stage, group_name });
    const record = answerOf(
      grouped('b', 'Analyze', ''),
      grouped('-1', 'Analyze', 'no group'),
      grouped('a', 'ANALYZE'),
      grouped('b', 'analyze', 'Load'),
      grouped('b', 'Respond', 'Tell'),
      grouped('', 'Respond', 'no group'),
      grouped('b', 'Analyze', ''),
    );
    const columns = ['group_index', 'group_id', 'group_name', 'stage', 'first_block_index'];
    const told = [...columns, 'last_block_index', 'block_count'];
    const rows = (await viewRows('groups', record)) as Record<string, unknown>[];
    expect(rows.map((row) => told.map((column) => row[column]))).toEqual([
      ['0', 'b', 'Load', 'Analyze', 0, 6, '3'],
      ['1', 'a', null, 'Analyze', 2, 2, '1'],
      ['2', 'b', 'Tell', 'Respond', 4, 4, '1'],
    ]);
  });

  it('stay apart where an id could be taken for another with its stage', async () => {
    const record = answerOf(
      block({ group_id: 'a","b', stage: 'c' }),
      block({ group_id: 'a', stage: 'b","c' }),
    );
    expect(await viewRows('groups', record)).toHaveLength(2);
  });
});

it('stages count blocks by type, and characters of text', async () => {
  const record = answerOf(
    said('Analyze', 'ab🙂'),
    said('analyze', 'x', 'CODE'),
    said('RESPOND', 'u', 'TABLE'),
    said('Respond', 'u', 'IMAGE'),
    said('Analyze', ['a task', 7], 'TASK'),
    block({ type: 'MESSAGE', content: 'of no stage' }),
  );
  const common = { user_id: 'u', session_id: 's', job_id: 'j', job_version: 1 };
  const ends = { run_id: 'run', exported_at: '5' };
  expect(await viewRows('stages', record)).toEqual([
    {
      ...common,
      stage: 'Analyze',
      block_count: '3',
      message_count: '1',
      code_count: '1',
      table_count: '0',
      image_count: '0',
      char_count: '10',
      ...ends,
      first_block_index: 0,
      last_block_index: 4,
    },
    {
      ...common,
      stage: 'Respond',
      block_count: '2',
      message_count: '0',
      code_count: '0',
      table_count: '1',
      image_count: '1',
      char_count: '0',
      ...ends,
      first_block_index: 2,
      last_block_index: 3,
    },
  ]);
});
