/** The tables and views that the statement of a search reads, empty, in a DuckDB of their own. */
import * as duckDb from '@duckdb/node-api';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { registerFunction } from '../../../src/query/locked-database.js';
import { FOLD_FUNCTIONS } from '../../../src/search/fold-functions.js';

const KEY = 'user_id VARCHAR, session_id VARCHAR, job_id VARCHAR, job_version INTEGER';

/** The newest version of every job is the second. */
export async function openSearchTables(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const one of FOLD_FUNCTIONS) registerFunction(duckDb, connection, one);
  await connection.run(`
    CREATE TABLE jobs (${KEY}, question_text VARCHAR, created_at TIMESTAMP, created_after TIMESTAMP, created_before TIMESTAMP);
    CREATE VIEW current_jobs AS FROM jobs WHERE job_version = 2;
    CREATE TABLE current_sessions (user_id VARCHAR, session_id VARCHAR, name VARCHAR);
    CREATE TABLE blocks (${KEY}, role VARCHAR, type VARCHAR, block_index INTEGER, content_text VARCHAR, content_json VARCHAR, search_text VARCHAR, search_version INTEGER);
    CREATE TABLE artifacts (${KEY}, block_index INTEGER, name VARCHAR, kind VARCHAR, bytes BIGINT, sha256 VARCHAR, table_text VARCHAR, search_text VARCHAR, search_version INTEGER);`);
  return connection;
}
