import { expect, it } from 'vitest';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { mayListViews, namedViews, namesIn } from '../../../src/query/needed-tables.js';

const tablesOf = (sql: string) => TABLE_NAMES.filter((name) => namesIn(sql).has(name));

it('the tables of a query are those that its SQL names, in any case', () => {
  expect(tablesOf('SELECT * FROM Blocks')).toEqual(['blocks']);
  expect(tablesOf('SELECT 1')).toEqual([]);
});

it('the tables of a query include jobs, which has what is current', () => {
  expect(tablesOf('FROM current_sources').sort()).toEqual(['jobs', 'sources']);
});

it('the tables of a query are all tables if an escape may hide a name', () => {
  expect(tablesOf('FROM U&"jo\\0062s"')).toEqual(TABLE_NAMES);
});

it.each([
  ['FROM v_conversation_length', ['jobs', 'sessions']],
  ['FROM v_lost_files', ['artifacts', 'jobs']],
  ['FROM v_usage_by_week', ['jobs']],
  ['FROM v_failures_by_week', ['artifacts', 'blocks', 'jobs']],
  ['FROM stages', ['blocks']],
  ['FROM current_groups', ['blocks', 'jobs']],
])('the tables of %s are those that its views read', (sql, tables) => {
  expect(tablesOf(sql).sort()).toEqual(tables);
});

it.each([
  ['FROM V_failures_by_week', ['open_jobs']],
  ['FROM open_jobs', ['open_jobs']],
  ['FROM v_usage_by_week', []],
  ['FROM users JOIN runs ON true', ['users', 'runs']],
])('what only the log knows is read for %s alone', (sql, asked) => {
  const names = namesIn(sql);
  expect(['open_jobs', 'users', 'runs'].filter((name) => names.has(name))).toEqual(asked);
});

it('the views made for a query are those that its SQL names, and those that these name', () => {
  const views = [
    { name: 'jobs', select: 'SELECT 1' },
    { name: 'sources', select: 'SELECT 2' },
    { name: 'absent_sessions', select: 'SELECT 3' },
    { name: 'current_jobs', select: 'FROM jobs SEMI JOIN absent_sessions' },
    { name: 'v_usage', select: 'FROM current_jobs' },
  ];
  const namesOf = (sql: string) => namedViews(views, sql).map(({ name }) => name);
  expect(namesOf('FROM current_jobs')).toEqual(['jobs', 'absent_sessions', 'current_jobs']);
  expect(namesOf('FROM v_usage')).toEqual(['jobs', 'absent_sessions', 'current_jobs', 'v_usage']);
  expect(namesOf('select * from "SOURCES"')).toEqual(['sources']);
  expect(namesOf('SELECT 1')).toEqual([]);
});

it.each([
  ['SHOW TABLES', true],
  ['describe', true],
  ['DESC', true],
  ['FROM (DESC TABLES)', true],
  ['-- all\nDESC', true],
  ['/* all */ desc', true],
  ['FROM jobs ORDER BY job_id DESC', false],
  ['SUMMARIZE jobs', false],
  ['FROM information_schema.columns', true],
  ['FROM DuckDB_views()', true],
  ["FROM pragma_table_info('jobs')", true],
  ['FROM pg_catalog.pg_tables', true],
  ['FROM sqlite_master', true],
  ['FROM U&"jo\\0062s"', true],
  ['SELECT count(*) FROM v_usage WHERE user_id IS NOT NULL', false],
])('whether %s may list views: %s', (sql, mayList) => {
  expect(mayListViews(sql)).toBe(mayList);
});
