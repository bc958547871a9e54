/**
 * All tables of an archive: a contract with users. A changed name, type or order needs a new format version; an
 * added column does not.
 */
import { defineTable, type TableSchema } from './table-schema.js';

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
