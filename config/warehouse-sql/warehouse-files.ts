/** Every generated file of `config/warehouse`. */
import { TABLES } from '../../src/model/tables.js';
import { athena } from './athena.js';
import { bigquery } from './bigquery.js';
import { currentViewsOf } from './current-scripts.js';
import { databricks } from './databricks.js';
import { dbtFiles } from './dbt.js';
import { SCHEMA, sqlComment, type Dialect } from './dialect.js';
import { dictionaryMarkdown } from './dictionary.js';
import { duckdb } from './duckdb.js';
import { snowflake } from './snowflake.js';

/** Where the archive lies, until somebody puts in the real place. */
const PLACES: Readonly<Record<Dialect['name'], string>> = {
  duckdb: '',
  databricks: 's3://BUCKET/PREFIX',
  athena: 's3://BUCKET/PREFIX',
  bigquery: 'gs://BUCKET/PREFIX',
  snowflake: 's3://BUCKET/PREFIX',
};

export const DIALECTS: readonly Dialect[] = [duckdb, databricks, athena, bigquery, snowflake];

/** Texts by path inside the folder. @param queries the queries that are kept there, SQL by name */
export function warehouseFiles(queries: ReadonlyMap<string, string>): Map<string, string> {
  const files = new Map<string, string>();
  for (const dialect of DIALECTS) {
    const { name, title } = dialect;
    const place = PLACES[name];
    const put = (file: string, what: string, sql: string) =>
      files.set(`${name}/${file}.sql`, `${heading(title, what, place)}\n${sql}`);
    put('tables', 'the tables of an archive', dialect.tables(TABLES, place));
    const load = dialect.load?.(TABLES, place);
    if (load !== undefined) put('load', 'fills the tables from an archive', load);
    const merge = dialect.merge?.(TABLES);
    if (merge !== undefined) put('merge', 'keeps loaded tables as the archive is', merge);
    const changes = dialect.loadChanges?.(TABLES);
    if (changes !== undefined) put('changes', 'loads what has changed in an archive', changes);
    put('current', 'the newest version of everything', currentScript(dialect));
  }
  files.set('dictionary.md', dictionaryMarkdown());
  for (const [path, text] of dbtFiles(queries)) files.set(`dbt/${path}`, text);
  return files;
}

function currentScript(dialect: Dialect): string {
  const refer = (table: string): string => `${SCHEMA}.${dialect.quoted(table)}`;
  const views = currentViewsOf(refer, {
    quoted: (name) => dialect.quoted(name),
    listedAgain: dialect.load && refer('sessions_listed_again'),
  });
  return views
    .map(
      ({ name, meaning, select }) =>
        `-- ${meaning}.\nCREATE OR REPLACE VIEW ${SCHEMA}.${name} AS\n${select};\n`,
    )
    .join('\n');
}

function heading(title: string, what: string, place: string): string {
  return sqlComment([
    `${title}: ${what}. Made by npm run warehouse; do not edit.`,
    ...(place === '' ? [] : [`Put in your own for ${place}.`]),
  ]);
}
