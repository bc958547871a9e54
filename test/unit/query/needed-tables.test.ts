import { expect, it } from 'vitest';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { neededTables } from '../../../src/query/query-archive.js';

it('the tables of a query are those that its SQL names, in any case', () => {
  expect([...neededTables('SELECT * FROM Blocks')]).toEqual(['blocks']);
  expect([...neededTables('SELECT 1')]).toEqual([]);
});

it('the tables of a query include jobs, which has what is current', () => {
  expect([...neededTables('FROM current_sources')].sort()).toEqual(['jobs', 'sources']);
});

it('the tables of a query are all tables if an escape may hide a name', () => {
  expect([...neededTables('FROM U&"jo\\0062s"')]).toEqual(TABLE_NAMES);
});
