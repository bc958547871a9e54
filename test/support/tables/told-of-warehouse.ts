/** What is told of an archive once it is loaded elsewhere: by the views that `query --views` prints, and by dbt's models. */
import { writeFile } from 'node:fs/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type ThingQuery, THING_QUERIES } from './counted-things.js';
import { DbtProject } from './dbt-project.js';
import type { Telling } from './told-lines.js';
import { WAREHOUSE, warehouseFolder } from './warehouse-folder.js';

/** A script that is kept goes by time there, by the real clock. */
const BY_LOG = ['open_jobs'];
/** What the log alone knows, and views that dbt's project has not. */
const NOT_IN_DBT = [...BY_LOG, 'absent_sessions', 'doubted_sessions', 'v_answers', 'is_gone'];
/** Models that have another row than the view of their name. */
const OF_DBT: Readonly<Record<string, ThingQuery>> = {
  v_conversation_length: {
    thing: 'conversations',
    sql: 'SELECT count(*) FROM v_conversation_length',
  },
  'v_conversation_length of none': {
    thing: 'conversations without questions',
    sql: 'SELECT count(*) FROM v_conversation_length WHERE questions = 0',
  },
  'v_conversation_length summed': {
    thing: 'questions',
    sql: 'SELECT sum(questions)::BIGINT FROM v_conversation_length',
  },
  'is_deleted of current_sessions': {
    thing: 'deleted by prune',
    sql: 'SELECT count(*) FROM current_sessions WHERE is_deleted',
  },
  'new_users of v_active_users_by_month': {
    thing: 'people who asked on a date',
    sql: 'SELECT count(*) FROM v_active_users_by_month WHERE is_new',
  },
};

export async function ofWarehouse(telling: Telling): Promise<void> {
  const { archive, out } = telling;
  const teams = archive.beside('teams.csv');
  // a row of whom the archive does not know is a user of the view, too
  const [user] = telling.people.keys();
  await writeFile(teams, `user_id,team\n${user === undefined ? '' : `${user},Sales\n`}`);
  const { stdout: views } = await archive.run('query', out, '--views', '--users-file', teams);
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const scripts = await warehouseFolder();
    await connection.run(scripts.get('duckdb/tables.sql') ?? '');
    await connection.run(views);
    await tellBy(connection, telling, 'printed views', without(BY_LOG));
    await connection.run(scripts.get('duckdb/load.sql') ?? '');
    await connection.run(scripts.get('duckdb/current.sql') ?? '');
    const dbt = await DbtProject.read(`${WAREHOUSE}dbt`, 'analytics');
    await connection.run('CREATE SCHEMA analytics');
    const statements = dbt.inOrder().flatMap((name) => dbt.statements(name, true));
    for (const statement of statements) await connection.run(statement);
    await dropViews(connection);
    await connection.run("SET search_path = 'analytics,jobvault'");
    await tellBy(connection, telling, 'dbt', { ...without(NOT_IN_DBT), ...OF_DBT });
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}

function without(names: readonly string[]): Readonly<Record<string, ThingQuery>> {
  const has = (query: string): boolean => !names.some((name) => query.includes(name));
  return Object.fromEntries(Object.entries(THING_QUERIES).filter(([, { sql }]) => has(sql)));
}

/** Those of the archive, so that nothing reads them instead of what was loaded. */
async function dropViews(connection: DuckDBConnection): Promise<void> {
  const sql = "SELECT view_name FROM duckdb_views() WHERE database_name = 'temp' AND NOT internal";
  const names = (await connection.runAndReadAll(sql)).getRows().flat();
  for (const name of names) await connection.run(`DROP VIEW temp."${String(name)}"`);
}

async function tellBy(
  connection: DuckDBConnection,
  { tell }: Telling,
  output: string,
  queries: Readonly<Record<string, ThingQuery>>,
): Promise<void> {
  const asked = Object.entries(queries);
  const columns = asked.map(([, { sql }]) => `(${sql})`).join(',\n');
  const [row = []] = (await connection.runAndReadAll(`SELECT ${columns}`)).getRowsJson();
  for (const [at, [name, { thing }]] of asked.entries()) {
    tell(`${output}, ${name}`, { [thing]: Number(row[at] ?? 0) });
  }
}
