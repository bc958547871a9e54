/**
 * All tables of an archive with all that is to be said of a column: its type, its meaning, what becomes of it in a
 * pseudonymised copy, whether it is JSON, and the field that it is filled from. A contract with users: a changed name,
 * type or order needs a new format number, and so does an added column, which is named in `added` as well.
 */
import {
  defineTable,
  type ColumnClass,
  type ColumnFacts,
  type ColumnType,
  type TableSchema,
} from './table-schema.js';

type Options = Partial<Omit<ColumnFacts, 'type' | 'copied' | 'meaning'>>;
type Facts = Readonly<Record<string, ColumnFacts>>;

/** Each makes a column. @param meaning has no quotes: it goes into the SQL of warehouses */
const [string, int32, int64, bool, ts] = [
  columnOf('string'),
  columnOf('int32'),
  columnOf('int64'),
  columnOf('bool'),
  columnOf('ts'),
];

function columnOf<T extends ColumnType>(type: T) {
  return <const O extends Options = object>(copied: ColumnClass, meaning: string, options?: O) =>
    ({ type, copied, meaning, ...options }) as ColumnFacts & { readonly type: T } & O;
}

/** Unlike `defineTable`, wants all facts of every column. */
function archiveTable<const Key extends Facts, const Rest extends Facts>(
  name: string,
  meaning: string,
  shape: Parameters<typeof defineTable<Key, Rest>>[1],
): ReturnType<typeof defineTable<Key, Rest>> {
  return defineTable(name, { ...shape, meaning });
}

const sessionKey = {
  user_id: string(
    'key',
    'The user, as the export asked for it: the service may take another spelling for the same',
  ),
  session_id: string('key', 'The conversation'),
};
const jobKey = {
  ...sessionKey,
  job_id: string('key', 'The question with its answer'),
  job_version: int32(
    'keep',
    'From 1; increases each time the job is written again: it has changed, or only its files have (a doubt that came or ended, a lost file that is stored now); only a change gives another content_hash in jobs',
  ),
};
const times = {
  created_at: ts('keep', 'Creation time in the id; null if the id contains no time'),
  created_at_source: string('keep', 'The kind of that id: cuid, uuid7 or ulid'),
  created_after: ts(
    'keep',
    'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written; in a copy both bounds are those of v_questions of its archive',
  ),
  created_before: ts(
    'keep',
    'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written. The views v_* go by v_questions, which has the jobs beside it as they are now',
  ),
};
const provenance = {
  run_id: string('run', 'The export that wrote the row'),
  exported_at: ts(
    'day',
    'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)',
  ),
};
/** Columns of several tables. */
const shared = {
  job_count: int32('keep', 'Number of archived jobs'),
  extra_json: string('drop', 'Fields of the record beyond these columns, as JSON', {
    isJson: true,
  }),
  role: string('keep', 'question or answer; record for a file outside of both'),
  block_index: int32('keep', 'Position among the blocks, from 0'),
  search_version: int32('drop', 'The version of the folding of search_text'),
};

export const sessionsTable = archiveTable('sessions', 'Conversations; one row per version', {
  key: {
    user_id: sessionKey.user_id,
    session_id: string('key', 'The conversation', { field: 'id' }),
    session_version: int32('keep', 'From 1; increases each time the session is written again'),
  },
  rest: {
    name: string('drop', 'The name in the service', { field: true }),
    output_language: string('word', 'The language of answers: EN, DE, ...', { field: true }),
    job_mode: string('word', 'How answers are made: AUTO, ...', { field: true }),
    max_contextual_job_history: int32(
      'keep',
      'How many earlier jobs an answer takes into account',
      { field: true },
    ),
    agent_id: string('word', 'The agent that answers', { field: true }),
    job_count: shared.job_count,
    is_complete: bool(
      'keep',
      'Whether its history was read to its end when the row was written; lost files (table artifacts, view v_lost_files) and later runs do not count: jobvault status --user has the state of each session now',
    ),
    extra_json: shared.extra_json,
    ...times,
    ...provenance,
  },
});

