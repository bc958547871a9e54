/** What tables and columns mean, in a few words: for the comments of a warehouse. */
import type { Column, TableSchema } from './table-schema.js';

const TABLE_MEANINGS: Readonly<Record<string, string>> = {
  sessions: 'Conversations; one row per version',
  jobs: 'Questions and their answers; one row per version',
  blocks: 'What questions and answers are made of: texts, code, tables, images',
  groups: 'Steps of an answer that belong together',
  stages: 'The blocks of each stage of an answer, counted',
  sources: 'The data that an answer rests on',
  questions: 'Questions that the assistant proposed next',
  artifacts: 'The files that questions and answers point to, and what became of each',
  raw_jobs: 'The record of each job as the service sent it',
  datasets: 'The datasets that a user sees; with export --with-datasets',
  deletions: 'Sessions deleted from the service after they were archived',
};

const SHARED: Readonly<Record<string, string>> = {
  user_id: 'Whose it is',
  session_id: 'The conversation',
  session_version: 'From 1; grows whenever the session is written again',
  job_id: 'The question with its answer',
  job_version: 'From 1; grows whenever the job has changed',
  name: 'As the service has it',
  output_language: 'The language of answers: EN, DE, ...',
  job_mode: 'How answers are made: AUTO, ...',
  max_contextual_job_history: 'How many earlier jobs an answer takes into account',
  agent_id: 'The agent that answers',
  job_count: 'How many jobs of it are archived',
  is_complete: 'Whether all of its jobs are archived',
  extra_json: 'Fields of the record beyond these columns, as JSON',
  created_at: 'Inferred from an id that holds a time; null where none does',
  created_at_source: 'The kind of that id: cuid, uuid7 or ulid',
  created_after:
    'Not made before: created_at, else the time of the job before it, as known when the row was written',
  created_before:
    'Not made after: created_at, else the time of the job after it, as known when the row was written',
  run_id: 'The export that wrote the row',
  exported_at: 'When that export began',
  job_index:
    'From 0: counts from the oldest where the ids tell times, else in the order of the service',
  question_text: 'The question',
  answer_text: 'The messages of the stage Respond, a blank line between',
  is_settled: 'Whether the answer is known to change no more',
  question_block_count: 'Blocks of the question',
  answer_block_count: 'Blocks of the answer',
  analyze_block_count: 'Blocks of the stage Analyze',
  respond_block_count: 'Blocks of the stage Respond',
  artifact_count: 'Files that it points to',
  source_count: 'Sources named',
  content_hash: 'Of the content, without what changes with every read',
  role: 'question or answer; record for a file outside of both',
  block_index: 'Place among the blocks, from 0',
  file_index: 'Place among the files of the block, from 0',
  type: 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...',
  type_raw: 'The type as the service spelt it',
  stage: 'Analyze or Respond',
  group_id: 'The step that it belongs to; null for none',
  group_name: 'The name of the step',
  content_text: 'The text of a message or of code',
  content_json: 'The content of every other block, as JSON',
  code_language: 'The language of code',
  char_count: 'Characters of text',
  artifact_sha256: 'SHA-256 of the stored file; of several, the first',
  group_index: 'Place among the groups, from 0',
  first_block_index: 'The first of its blocks',
  last_block_index: 'The last of its blocks',
  block_count: 'How many blocks',
  message_count: 'How many messages',
  code_count: 'How many pieces of code',
  table_count: 'How many tables',
  image_count: 'How many images',
  source_index: 'Place in the block, from 0',
  source: 'The name of the source',
  datasource_id: 'The data source',
  dataset_id: 'The dataset',
  file_type: 'The type of its file',
  external_id: 'Its id elsewhere',
  question_index: 'Place in the block, from 0',
  question: 'The proposed question',
  kind: 'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE',
  url: 'Where it was fetched, without signature',
  expires_at: 'When that address died',
  status: 'stored, expired, missing, rejected, unresolved, failed or not_fetched',
  reason: 'Why it is not stored',
  suspicious: 'Why the content of a stored file is doubtful',
  sha256: 'SHA-256 of the stored file',
  bytes: 'Its size',
  media_type: 'Its type',
  path: 'Where the archive keeps it',
  row_count: 'Rows of a table',
  column_count: 'Columns of a table',
  width: 'Of an image, in pixels',
  height: 'Of an image, in pixels',
  record: 'The record as JSON, verbatim',
  description: 'As the service has it',
  summary: 'As the service has it',
  keywords: 'A JSON array',
  exploration_questions: 'A JSON array',
  synched_count: 'Data sources that are ready',
  invalid_count: 'Data sources that are not usable',
  synching_count: 'Data sources that are being read',
  deleted_at: 'When the deletion was recorded',
  commit: 'The commit in which the session is archived',
  outcome: 'confirmed, confirmed-later or already-gone',
};

export function meaningOfTable({ name }: TableSchema): string {
  return found(TABLE_MEANINGS, name);
}

export function meaningOfColumn({ name }: Column): string {
  return found(SHARED, name);
}

function found(meanings: Readonly<Record<string, string>>, name: string): string {
  const meaning = meanings[name];
  if (meaning === undefined) throw new Error(`the column ${name} has no meaning in meanings.ts`);
  return meaning;
}
