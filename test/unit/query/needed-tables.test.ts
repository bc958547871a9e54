import { expect, it } from 'vitest';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { neededTables } from '../../../src/query/needed-tables.js';

it('names the tables that stand in the SQL, in whatever case', () => {
  expect([...neededTables('SELECT * FROM Blocks')]).toEqual(['blocks']);
  expect([...neededTables('SELECT 1')]).toEqual([]);
});

it('adds jobs, which tell what is current', () => {
  expect([...neededTables('FROM current_sources')].sort()).toEqual(['jobs', 'sources']);
});

it('names every table where an escape hides which', () => {
  expect([...neededTables('FROM U&"jo\\0062s"')]).toEqual(TABLE_NAMES);
});