export const jobsTable = archiveTable('jobs', 'Questions and their answers; one row per version', {
  key: jobKey,
  rest: {
    job_index: int32(
      'keep',
      'Its place when it was first archived, from 0, which never changes: from the oldest where times in ids showed the order, else as the service listed it; what came later is after all that were there. Sort by created_at, job_index, job_id',
    ),
    question_text: string('text', 'The question', { isMasked: true }),
    answer_text: string(
      'text',
      'The messages of the stage Respond, with captions of tables and images, separated by blank lines',
      { isMasked: true },
    ),
    is_settled: bool(
      'keep',
      'Whether the answer was not expected to change any more when the row was written; later runs settle an unchanged job in the log alone: jobvault status --user lists those that may still change',
    ),
    is_withdrawn: bool(
      'keep',
      'Whether the service shows the job in another session: this last version takes it out of this one, the views current_* leave it out, and all columns but the ids and times are null. An earlier answer of the service had it here',
    ),
    question_block_count: int32('keep', 'Blocks of the question'),
    answer_block_count: int32('keep', 'Blocks of the answer'),
    analyze_block_count: int32('keep', 'Blocks of the stage Analyze'),
    respond_block_count: int32('keep', 'Blocks of the stage Respond'),
    artifact_count: int32('keep', 'Files that it points to'),
    source_count: int32('keep', 'Number of sources'),
    content_hash: string(
      'key',
      'Hash of the content, without the parts that change with every read',
    ),
    ...times,
    ...provenance,
  },
});

