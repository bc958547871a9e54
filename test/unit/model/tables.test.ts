import { describe, expect, it } from 'vitest';
import { defineTable, type ColumnType } from '../../../src/model/table-schema.js';
import { TABLES, TABLE_NAMES, tableNamed } from '../../../src/model/tables.js';
import { CONTRACT } from '../../support/tables/contract-tables.js';

const written = (columns: readonly { name: string; type: string }[]) =>
  columns.map(({ name, type }) => (type === 'string' ? name : `${name} ${type}`)).join(', ');

describe('the tables are the contract with users', () => {
  it('there are exactly those of the contract', () => {
    expect(new Set(TABLE_NAMES)).toEqual(new Set(Object.keys(CONTRACT)));
    expect(TABLE_NAMES).toHaveLength(Object.keys(CONTRACT).length);
  });

  it.each(Object.entries(CONTRACT))(
    '%s has its columns, their types and their order',
    (name, { key, rest }) => {
      const columns = tableNamed(name)!.columns;
      expect(written(columns.filter(({ isKey }) => isKey))).toBe(key);
      expect(written(columns.filter(({ isKey }) => !isKey))).toBe(rest);
      const keyLength = key.split(', ').length;
      expect(columns.slice(0, keyLength).every(({ isKey }) => isKey)).toBe(true);
    },
  );

  it('names that no table has find none', () => {
    expect(['', 'Jobs', 'toString', '__proto__'].map(tableNamed)).toEqual(Array(4).fill(undefined));
  });
});

describe('the fingerprint of a table', () => {
  const shape = { key: { a: 'string' }, rest: { b: 'int32', c: 'ts' } } as const;
  const base = defineTable('t', shape).fingerprint;

  it('is known for every earlier set of columns, the newest first', () => {
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

  it('distinguishes all tables of different columns', () => {
    expect(new Set(TABLES.map(({ fingerprint }) => fingerprint)).size).toBe(TABLES.length);
  });
});
