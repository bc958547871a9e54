/** That config/warehouse is what src/model says, in every dialect. */
import { beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../../src/model/tables.js';
import { DUCKDB_TYPES } from '../../../src/query/views/table-views.js';
import { DIALECTS, warehouseFiles } from '../../../config/warehouse-sql/warehouse-files.js';
import { queriesIn, warehouseFolder } from '../../support/tables/warehouse-folder.js';
import { fault } from '../../support/base/fault.js';

let folder: Map<string, string>;

beforeAll(async () => {
  folder = await warehouseFolder();
});

it('holds what npm run warehouse writes, and nothing else where that writes', () => {
  const made = warehouseFiles(queriesIn(folder));
  for (const [path, text] of made) expect([path, folder.get(path)]).toEqual([path, text]);
  const generated = [...folder.keys()].filter((path) =>
    /^(\w+\/\w+\.sql|dbt\/models\/.*\.sql)$/.test(path.replace(/^queries\/.*/, '')),
  );
  expect(generated.sort()).toEqual([...made.keys()].filter((path) => path.endsWith('.sql')).sort());
});

describe.each(DIALECTS.filter(({ load }) => !load))('the tables of $title', (dialect) => {
  it('are the Delta tables of the archive, each where it lies', () => {
    const text = folder.get(`${dialect.name}/tables.sql`) ?? '';
    const made = [...text.matchAll(/TABLE IF NOT EXISTS \S*?(\w+)`?\n/g)].map(([, name]) => name);
    expect(made).toEqual(TABLES.map(({ name }) => name));
    const places = [...text.matchAll(/'(?:\w+:\/\/BUCKET\/PREFIX\/)?tables\/(\w+)\/?'/g)];
    expect(places.map(([, name]) => name)).toEqual(made);
    expect(text.match(/DELTA/g)?.length).toBeGreaterThan(0);
  });
});

it(
  "Snowflake's tables follow the Delta log: without AUTO_REFRESH they stay as made",
  fault('F-138'),
  () => {
    const statements = (folder.get('snowflake/tables.sql') ?? '').split(';\n');
    const tables = statements.filter((statement) => statement.includes('CREATE ICEBERG TABLE'));
    expect(tables).toHaveLength(TABLES.length);
    for (const statement of tables) expect(statement).toMatch(/^ {2}AUTO_REFRESH = TRUE$/m);
  },
);

describe.each(DIALECTS.filter(({ load }) => load))('the tables of $title', (dialect) => {
  it.each(TABLES)('have every column of $name, with its type and its meaning', (table) => {
    const text = folder.get(`${dialect.name}/tables.sql`) ?? '';
    const name = `[."\`]${table.name}["\`]?`;
    const begin = text.search(new RegExp(`CREATE (EXTERNAL )?TABLE IF NOT EXISTS \\S*${name} \\(`));
    expect(begin).toBeGreaterThanOrEqual(0);
    const made = text.slice(begin, text.indexOf(');\n', begin));
    for (const column of table.columns) {
      const type = DUCKDB_TYPES[column.type];
      expect(made).toMatch(new RegExp(`^ {2}["\`]?${column.name}["\`]? ${type}(?=[ ,]|$)`, 'm'));
      expect(text).toContain(column.meaning);
    }
    expect(text).toContain(table.meaning);
    expect(made).toMatch(/["`]?dt["`]? date\b/i);
  });

  it('have texts that end where they should: no meaning holds a quote', () => {
    for (const table of TABLES) {
      const meanings = [table.meaning, ...table.columns.map(({ meaning }) => meaning)];
      for (const meaning of meanings) expect(meaning).toMatch(/^[^'"\\`\n]{1,255}$/);
    }
  });
});
