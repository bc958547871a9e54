import { describe, expect, it } from 'vitest';
import { defineTable, type ColumnType } from '../../../src/model/table-schema.js';
import { TABLES, TABLE_NAMES, tableNamed } from '../../../src/model/tables.js';

/** What users rely on, written down a second time: key columns, then the others; `string` where no type is named. */
const JOB = 'user_id session_id job_id job_version:int32';
const CONTRACT: readonly (readonly [string, string, string])[] = [
  [
    'sessions',
    'user_id session_id session_version:int32',
    'name output_language job_mode max_contextual_job_history:int32 agent_id job_count:int32 is_complete:bool extra_json created_at:ts created_at_source created_after:ts created_before:ts',
  ],
  [
    'jobs',
    JOB,
    'job_index:int32 question_text answer_text is_settled:bool question_block_count:int32 answer_block_count:int32 analyze_block_count:int32 respond_block_count:int32 artifact_count:int32 source_count:int32 content_hash created_at:ts created_at_source created_after:ts created_before:ts',
  ],
  [
    'blocks',
    `${JOB} role block_index:int32`,
    'type type_raw stage group_id group_name content_text content_json code_language char_count:int32 artifact_sha256',
  ],
  [
    'groups',
    `${JOB} group_index:int32`,
    'group_id group_name stage first_block_index:int32 last_block_index:int32 block_count:int32',
  ],
  [
    'stages',
    `${JOB} stage`,
    'block_count:int32 message_count:int32 code_count:int32 table_count:int32 image_count:int32 char_count:int64 first_block_index:int32 last_block_index:int32',
  ],
  [
    'sources',
    `${JOB} block_index:int32 source_index:int32`,
    'source datasource_id dataset_id file_type external_id extra_json',
  ],
  ['questions', `${JOB} block_index:int32 question_index:int32`, 'question'],
  [
    'artifacts',
    `${JOB} role block_index:int32 file_index:int32`,
    'kind name url expires_at:ts status reason suspicious sha256 bytes:int64 media_type path row_count:int64 column_count:int32 width:int32 height:int32',
  ],
  ['raw_jobs', JOB, 'record'],
  [
    'datasets',
    'dataset_id',
    'name description summary keywords exploration_questions synched_count:int32 invalid_count:int32 synching_count:int32 extra_json',
  ],
  ['deletions', 'user_id session_id', 'deleted_at:ts commit:int64 job_count:int32 outcome'],
];

const written = (columns: readonly { name: string; type: string }[]) =>
  columns.map(({ name, type }) => (type === 'string' ? name : `${name}:${type}`)).join(' ');

describe('the tables are the contract with users', () => {
  it('there are exactly those of the contract', () => {
    expect(new Set(TABLE_NAMES)).toEqual(new Set(CONTRACT.map(([name]) => name)));
    expect(TABLE_NAMES).toHaveLength(CONTRACT.length);
  });

  it.each(CONTRACT)('%s has its columns, their types and their order', (name, key, rest) => {
    const columns = tableNamed(name)!.columns;
    expect(written(columns.filter(({ isKey }) => isKey))).toBe(key);
    expect(written(columns.filter(({ isKey }) => !isKey))).toBe(`${rest} run_id exported_at:ts`);
    const keyLength = key.split(' ').length;
    expect(columns.slice(0, keyLength).every(({ isKey }) => isKey)).toBe(true);
  });

  it('names that no table has find none', () => {
    expect(['', 'Jobs', 'toString', '__proto__'].map(tableNamed)).toEqual(Array(4).fill(undefined));
  });
});

describe('the fingerprint of a table', () => {
  const shape = { key: { a: 'string' }, rest: { b: 'int32', c: 'ts' } } as const;
  const base = defineTable('t', shape).fingerprint;

  it('is told of every time before columns were added, the newest first', () => {
    const { earlier } = defineTable('t', {
      key: { a: 'string' },
      rest: { b: 'int32', d: 'string', c: 'ts', e: 'bool', f: 'bool' },
      added: [['d'], ['e', 'f']],
    });
    expect(earlier.map(({ columns }) => columns.map(({ name }) => name).join(''))).toEqual([
      'abdc',
      'abc',
    ]);
    expect(earlier.at(-1)?.fingerprint).toBe(base);
  });

  it('is the same for the same columns, whatever the table is called', () => {
    expect(defineTable('other', shape).fingerprint).toBe(base);
    expect(base).toMatch(/^[0-9a-f]{16}$/);
  });

  type Columns = Readonly<Record<string, ColumnType>>;
  const changes: readonly (readonly [string, { key: Columns; rest: Columns }])[] = [
    ['name', { key: { x: 'string' }, rest: { b: 'int32', c: 'ts' } }],
    ['type', { key: { a: 'string' }, rest: { b: 'int64', c: 'ts' } }],
    ['order', { key: { a: 'string' }, rest: { c: 'ts', b: 'int32' } }],
    ['role', { key: { a: 'string', b: 'int32' }, rest: { c: 'ts' } }],
    ['number', { key: { a: 'string' }, rest: { b: 'int32' } }],
  ];

  it.each(changes)('changes with the %s of its columns', (_what, changed) => {
    expect(defineTable('t', changed).fingerprint).not.toBe(base);
  });

  it('tells all tables of different columns apart', () => {
    expect(new Set(TABLES.map(({ fingerprint }) => fingerprint)).size).toBe(TABLES.length);
  });
});
