/**
 * All tables of an archive: a contract with users. A changed name, type or order needs a new format version; an
 * added column does not.
 */
import { defineTable, type TableSchema, type Column } from './table-schema.js';

const jobKey = {
  user_id: 'string',
  session_id: 'string',
  job_id: 'string',
  job_version: 'int32',
} as const;
const provenance = { run_id: 'string', exported_at: 'ts' } as const;

export const sessionsTable = defineTable('sessions', {
  key: { user_id: 'string', session_id: 'string', session_version: 'int32' },
  rest: {
    name: 'string',
    output_language: 'string',
    job_mode: 'string',
    max_contextual_job_history: 'int32',
    agent_id: 'string',
    job_count: 'int32',
    is_complete: 'bool',
    extra_json: 'string',
    created_at: 'ts',
    created_at_source: 'string',
    created_after: 'ts',
    created_before: 'ts',
    ...provenance,
  },
  added: [['created_after', 'created_before']],
});

export const jobsTable = defineTable('jobs', {
  key: jobKey,
  rest: {
    job_index: 'int32',
    question_text: 'string',
    answer_text: 'string',
    is_settled: 'bool',
    question_block_count: 'int32',
    answer_block_count: 'int32',
    analyze_block_count: 'int32',
    respond_block_count: 'int32',
    artifact_count: 'int32',
    source_count: 'int32',
    content_hash: 'string',
    created_at: 'ts',
    created_at_source: 'string',
    created_after: 'ts',
    created_before: 'ts',
    ...provenance,
  },
  added: [['created_after', 'created_before']],
});

export const blocksTable = defineTable('blocks', {
  key: { ...jobKey, role: 'string', block_index: 'int32' },
  rest: {
    type: 'string',
    type_raw: 'string',
    stage: 'string',
    group_id: 'string',
    group_name: 'string',
    content_text: 'string',
    content_json: 'string',
    code_language: 'string',
    char_count: 'int32',
    artifact_sha256: 'string',
    ...provenance,
  },
});

export const groupsTable = defineTable('groups', {
  key: { ...jobKey, group_index: 'int32' },
  rest: {
    group_id: 'string',
    group_name: 'string',
    stage: 'string',
    first_block_index: 'int32',
    last_block_index: 'int32',
    block_count: 'int32',
    ...provenance,
  },
});

export const stagesTable = defineTable('stages', {
  key: { ...jobKey, stage: 'string' },
  rest: {
    block_count: 'int32',
    message_count: 'int32',
    code_count: 'int32',
    table_count: 'int32',
    image_count: 'int32',
    char_count: 'int64',
    first_block_index: 'int32',
    last_block_index: 'int32',
    ...provenance,
  },
});

export const sourcesTable = defineTable('sources', {
  key: { ...jobKey, block_index: 'int32', source_index: 'int32' },
  rest: {
    source: 'string',
    datasource_id: 'string',
    dataset_id: 'string',
    file_type: 'string',
    external_id: 'string',
    extra_json: 'string',
    source_entry_id: 'string',
    content: 'string',
    page_no: 'int32',
    ...provenance,
  },
  added: [['source_entry_id', 'content', 'page_no']],
});

export const questionsTable = defineTable('questions', {
  key: { ...jobKey, block_index: 'int32', question_index: 'int32' },
  rest: { question: 'string', ...provenance },
});

export const artifactsTable = defineTable('artifacts', {
  key: { ...jobKey, role: 'string', block_index: 'int32', file_index: 'int32' },
  rest: {
    kind: 'string',
    name: 'string',
    url: 'string',
    expires_at: 'ts',
    status: 'string',
    reason: 'string',
    suspicious: 'string',
    sha256: 'string',
    bytes: 'int64',
    media_type: 'string',
    path: 'string',
    row_count: 'int64',
    column_count: 'int32',
    width: 'int32',
    height: 'int32',
    ...provenance,
  },
});

export const rawJobsTable = defineTable('raw_jobs', {
  key: jobKey,
  rest: { record: 'string', ...provenance },
});

export const datasetsTable = defineTable('datasets', {
  key: { dataset_id: 'string' },
  rest: {
    name: 'string',
    description: 'string',
    summary: 'string',
    keywords: 'string',
    exploration_questions: 'string',
    synched_count: 'int32',
    invalid_count: 'int32',
    synching_count: 'int32',
    extra_json: 'string',
    ...provenance,
  },
});

export const deletionsTable = defineTable('deletions', {
  key: { user_id: 'string', session_id: 'string' },
  rest: { deleted_at: 'ts', commit: 'int64', job_count: 'int32', outcome: 'string', ...provenance },
});

/** In the order of a workbook's sheets. */
export const TABLES: readonly TableSchema[] = [
  sessionsTable,
  jobsTable,
  blocksTable,
  groupsTable,
  stagesTable,
  sourcesTable,
  questionsTable,
  artifactsTable,
  rawJobsTable,
  datasetsTable,
  deletionsTable,
];

