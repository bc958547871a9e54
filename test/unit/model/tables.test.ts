import { describe, expect, it } from 'vitest';
import { defineTable, type ColumnType } from '../../../src/model/table-schema.js';
import { TABLES, TABLE_NAMES, tableNamed } from '../../../src/model/tables.js';
import {
  contractColumns,
  contractKey,
  EXPORTED_TABLES,
} from '../../support/tables/contract-tables.js';

it('the tables have a column only with a meaning, and every key before the rest', () => {
  for (const { name, meaning, columns } of TABLES) {
    expect(meaning, name).not.toBe('');
    expect(
      columns.filter((column) => column.meaning === ''),
      name,
    ).toEqual([]);
    expect(
      columns.map(({ isKey }) => isKey),
      name,
    ).toEqual(columns.map(({ isKey }) => isKey).toSorted((a, b) => Number(b) - Number(a)));
  }
});

it('the tables have what is written about them in the definitions for DuckDB, in order', () => {
  for (const { name, columns } of TABLES) {
    const names = contractColumns(name).map(([column]) => column);
    expect(names, name).toEqual(columns.map((column) => column.name));
    const key = columns.filter(({ isKey }) => isKey).map((column) => column.name);
    expect(contractKey(name), name).toBe(key.join(', '));
  }
  expect(EXPORTED_TABLES).toHaveLength(TABLES.length - 2);
});

it('the tables are found by their names alone', () => {
  expect(TABLE_NAMES.map((name) => tableNamed(name)?.name)).toEqual(TABLE_NAMES);
  expect(['', 'Jobs', 'toString', '__proto__'].map(tableNamed)).toEqual(Array(4).fill(undefined));
});

describe('in a pseudonymised copy', () => {
  it('a column that is kept as it is holds no text but words that jobvault itself chooses', () => {
    const kept = TABLES.filter(({ isConfidential }) => !isConfidential).flatMap(({ columns }) =>
      columns.filter(({ type, copied }) => type === 'string' && copied === 'keep'),
    );
    const names = new Set(kept.map(({ name }) => name));
    expect([...names].toSorted()).toEqual([
      'created_at_source',
      'encoding',
      'role',
      'separator',
      'status',
    ]);
  });

  it('a column of a key is never dropped, and one of JSON always unless it is a list of texts', () => {
    const all = TABLES.flatMap(({ columns }) => columns);
    for (const { name, copied } of all.filter(({ isKey }) => isKey)) {
      expect(copied, name).toMatch(/keep|key|word/);
    }
    const json = all.filter(({ isJson, copied }) => isJson && copied !== 'drop');
    expect(json.map(({ name }) => name)).toEqual(['keywords', 'exploration_questions']);
  });

  it('the tables of records and of deletions are left out', () => {
    const left = TABLES.filter(({ isConfidential }) => isConfidential);
    expect(left.map(({ name }) => name)).toEqual(['raw_jobs', 'deletions']);
  });
});

const shape = { key: { a: 'string' }, rest: { b: 'int32', c: 'ts' } } as const;
const base = defineTable('t', shape).fingerprint;

it('the fingerprint of a table is the same for the same columns, whatever the table is called', () => {
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

it.each(changes)(
  'the fingerprint of a table changes with the %s of its columns',
  (_what, changed) => {
    expect(defineTable('t', changed).fingerprint).not.toBe(base);
  },
);

it('the fingerprint of a table distinguishes all tables of different columns', () => {
  expect(new Set(TABLES.map(({ fingerprint }) => fingerprint)).size).toBe(TABLES.length);
});
