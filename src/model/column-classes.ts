/**
 * What becomes of each column in a pseudonymised copy. Every column must have a class: one that is added to a table
 * and not here fails a test, and is dropped.
 */

/**
 * - `keep`: as it is: numbers, times, and words that jobvault itself chooses
 * - `word`: kept where it is one of the service's known words; otherwise keyed in a key, and dropped elsewhere
 * - `key`: a keyed digest: ids and hashes
 * - `text`: what people or the assistant wrote; dropped unless the caller keeps texts
 * - `drop`: always dropped
 * - `run`: the run that makes the copy, and when: when the original was exported tells in which order, which may be
 *   that of a list of names
 */
export type ColumnClass = 'keep' | 'word' | 'key' | 'text' | 'drop' | 'run';

type Classes = Readonly<Record<string, ColumnClass>>;

const OF_SESSION: Classes = { user_id: 'key', session_id: 'key' };
const OF_JOB: Classes = { ...OF_SESSION, job_id: 'key', job_version: 'keep' };
const PROVENANCE: Classes = { run_id: 'run', exported_at: 'run' };
const TIMES: Classes = {
  created_at: 'keep',
  created_at_source: 'keep',
  created_after: 'keep',
  created_before: 'keep',
};

/** By table. The tables that are absent are left out of the copy as a whole. */
export const COLUMN_CLASSES: Readonly<Record<string, Classes>> = {
  sessions: {
    ...OF_SESSION,
    session_version: 'keep',
    name: 'drop',
    output_language: 'word',
    job_mode: 'word',
    max_contextual_job_history: 'keep',
    agent_id: 'word',
    job_count: 'keep',
    is_complete: 'keep',
    extra_json: 'drop',
    ...TIMES,
    ...PROVENANCE,
  },
  jobs: {
    ...OF_JOB,
    job_index: 'keep',
    question_text: 'text',
    answer_text: 'text',
    is_settled: 'keep',
    question_block_count: 'keep',
    answer_block_count: 'keep',
    analyze_block_count: 'keep',
    respond_block_count: 'keep',
    artifact_count: 'keep',
    source_count: 'keep',
    content_hash: 'key',
    ...TIMES,
    ...PROVENANCE,
  },
  blocks: {
    ...OF_JOB,
    role: 'keep',
    block_index: 'keep',
    type: 'word',
    type_raw: 'word',
    stage: 'word',
    group_id: 'key',
    group_name: 'text',
    content_text: 'text',
    content_json: 'drop',
    code_language: 'word',
    char_count: 'keep',
    artifact_sha256: 'key',
    ...PROVENANCE,
  },
  groups: {
    ...OF_JOB,
    group_index: 'keep',
    group_id: 'key',
    group_name: 'text',
    stage: 'word',
    first_block_index: 'keep',
    last_block_index: 'keep',
    block_count: 'keep',
    ...PROVENANCE,
  },
  stages: {
    ...OF_JOB,
    stage: 'word',
    block_count: 'keep',
    message_count: 'keep',
    code_count: 'keep',
    table_count: 'keep',
    image_count: 'keep',
    char_count: 'keep',
    first_block_index: 'keep',
    last_block_index: 'keep',
    ...PROVENANCE,
  },
  sources: {
    ...OF_JOB,
    block_index: 'keep',
    source_index: 'keep',
    source: 'text',
    datasource_id: 'key',
    dataset_id: 'key',
    file_type: 'word',
    external_id: 'key',
    extra_json: 'drop',
    source_entry_id: 'key',
    content: 'text',
    page_no: 'keep',
    ...PROVENANCE,
  },
  questions: {
    ...OF_JOB,
    block_index: 'keep',
    question_index: 'keep',
    question: 'text',
    ...PROVENANCE,
  },
  artifacts: {
    ...OF_JOB,
    role: 'keep',
    block_index: 'keep',
    file_index: 'keep',
    kind: 'word',
    name: 'text',
    url: 'drop',
    expires_at: 'drop', // minutes after the export: see `run`
    status: 'keep',
    reason: 'drop',
    suspicious: 'drop',
    sha256: 'key',
    bytes: 'keep',
    media_type: 'word',
    path: 'drop',
    row_count: 'keep',
    column_count: 'keep',
    width: 'keep',
    height: 'keep',
    ...PROVENANCE,
  },
  datasets: {
    dataset_id: 'key',
    name: 'text',
    description: 'text',
    summary: 'text',
    keywords: 'text',
    exploration_questions: 'text',
    synched_count: 'keep',
    invalid_count: 'keep',
    synching_count: 'keep',
    extra_json: 'drop',
    ...PROVENANCE,
  },
};

/** Left out as a whole: what the service sent, and what was deleted from it. */
export const LEFT_OUT_TABLES: readonly string[] = ['raw_jobs', 'deletions'];

/** Columns that hold ids of the same thing: then the same id has the same digest in both. */
const SAME_AS: Readonly<Record<string, string>> = { artifact_sha256: 'sha256' };

/** What the digest of a column is of: digests of one kind are equal where the values are. */
export function kindOfColumn(column: string): string {
  return SAME_AS[column] ?? column;
}

const WORDS: ReadonlySet<string> = new Set([
  // types of blocks, kinds of files
  ...[
    'message',
    'code',
    'table',
    'image',
    'source',
    'sources',
    'questions',
    'chart',
    'file',
    'more',
  ],
  ...['analyze', 'respond'], // stages
  ...['auto', 'data_analytics', 'data_analysis_agent'],
  ...['en', 'es', 'ar', 'pt', 'id', 'ja', 'ru', 'hi', 'fr', 'de', 'vi', 'tr', 'pl', 'it', 'ko'],
  ...['zh-cn', 'zh-tw'],
  ...['sql', 'python', 'r', 'javascript', 'typescript', 'json', 'bash', 'shell', 'html', 'css'],
  ...['java', 'yaml', 'xml', 'text', 'plaintext', 'markdown'],
  ...['pdf', 'csv', 'tsv', 'txt', 'md', 'xls', 'xlsx', 'doc', 'docx', 'ppt', 'pptx', 'parquet'],
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'svg'],
  ...['text/csv', 'text/plain', 'text/html', 'application/json', 'application/pdf'],
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'],
  ...['application/octet-stream', 'application/gzip', 'application/zip'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]);

/** Whether it is a word that tells nothing of a person: of a fixed list, since a record may say anything. */
export function isKnownWord(word: string): boolean {
  return WORDS.has(word.toLowerCase());
}
