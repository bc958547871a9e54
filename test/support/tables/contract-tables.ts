/** The contract with users, written a second time on purpose: every table with its columns in order. */
const jobKey = 'user_id, session_id, job_id, job_version int32';
const end = 'run_id, exported_at ts';

/** A column is a name and its type; without one it is a string. */
export const CONTRACT: Readonly<Record<string, { readonly key: string; readonly rest: string }>> = {
  sessions: {
    key: 'user_id, session_id, session_version int32',
    rest: `name, output_language, job_mode, max_contextual_job_history int32, agent_id, job_count int32, is_complete bool, extra_json, created_at ts, created_at_source, created_after ts, created_before ts, ${end}`,
  },
  jobs: {
    key: jobKey,
    rest: `job_index int32, question_text, answer_text, is_settled bool, question_block_count int32, answer_block_count int32, analyze_block_count int32, respond_block_count int32, artifact_count int32, source_count int32, content_hash, created_at ts, created_at_source, created_after ts, created_before ts, ${end}`,
  },
  blocks: {
    key: `${jobKey}, role, block_index int32`,
    rest: `type, type_raw, stage, group_id, group_name, content_text, content_json, code_language, char_count int32, artifact_sha256, ${end}`,
  },
  groups: {
    key: `${jobKey}, group_index int32`,
    rest: `group_id, group_name, stage, first_block_index int32, last_block_index int32, block_count int32, ${end}`,
  },
  stages: {
    key: `${jobKey}, stage`,
    rest: `block_count int32, message_count int32, code_count int32, table_count int32, image_count int32, char_count int64, first_block_index int32, last_block_index int32, ${end}`,
  },
  sources: {
    key: `${jobKey}, block_index int32, source_index int32`,
    rest: `source, datasource_id, dataset_id, file_type, external_id, extra_json, source_entry_id, content, page_no int32, ${end}`,
  },
  questions: {
    key: `${jobKey}, block_index int32, question_index int32`,
    rest: `question, ${end}`,
  },
  artifacts: {
    key: `${jobKey}, role, block_index int32, file_index int32`,
    rest: `kind, name, url, expires_at ts, status, reason, suspicious, sha256, bytes int64, media_type, path, row_count int64, column_count int32, width int32, height int32, ${end}`,
  },
  raw_jobs: { key: jobKey, rest: `record, ${end}` },
  datasets: {
    key: 'dataset_id',
    rest: `name, description, summary, keywords, exploration_questions, synched_count int32, invalid_count int32, synching_count int32, extra_json, ${end}`,
  },
  deletions: {
    key: 'user_id, session_id',
    rest: `deleted_at ts, commit int64, job_count int32, outcome, ${end}`,
  },
};

/** The tables that every export fills: no option asks for them. */
export const EXPORTED_TABLES = Object.keys(CONTRACT).filter(
  (name) => name !== 'datasets' && name !== 'deletions',
);

const DUCKDB_NAMES: Readonly<Record<string, string>> = {
  string: 'VARCHAR',
  int32: 'INTEGER',
  int64: 'BIGINT',
  bool: 'BOOLEAN',
  ts: 'TIMESTAMP WITH TIME ZONE',
};

/** Names and DuckDB's types, in order. */
export function contractColumns(table: string): (readonly [string, string])[] {
  const { key = '', rest = '' } = CONTRACT[table] ?? {};
  return `${key}, ${rest}`.split(', ').map((column) => {
    const [name = '', type = 'string'] = column.split(' ');
    return [name, DUCKDB_NAMES[type] ?? type];
  });
}

export function contractKey(table: string): string {
  return (CONTRACT[table]?.key ?? '').replaceAll(/ int32/g, '');
}
