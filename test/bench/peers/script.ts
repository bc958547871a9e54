/** What somebody writes in an afternoon: every page into the same tables, with parquetjs-lite. Usage: script.js SERVICE DIRECTORY */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as ParquetJs from 'parquetjs-lite';
import { tableNamed } from '../../../src/model/tables.js';
import type { Service } from '../emulator-process.js';
import { historyPages, type Block, type Job } from './service-pages.js';

const TYPES = {
  string: 'UTF8',
  int32: 'INT32',
  int64: 'INT64',
  bool: 'BOOLEAN',
  ts: 'TIMESTAMP_MICROS',
} as const;
const TABLES = ['sessions', 'jobs', 'blocks', 'proposed_questions', 'raw_jobs'];

/** CommonJS without names that an import could see. */
const { ParquetSchema, ParquetWriter } = createRequire(import.meta.url)(
  'parquetjs-lite',
) as typeof ParquetJs;

type Cells = Readonly<Record<string, unknown>>;

const [, , service = '', out = ''] = process.argv;
const run = { run_id: 'script', exported_at: Date.now() * 1000 };
const writers = new Map<string, ParquetJs.ParquetWriter>();
for (const name of TABLES) {
  const columns = (tableNamed(name)?.columns ?? []).map((column) => [
    column.name,
    { type: TYPES[column.type], optional: true, compression: 'SNAPPY' },
  ]);
  const schema = new ParquetSchema(Object.fromEntries(columns) as object);
  writers.set(name, await ParquetWriter.openFile(schema, join(out, `${name}.parquet`)));
}

const sessions = new Set<string>();
for await (const { user, session, jobs } of historyPages(JSON.parse(service) as Service)) {
  const key = { user_id: user, session_id: session.id };
  if (!sessions.has(session.id)) await write('sessions', { ...key, name: session.name });
  sessions.add(session.id);
  for (const [index, job] of jobs.entries()) {
    await writeJob({ ...key, job_id: job.job_id, job_version: 1 }, job, index);
  }
}
for (const writer of writers.values()) await writer.close();

/** Of an optional column the writer wants no null. */
async function write(table: string, row: Cells): Promise<void> {
  const cells = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  await writers.get(table)?.appendRow({ ...Object.fromEntries(cells), ...run });
}

async function writeJob(key: Cells, job: Job, index: number): Promise<void> {
  const question = job.question.blocks;
  const answer = job.answer.blocks;
  await write('raw_jobs', { ...key, record: JSON.stringify(job) });
  await write('jobs', {
    ...key,
    job_index: index,
    question_text: textOf(question),
    answer_text: textOf(answer.filter(({ stage }) => stage === 'Respond')),
    question_block_count: question.length,
    answer_block_count: answer.length,
  });
  for (const [at, block] of question.entries()) {
    await writeBlock({ ...key, role: 'question', block_index: at }, block);
  }
  for (const [at, block] of answer.entries()) {
    await writeBlock({ ...key, role: 'answer', block_index: at }, block);
  }
}

function textOf(blocks: readonly Block[]): string {
  return blocks.flatMap(({ content }) => (typeof content === 'string' ? [content] : [])).join('\n');
}

async function writeBlock(key: Cells, block: Block): Promise<void> {
  const { type, content, stage, group_id, group_name } = block;
  const isText = typeof content === 'string';
  await write('blocks', {
    ...key,
    type,
    stage,
    group_id: group_id === undefined ? null : String(group_id),
    group_name,
    content_text: isText ? content : null,
    content_json: isText ? null : JSON.stringify(content),
    char_count: isText ? content.length : null,
  });
  if (type !== 'QUESTIONS' || !Array.isArray(content)) return;
  for (const [index, question] of content.entries()) {
    await write('proposed_questions', {
      ...key,
      question_index: index,
      question: String(question),
    });
  }
}
