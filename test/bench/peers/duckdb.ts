/** Pages to JSON lines, and DuckDB to make the same tables of them as zstd Parquet. Usage: duckdb.js SERVICE DIRECTORY */
import { DuckDBInstance } from '@duckdb/node-api';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Service } from '../emulator-process.js';
import { historyPages } from './service-pages.js';

const BLOCKS =
  '{"blocks":[{"type":"VARCHAR","content":"JSON","group_id":"VARCHAR","group_name":"VARCHAR","stage":"VARCHAR"}]}';
const KEY = 'user_id, session_id, job_id, 1 AS job_version';
const RUN = "'duckdb' AS run_id, now() AS exported_at";
const TEXTS = `array_to_string(list_transform(blocks, lambda b: b.content->>'$'), chr(10))`;

/** What each table is made of. */
const TABLES: Readonly<Record<string, string>> = {
  raw_jobs: `SELECT ${KEY}, record, ${RUN} FROM jobs`,
  jobs: `SELECT ${KEY}, job_index, ${TEXTS.replace('blocks', 'question.blocks')} AS question_text,
    ${TEXTS.replace('blocks', "list_filter(answer.blocks, lambda a: a.stage = 'Respond')")} AS answer_text,
    len(question.blocks) AS question_block_count, len(answer.blocks) AS answer_block_count, ${RUN} FROM jobs`,
  blocks: `SELECT ${KEY}, role, block_index, block.type AS type, block.stage AS stage, block.group_id AS group_id,
    block.group_name AS group_name,
    CASE json_type(block.content) WHEN 'VARCHAR' THEN block.content->>'$' END AS content_text,
    CASE json_type(block.content) WHEN 'VARCHAR' THEN NULL ELSE block.content END AS content_json,
    length(content_text) AS char_count, ${RUN} FROM blocks`,
  proposed_questions: `SELECT ${KEY}, block_index, unnest(from_json(block.content, '["VARCHAR"]')) AS question, ${RUN}
    FROM blocks WHERE block.type = 'QUESTIONS'`,
};

const [, , service = '', out = ''] = process.argv;
const lines = join(out, 'jobs.jsonl');
await pipeline(Readable.from(jobLines()), createWriteStream(lines));

const database = await DuckDBInstance.create(':memory:');
const connection = await database.connect();
await connection.run(`
  CREATE TABLE jobs AS SELECT user_id, session_id, job_index, record, record->>'job_id' AS job_id,
    from_json(record->'question', '${BLOCKS}') AS question, from_json(record->'answer', '${BLOCKS}') AS answer
    FROM read_json('${lines}', format = 'newline_delimited', columns = {user_id: 'VARCHAR', session_id: 'VARCHAR',
      job_index: 'INTEGER', record: 'JSON'});
  CREATE TABLE blocks AS SELECT user_id, session_id, job_id, 'question' AS role, unnest(question.blocks) AS block,
      generate_subscripts(question.blocks, 1) - 1 AS block_index FROM jobs
    UNION ALL SELECT user_id, session_id, job_id, 'answer', unnest(answer.blocks),
      generate_subscripts(answer.blocks, 1) - 1 FROM jobs`);
for (const [name, query] of Object.entries(TABLES)) {
  const path = join(out, `${name}.parquet`);
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`);
}
connection.closeSync();

async function* jobLines(): AsyncGenerator<string> {
  for await (const { user, session, jobs } of historyPages(JSON.parse(service) as Service)) {
    const key = { user_id: user, session_id: session.id };
    yield jobs
      .map((record, index) => `${JSON.stringify({ ...key, job_index: index, record })}\n`)
      .join('');
  }
}
