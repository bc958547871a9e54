/** The rows of a pack, each with its part file and commit. Records are set aside by themselves, so that memory holds none of them. */
import { IntegrityError } from '../archive/archive-errors.js';
import { sha256Hex } from '../base/digest.js';
import { present } from '../base/error.js';
import { beginningOf, SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import { Conversations } from '../making/conversations.js';
import type { Survey, SurveyedSession } from '../making/survey.js';
import { presentableRow, textIn, textOrEmpty } from '../model/mask-secrets.js';
import { RESPOND } from '../model/blocks/stages.js';
import type { Column, ColumnType, Row, TableSchema } from '../model/table-schema.js';
import {
  artifactsTable,
  blocksTable,
  jobsTable,
  proposedQuestionsTable,
  rawJobsTable,
  sessionsTable,
  sourcesTable,
  tableNamed,
} from '../model/tables.js';
import { StagedText } from '../storage/staged-text.js';
import type { StagedObject, Storage } from '../storage/storage.js';
import { isCode } from './row-cells.js';

const TABLES = [sessionsTable, jobsTable, artifactsTable, sourcesTable, proposedQuestionsTable];

/** Columns of blocks that say nothing of code or of a step. */
const NOT_OF_CODE = [
  'type_raw',
  'group_id',
  'content_json',
  'char_count',
  'artifact_sha256',
  'run_id',
];

/** A transcript is for people: the record has the whole text. */
const CUT: Readonly<Record<string, readonly string[]>> = {
  [jobsTable.name]: ['question_text', 'answer_text'],
  [blocksTable.name]: ['content_text'],
  [sourcesTable.name]: ['content'],
  [proposedQuestionsTable.name]: ['question'],
};

export class PackRows implements AsyncDisposable {
  readonly #survey: Survey;
  readonly #staged: StagedObject;
  readonly #records: StagedText;
  #conversations: Conversations<SurveyedSession> | undefined;

  private constructor(survey: Survey, staged: StagedObject) {
    this.#survey = survey;
    this.#staged = staged;
    this.#records = new StagedText(staged);
  }

  /**
   * Reads each part file once.
   *
   * @param target where rows are set aside
   * @throws {IntegrityError} a part file is damaged, or holds a session that the log does not name
   * @throws {FormatError} a part file does not read as its table
   */
  static async of(survey: Survey, target: Storage): Promise<PackRows> {
    const rows = new PackRows(survey, await target.stage());
    try {
      await rows.#gather(target);
      return rows;
    } catch (error) {
      await rows[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #gather(target: Storage): Promise<void> {
    const { making } = this.#survey;
    const searchedIn = making.found?.facts.searched_in ?? [];
    const hasCode = searchedIn.includes('code') || searchedIn.includes('answer');
    const tables = [...TABLES, ...(hasCode ? [blocksTable] : []), rawJobsTable];
    this.#conversations = await Conversations.of(making, [...this.#survey.sessions()], {
      rows: {
        count: (table) => making.rows.count(table),
        rows: (table, omitted) => this.#rows(present(tableNamed(table.name), table.name), omitted),
      },
      tables: tables.map(withOrigin),
      omitted: { [blocksTable.name]: NOT_OF_CODE },
      readsNoOthers: true,
      target,
      shown: (table, row) => this.#kept(table, row),
      strange: (row) => {
        throw notNamed(row, 'session');
      },
    });
    await this.#records.close();
  }

  /** Each of the survey's conversations once. */
  conversations(): ReturnType<Conversations<SurveyedSession>['read']> {
    return present(this.#conversations, 'what is set aside').read();
  }

  /** @param row of the table `raw_jobs` */
  recordOf(row: Row): AsyncIterable<Uint8Array> {
    const start = Number(row['record_start']);
    return this.#staged.read({ start, end: start + Number(row['record_bytes']) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#conversations?.discard();
    await this.#staged.discard();
  }

  async *#rows(table: TableSchema, omitted?: readonly string[]): AsyncGenerator<Row> {
    const { rows } = this.#survey.making;
    for (const part of rows.partsOf(table)) {
      for await (const selected of rows.rowsOf(table, part, omitted)) {
        for (const row of selected) {
          // a record goes into the pack verbatim, and nothing else of this table does
          const shown = table === rawJobsTable ? row : presentableRow(table, row);
          yield { ...shown, archive_path: part.path, commit: part.commit };
        }
      }
    }
  }

  async #kept({ name }: TableSchema, row: Row): Promise<Row | undefined> {
    if (name === rawJobsTable.name) return this.#setRecordAside(row);
    if (name === blocksTable.name && !this.#isFound(row)) return undefined;
    return cut(row, CUT[name]);
  }

  async #setRecordAside(row: Row): Promise<Row> {
    const record = textIn(row, 'record') ?? 'null';
    const start = this.#records.bytes;
    await this.#records.write(record);
    return {
      ...row,
      record: null,
      record_start: start,
      record_bytes: this.#records.bytes - start,
      record_sha256: sha256Hex(record),
    };
  }

  /** Code and texts of steps, of jobs that were found by them: a hit whose place nobody sees proves nothing. */
  #isFound(block: Row): boolean {
    const place = isCode(block) ? 'code' : isStepText(block) ? 'answer' : undefined;
    if (place === undefined) return false;
    const [user = '', session = '', job = ''] = ['user_id', 'session_id', 'job_id'].map((id) =>
      textOrEmpty(block, id),
    );
    return this.#survey.making.found?.matchedIn(user, session, job).includes(place) === true;
  }
}

/** Whether the text is one of the answer's, and not in `answer_text`. */
function isStepText(row: Row): boolean {
  const isRespond = row['stage'] === RESPOND;
  return row['role'] === 'answer' && !isRespond && textIn(row, 'content_text') !== null;
}

function cut(row: Row, columns: readonly string[] = []): Row {
  const long = columns.flatMap((column) => {
    const text = textIn(row, column) ?? '';
    if (text.length <= SHOWN_CHARACTERS) return [];
    const beginning = beginningOf(text);
    const left = text.length - beginning.length;
    return [[column, `${beginning}\n… (${left} more characters: see the record)`] as const];
  });
  return long.length === 0 ? row : { ...row, ...Object.fromEntries(long) };
}

function withOrigin(table: TableSchema): TableSchema {
  const columns = [column('archive_path', 'string'), column('commit', 'int32')];
  if (table === rawJobsTable) {
    columns.push(column('record_start', 'int64'), column('record_bytes', 'int64'));
    columns.push(column('record_sha256', 'string'));
  }
  return { ...table, columns: [...table.columns, ...columns] };
}

function column(name: string, type: ColumnType): Column {
  return { name, type, copied: 'drop', meaning: '', isKey: false };
}

/** @param row one of `PackRows` */
export function notNamed(row: Row, what: string): IntegrityError {
  const path = textOrEmpty(row, 'archive_path');
  return new IntegrityError(path, 'rows', `holds a ${what} that the log does not name`);
}