export const TABLE_NAMES = TABLES.map((table) => table.name);

export function tableNamed(name: string): TableSchema | undefined {
  return TABLES.find((table) => table.name === name);
}

/** Short descriptions of tables and columns, for the comments in a data warehouse. */

const TABLE_MEANINGS: Readonly<Record<string, string>> = {
  sessions: 'Conversations; one row per version',
  jobs: 'Questions and their answers; one row per version',
  blocks: 'The parts of questions and answers: texts, code, tables, images',
  groups: 'Steps of an answer that belong together',
  stages: 'The blocks of each stage of an answer, counted',
  sources: 'The data that an answer is based on',
  questions: 'Follow-up questions that the assistant proposed',
  artifacts: 'The files that questions and answers point to, with the status of each',
  raw_jobs: 'The record of each job as the service sent it',
  datasets: 'The datasets that a user sees; with export --with-datasets',
  deletions: 'Sessions deleted from the service after they were archived',
};

const SHARED: Readonly<Record<string, string>> = {
  user_id:
    'The user, as the export asked for it: the service may take another spelling for the same',
  session_id: 'The conversation',
  session_version: 'From 1; increases each time the session is written again',
  job_id: 'The question with its answer',
  job_version: 'From 1; increases each time the job has changed',
  name: 'The name in the service',
  output_language: 'The language of answers: EN, DE, ...',
  job_mode: 'How answers are made: AUTO, ...',
  max_contextual_job_history: 'How many earlier jobs an answer takes into account',
  agent_id: 'The agent that answers',
  job_count: 'Number of archived jobs',
  is_complete: 'Whether all of its jobs are archived',
  extra_json: 'Fields of the record beyond these columns, as JSON',
  created_at: 'Creation time in the id; null if the id contains no time',
  created_at_source: 'The kind of that id: cuid, uuid7 or ulid',
  created_after:
    'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written',
  created_before:
    'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written',
  run_id: 'The export that wrote the row',
  exported_at: 'When that export began',
  job_index: 'From 0: oldest first if the ids contain times, else in the order of the service',
  question_text: 'The question',
  answer_text: 'The messages of the stage Respond, separated by blank lines',
  is_settled: 'Whether the answer will not change any more',
  question_block_count: 'Blocks of the question',
  answer_block_count: 'Blocks of the answer',
  analyze_block_count: 'Blocks of the stage Analyze',
  respond_block_count: 'Blocks of the stage Respond',
  artifact_count: 'Files that it points to',
  source_count: 'Number of sources',
  content_hash: 'Hash of the content, without the parts that change with every read',
  role: 'question or answer; record for a file outside of both',
  block_index: 'Position among the blocks, from 0',
  file_index: 'Position among the files of the block, from 0',
  type: 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...',
  type_raw: 'The type as the service spelt it',
  stage: 'Analyze or Respond',
  group_id: 'The step that it belongs to; null without a step',
  group_name: 'The name of the step',
  content_text: 'The text of a message or of code',
  content_json: 'The content of every other block, as JSON',
  code_language: 'The language of code',
  char_count: 'Characters of text',
  artifact_sha256: 'SHA-256 of the stored file; of the first one if there are several',
  group_index: 'Position among the groups, from 0',
  first_block_index: 'Index of its first block',
  last_block_index: 'Index of its last block',
  block_count: 'Number of blocks',
  message_count: 'Number of messages',
  code_count: 'Number of pieces of code',
  table_count: 'Number of tables',
  image_count: 'Number of images',
  source_index: 'Position in the block, from 0',
  source: 'The name of the source',
  datasource_id: 'The data source',
  dataset_id: 'The dataset',
  file_type: 'The type of its file',
  external_id: 'Its id in another system',
  source_entry_id: 'The id of the cited passage in the service; null where it sends none',
  content: 'The cited passage; null where the service sends none',
  page_no: 'The page of the passage; null where the service sends none',
  question_index: 'Position in the block, from 0',
  question: 'The proposed question',
  kind: 'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE',
  url: 'The URL that it was fetched from, without signature',
  expires_at: 'When that URL expired',
  status: 'stored, expired, missing, rejected, unresolved, failed or not_fetched',
  reason: 'Why the file is not stored',
  suspicious: 'Why the content of a stored file is doubtful',
  sha256: 'SHA-256 of the stored file',
  bytes: 'Size of the file',
  media_type: 'Media type of the file',
  path: 'Path in the archive',
  row_count: 'Rows of a table',
  column_count: 'Columns of a table',
  width: 'Of an image, in pixels',
  height: 'Of an image, in pixels',
  record: 'The record as JSON, verbatim',
  description: 'The description in the service',
  summary: 'The summary in the service',
  keywords: 'A JSON array',
  exploration_questions: 'A JSON array',
  synched_count: 'Data sources that are ready to use',
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
  if (meaning === undefined) throw new Error(`the column ${name} has no meaning`);
  return meaning;
}