export const blocksTable = archiveTable(
  'blocks',
  'The parts of questions and answers: texts, code, tables, images',
  {
    key: {
      ...jobKey,
      role: shared.role,
      block_index: shared.block_index,
    },
    rest: {
      type: string('word', 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...'),
      type_raw: string('word', 'The type as the service spelt it'),
      stage: string('word', 'Analyze or Respond; another stage as it was sent'),
      group_id: string('key', 'The step that it belongs to; null without a step'),
      group_name: string('text', 'The name of the step'),
      content_text: string(
        'text',
        'The text of a message or of code; of a block whose content is JSON the texts in it, separated by blank lines',
        { isMasked: true },
      ),
      content_json: string('drop', 'The content of a block that is not one text, as JSON', {
        isJson: true,
        isVerbatim: true,
      }),
      code_language: string('word', 'The language that the fence around all of the code names'),
      char_count: int32('keep', 'Characters of text'),
      artifact_sha256: string(
        'key',
        'SHA-256 of the stored file; of the first one if there are several',
        { digestOf: 'sha256' },
      ),
      search_text: string(
        'drop',
        'What people read of the block, as jobvault search compares it: words in small letters without accents and marks, a blank before and after each',
        { isMasked: true },
      ),
      search_version: shared.search_version,
      ...provenance,
    },
  },
);

export const sourcesTable = archiveTable('sources', 'The data that an answer is based on', {
  key: {
    ...jobKey,
    block_index: shared.block_index,
    source_index: int32('keep', 'Position in the block, from 0'),
  },
  rest: {
    source: string('text', 'The name of the source', { field: true }),
    datasource_id: string('key', 'The data source', { field: true }),
    dataset_id: string('key', 'The dataset', { field: true }),
    file_type: string('word', 'The type of its file', { field: true }),
    external_id: string('key', 'Its id in another system', { field: true }),
    extra_json: shared.extra_json,
    source_entry_id: string(
      'key',
      'The id of the cited passage in the service; null where it sends none',
      { field: 'id' },
    ),
    content: string('text', 'The cited passage; null where the service sends none', {
      field: true,
    }),
    page_no: int32('keep', 'The page of the passage; null where the service sends none', {
      field: true,
    }),
    ...provenance,
  },
});

export const proposedQuestionsTable = archiveTable(
  'proposed_questions',
  'Follow-up questions that the assistant proposed',
  {
    key: {
      ...jobKey,
      block_index: shared.block_index,
      question_index: int32('keep', 'Position in the block, from 0'),
    },
    rest: {
      question: string('text', 'The proposed question'),
      ...provenance,
    },
  },
);

/** The bytes of a table's file whose text is in `artifacts.table_text`. */
export const MAX_TABLE_TEXT_BYTES = 16 * 1024;

/** What searches compare, and the version of the folding that made it. In no view `current_*`. */
export const FOLDED_COLUMNS: readonly string[] = ['search_text', 'search_version'];

/** Columns for searches in SQL. What shows rows to people has no use for them. */
export const SEARCH_COLUMNS: readonly string[] = ['table_text', ...FOLDED_COLUMNS];

export const artifactsTable = archiveTable(
  'artifacts',
  'The files that questions and answers point to, with the status of each',
  {
    key: {
      ...jobKey,
      role: shared.role,
      block_index: shared.block_index,
      file_index: int32('keep', 'Position among the files of the block, from 0'),
    },
    rest: {
      kind: string(
        'word',
        'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE',
      ),
      name: string(
        'text',
        'The name in the service; of a URL without a name that of Content-Disposition, else the end of its path',
      ),
      url: string('drop', 'The URL that it was fetched from, without signature'),
      expires_at: ts('drop', 'When that URL expired'),
      status: string(
        'keep',
        'stored, expired, forbidden, missing, rejected, unresolved, failed or not_fetched',
      ),
      reason: string(
        'mark',
        'Why the file was not stored when the row was written; gap list has the newest reason',
      ),
      suspicious: string('mark', 'Why the content of a stored file is doubtful'),
      sha256: string('key', 'SHA-256 of the stored file'),
      bytes: int64('keep', 'Size of the file'),
      media_type: string('word', 'Media type of the file'),
      path: string('drop', 'Path in the archive'),
      row_count: int64('keep', 'Rows of a table'),
      column_count: int32('keep', 'Columns of a table: the cells of its widest row'),
      encoding: string(
        'keep',
        'Encoding of a table: utf-8, windows-1252, shift_jis, ...; unknown where nothing tells it: then it is not searched',
      ),
      separator: string('keep', 'The character between the cells of a table'),
      heading_line: int32(
        'keep',
        'The line with the names of the columns of a table, from 1; titles and comments are above it',
      ),
      width: int32('keep', 'Of an image, in pixels'),
      height: int32('keep', 'Of an image, in pixels'),
      table_text: string(
        'drop',
        'The rows in the first 16 KB of a table: cells set apart by tabs; for searches; null where the encoding is unknown',
        { isMasked: true },
      ),
      search_text: string('drop', 'The words of table_text, as jobvault search compares them', {
        isMasked: true,
      }),
      search_version: shared.search_version,
      ...provenance,
    },
  },
);

export const rawJobsTable = archiveTable(
  'raw_jobs',
  'The record of each job as the service sent it',
  {
    key: jobKey,
    rest: {
      record: string('drop', 'The record as JSON, verbatim', { isJson: true, isVerbatim: true }),
      ...provenance,
    },
    isConfidential: true,
  },
);

export const datasetsTable = archiveTable(
  'datasets',
  'The datasets that a user sees; with export --with-datasets',
  {
    key: {
      dataset_id: string('key', 'The dataset', { field: 'id', answers: ['listed', 'overview'] }),
    },
    rest: {
      name: string('text', 'The name in the service', {
        field: true,
        answers: ['listed', 'overview'],
      }),
      description: string('text', 'The description in the service', {
        field: true,
        answers: ['listed', 'overview'],
      }),
      summary: string('text', 'The summary in the service', { field: true, answers: ['overview'] }),
      keywords: string('text', 'A JSON array', {
        isJson: true,
        field: true,
        answers: ['overview'],
      }),
      exploration_questions: string('text', 'A JSON array', {
        isJson: true,
        field: true,
        answers: ['overview'],
      }),
      synched_count: int32('keep', 'Data sources that are ready to use', {
        field: true,
        answers: ['status'],
      }),
      invalid_count: int32('keep', 'Data sources that are not usable', {
        field: true,
        answers: ['status'],
      }),
      synching_count: int32('keep', 'Data sources that are being read', {
        field: true,
        answers: ['status'],
      }),
      extra_json: shared.extra_json,
      ...provenance,
    },
  },
);

export const deletionsTable = archiveTable(
  'deletions',
  'Sessions deleted from the service after they were archived',
  {
    key: sessionKey,
    rest: {
      deleted_at: ts(
        'keep',
        'When the deletion was recorded; of a session that two spellings of a user list, in a row of each',
      ),
      commit: int64('keep', 'The commit in which the session is archived'),
      job_count: shared.job_count,
      outcome: string('keep', 'confirmed, confirmed-later or already-gone'),
      ...provenance,
    },
    isConfidential: true,
  },
);

/** In the order of a workbook's sheets. */
export const TABLES: readonly TableSchema[] = [
  sessionsTable,
  jobsTable,
  blocksTable,
  sourcesTable,
  proposedQuestionsTable,
  artifactsTable,
  rawJobsTable,
  datasetsTable,
  deletionsTable,
];

export const TABLE_NAMES = TABLES.map((table) => table.name);

/** The tables with folded words. */
export const FOLDED_TABLES: readonly string[] = TABLES.filter(({ columns }) =>
  columns.some(({ name }) => FOLDED_COLUMNS.includes(name)),
).map((table) => table.name);

export function tableNamed(name: string): TableSchema | undefined {
  return TABLES.find((table) => table.name === name);
}
