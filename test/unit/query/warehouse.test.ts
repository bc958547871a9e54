/** That config/warehouse is what src/model says, in every dialect. */
import { beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../../src/model/tables.js';
import { DIALECTS, warehouseFiles } from '../../../config/warehouse-sql/warehouse-files.js';
import { queriesIn, warehouseFolder } from '../../support/tables/warehouse-folder.js';

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

it('loads part files alone: the Delta logs beside them have checkpoints in Parquet', () => {
  const patterns = [...(folder.get('snowflake/load.sql') ?? '').matchAll(/PATTERN = '(.*)'/g)];
  expect(patterns).toHaveLength(TABLES.length);
  const isLoaded = (path: string) => new RegExp(`^${patterns[0]![1]!}$`).test(path);
  expect(isLoaded('archive/tables/jobs/dt=2026-11-05/01ABC-0001.parquet')).toBe(true);
  expect(isLoaded('archive/tables/jobs/_delta_log/0010.checkpoint.parquet')).toBe(false);
  const uris = [...(folder.get('bigquery/load.sql') ?? '').matchAll(/uris = \['(.*)'\]/g)];
  expect(uris).toHaveLength(TABLES.length);
  for (const [, uri = ''] of uris) expect(uri).toMatch(/\/dt=\*\.parquet$/);
});

describe.each(DIALECTS)('the tables of $title', (dialect) => {
  it.each(TABLES)('have every column of $name, with its type and its meaning', (table) => {
    const text = folder.get(`${dialect.name}/tables.sql`) ?? '';
    const name = `[."\`]${table.name}["\`]?`;
    const begin = text.search(new RegExp(`CREATE (EXTERNAL )?TABLE IF NOT EXISTS \\S*${name} \\(`));
    expect(begin).toBeGreaterThanOrEqual(0);
    const made = text.slice(begin, text.indexOf(');\n', begin));
    for (const column of table.columns) {
      const type = dialect.types[column.type].replace(/[()]/g, '\\$&');
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
