/** Replaces ids and hashes by keyed digests, and drops what may name a person: rows and entries of a pseudonymised copy. */
import { createHmac } from 'node:crypto';
import type {
  AcceptedEntry,
  GapEntry,
  JobLine,
  SessionEntry,
  UserEntry,
} from '../../archive/log/commit.js';
import type { JobState, SessionState } from '../../archive/state/user-state.js';
import { UsageError } from '../../base/error.js';
import { BLOCK_TYPE_WORDS, OTHER_FILE_KINDS } from '../../model/blocks/block-types.js';
import { rowId, type JobId, type RunId, type SessionId, type UserId } from '../../model/ids.js';
import type { CellValue, Column, Row, TableSchema } from '../../model/table-schema.js';
import { beginOfDay, DAY_MICROS } from '../../model/times/timestamp.js';

const MIN_KEY_BYTES = 32;
/** The digits of an id: half of the digest is more than nobody can meet by chance. */
const ID_DIGITS = 32;
const LEFT_OUT = 'the reason is left out of this pseudonymised copy';
const NOBODY_NAMED = 'somebody';

/** The beginning of the day: later on it, users were exported one after the other, perhaps in the order of their names. */
function dayOf(instant: string): string {
  return `${instant.slice(0, 10)}T00:00:00.000Z`;
}

/** The end of the day (UTC): a time of day would tell the order of users, and nothing in the row was asked later. */
function endOfDay(micros: bigint): bigint {
  return beginOfDay(micros) + DAY_MICROS - 1n;
}

export class Pseudonyms {
  readonly #key: Uint8Array;
  readonly #run: RunId;
  readonly #keepsText: boolean;
  readonly #keepsTimes: boolean;

  /** @throws {UsageError} the key is too short */
  constructor(options: {
    readonly key: Uint8Array;
    readonly run: RunId;
    readonly keepText: boolean;
    readonly keepTimes: boolean;
  }) {
    const { key } = options;
    if (key.byteLength < MIN_KEY_BYTES) {
      throw new UsageError(
        `the key has ${key.byteLength} bytes; allowed are ${MIN_KEY_BYTES} or more, such as those of: openssl rand -out KEYFILE ${MIN_KEY_BYTES}`,
      );
    }
    this.#key = key;
    this.#run = options.run;
    this.#keepsText = options.keepText;
    this.#keepsTimes = options.keepTimes;
  }

  user(id: string): UserId {
    return this.#id('user_id', id) as UserId;
  }

  session(id: string): SessionId {
    return this.#id('session_id', id) as SessionId;
  }

  job(id: string): JobId {
    return this.#id('job_id', id) as JobId;
  }

  /** A row of a table that the copy has. */
  row(table: TableSchema, row: Row): Row {
    return Object.fromEntries(
      table.columns.map((column) => {
        const cell = row[column.name] ?? null;
        return [column.name, cell === null ? null : this.#cell(column, cell)];
      }),
    );
  }

  sessionEntry(user: string, session: string, state: SessionState): SessionEntry {
    const { version, metaHash, total, archived, complete, growth, goneAt, gaps } = state;
    return {
      user: this.user(user),
      session: this.session(session),
      version,
      // it is a hash of what was dropped: without the key that could be guessed
      meta_hash: metaHash === '' ? '' : this.#digest('meta_hash', metaHash),
      total,
      archived,
      complete,
      growth,
      gone_at: goneAt === null ? null : dayOf(goneAt),
      gaps: gaps.map((gap) => this.#gap(gap)),
    };
  }

  jobLine(user: string, session: string, job: string, state: JobState): JobLine {
    const { version, hash, settled, seen_at, index, gaps, suspicious, withdrawn } = state;
    return {
      user: this.user(user),
      session: this.session(session),
      job: this.job(job),
      version,
      hash: this.#digest('content_hash', hash),
      text_hash: null,
      urls: null,
      files: null,
      settled,
      seen_at: dayOf(seen_at),
      index,
      gaps,
      suspicious,
      ...(withdrawn === undefined ? {} : { withdrawn }),
    };
  }

  userEntry(entry: UserEntry, isProven: boolean): UserEntry {
    const { left = 0, sessions } = entry;
    return {
      ...entry,
      user: this.user(entry.user),
      listed_at: dayOf(entry.listed_at),
      complete: isProven,
      error: entry.error === null ? null : LEFT_OUT,
      // what the budget of a run has left, and what was decided on, the copy tells by what it has
      left: undefined,
      by_decision: undefined,
      // a user of whom a part has nothing would seem never to have been listed
      sessions: { ...sessions, unchanged: sessions.unchanged + left },
    };
  }

  /** @param gap that is accepted, as its session has it @param id the acceptance's name in the copy */
  acceptedEntry(record: AcceptedEntry, gap: GapEntry, id: string): AcceptedEntry {
    const { user, session, lacking } = record;
    const { reason, ...place } = this.#gap(gap);
    return {
      ...place,
      ...(lacking === undefined ? {} : { lacking }),
      action: 'accept',
      id,
      user: this.user(user),
      session: this.session(session),
      reason,
      by: NOBODY_NAMED,
    };
  }

  #gap(gap: GapEntry): GapEntry {
    const { job, role, block_index, file_index, kind, status, shared_with, lost_below } = gap;
    return {
      job: job === null ? null : this.job(job),
      role,
      block_index,
      file_index,
      kind: kind !== null && isKnownWord(kind) ? kind : null,
      status,
      reason: LEFT_OUT,
      ...(shared_with === undefined ? {} : { shared_with: this.session(shared_with) }),
      ...(lost_below === undefined ? {} : { lost_below }),
    };
  }

  #cell(column: Column, cell: CellValue): CellValue {
    switch (column.copied) {
      case 'keep':
        return typeof cell === 'bigint' && column.type === 'ts' && !this.#keepsTimes
          ? this.#dayIn(column, cell)
          : cell;
      case 'run':
        return this.#run;
      case 'day':
        return typeof cell === 'bigint' ? endOfDay(cell) : null;
      case 'text':
        return this.#keepsText ? cell : null;
      case 'word':
        if (isKnownWord(String(cell))) return cell;
        return column.isKey ? this.#id(column.name, String(cell)) : null;
      case 'key':
        return this.#keyed(column, String(cell));
      case 'mark':
        return LEFT_OUT;
      case 'drop':
        return null;
    }
  }

  /** The day: its beginning, or of an upper bound its end. */
  #dayIn({ name }: Column, micros: bigint): bigint {
    return name === 'created_before' ? endOfDay(micros) : beginOfDay(micros);
  }

  /** An empty id means that there is none. */
  #keyed({ digestOf, name: columnName }: Column, value: string): string {
    if (value === '') return '';
    const name = digestOf ?? columnName;
    const isHash = name.endsWith('hash') || name.endsWith('sha256');
    return isHash ? this.#digest(name, value) : this.#id(name, value);
  }

  /** With a prefix: it must not look like an id that tells a time. */
  #id(column: string, id: string): string {
    return `p-${this.#digest(column, rowId(id)).slice(0, ID_DIGITS)}`;
  }

  #digest(column: string, value: string): string {
    return createHmac('sha256', this.#key).update(`jobvault ${column}\0${value}`).digest('hex');
  }
}

const WORDS: ReadonlySet<string> = new Set([
  ...BLOCK_TYPE_WORDS.map((type) => type.toLowerCase()),
  ...OTHER_FILE_KINDS.map((kind) => kind.toLowerCase()),
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
function isKnownWord(word: string): boolean {
  return WORDS.has(word.toLowerCase());
}
