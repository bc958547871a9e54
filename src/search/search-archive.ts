/** Finds jobs by their words and by when they were asked, in what the newest commit of an archive holds. */
import type { Archive } from '../archive/archive.js';
import { RewrittenMeanwhileError, type Made } from '../archive/parts/rewritten-meanwhile-error.js';
import { meantOf } from '../base/nearest.js';
import { UsageError } from '../base/usage-error.js';
import type { Row } from '../model/table-schema.js';
import { textIn } from '../model/text-in.js';
import { formatTimestamp } from '../model/timestamp.js';
import { queryArchive } from '../query/query-archive.js';
import type { QueryResult } from '../query/query-result.js';
import { excerptOf } from './excerpt.js';
import { judgedJobs } from './judged-jobs.js';
import { hasNoWords, hasOpenQuote, parseWords, type SearchWords } from './parse-words.js';
import { PERIOD_TEXTS, parseFrom, parseTo } from '../model/period.js';
import { SEARCH_FIELDS, searchSql, type SearchField } from './search-sql.js';

/** Which jobs are meant; all where nothing is given. */
export interface SearchChoice {
  /** Phrases in quotes, `-` before what must not be there, `OR` between alternatives. Default: every job. */
  readonly match?: string | undefined;
  /** A year, month, day or time (UTC): what was asked before it is left out. */
  readonly from?: string | undefined;
  /** Likewise, the last that is not left out: a day counts to its end, a time is the first one beyond. */
  readonly to?: string | undefined;
}

export interface SearchOptions extends SearchChoice {
  readonly archive: Archive;
  /** Default: everybody. */
  readonly users?: readonly string[] | undefined;
  /** Default: every session of the users. */
  readonly sessions?: readonly string[] | undefined;
  /** Where words are looked for. Default: everywhere. */
  readonly in?: readonly SearchField[] | undefined;
  /** Of hits; default: 20. Counts are of all. */
  readonly limit?: number | undefined;
  /** As that of a query. */
  readonly maxFetchBytes?: number | undefined;
  /** As that of a query. */
  readonly temporaryDirectory?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Numbers of jobs, each in its newest version. */
export interface SearchCounts {
  /** In the period. */
  readonly searched: number;
  readonly matches: number;
  /** Neither in the period nor out of it as far as ids and the order of the history tell; not searched. */
  readonly time_unknown: number;
}

export interface SearchHit {
  readonly user_id: string;
  readonly session_id: string;
  readonly session_name: string | null;
  readonly job_id: string;
  /** ISO 8601; null where the id tells no time. */
  readonly created_at: string | null;
  /** Then its neighbours in the history bound it, where they do; otherwise both are that time. */
  readonly created_after: string | null;
  readonly created_before: string | null;
  readonly excerpt: string;
}

export interface SearchResult extends SearchCounts {
  /** Newest first, by their later bound where they have no time; those without bounds last. */
  readonly hits: readonly SearchHit[];
  /** The commit that was searched. */
  readonly commit: number;
  /** The bytes of files of which only the size was compared with the log. */
  readonly unverifiedBytes: number;
}

/** Jobs by user, session and id, as the tables spell them. */
export interface FoundJobs {
  readonly counts: SearchCounts;
  readonly commit: number;
  readonly unverifiedBytes: number;
  hasUser(user: string): boolean;
  hasSession(user: string, session: string): boolean;
  hasJob(user: string, session: string, job: string): boolean;
  /** Whether a row of a table is of such a job, or of its session. */
  hasRow(row: Row): boolean;
}

const DEFAULT_LIMIT = 20;
/** With Node's own share the process stays below 300 MB. Rows in JSON are read in larger pieces. */
const MEMORY_BYTES = { parquet: 180e6, jsonl: 1e9 } as const;

/**
 * @throws {UsageError} there is nothing to look for, a quote is not closed, a user is not in the archive, or DuckDB is not installed
 * @throws {IntegrityError} the archive is damaged
 */
export async function searchArchive(options: SearchOptions): Promise<SearchResult> {
  const { match = '', limit = DEFAULT_LIMIT } = options;
  const words = wordsOf(match);
  return run({ ...options, words }, { limit, withTexts: true }, async (result) => {
    const rows = await rowsOf(result);
    const hits = rows.flatMap((cells) => hitOf(cells, words) ?? []);
    return {
      ...countsIn(rows),
      hits,
      commit: result.commit,
      unverifiedBytes: result.unverifiedBytes,
    };
  });
}

/** Undefined in the one row of a search without hits. */
function hitOf(cells: Cells, words: SearchWords): SearchHit | undefined {
  const [, , , user, session, job, at, after, before, name, text] = cells;
  if (!isText(user) || !isText(session) || !isText(job)) return undefined;
  return {
    user_id: user,
    session_id: session,
    session_name: name ?? null,
    job_id: job,
    created_at: timeOf(at),
    created_after: timeOf(after),
    created_before: timeOf(before),
    excerpt: excerptOf(text ?? '', words),
  };
}

function timeOf(micros: Cells[number]): string | null {
  return isText(micros) ? formatTimestamp(BigInt(micros)) : null;
}

/** Everything that is found, without texts. Memory holds a key for each. @throws as `searchArchive` does */
async function findJobs(options: SearchOptions): Promise<FoundJobs> {
  const words = options.match === undefined ? NO_WORDS : wordsOf(options.match);
  return run({ ...options, words }, { limit: undefined, withTexts: false }, async (result) => {
    const rows = await rowsOf(result);
    const keys = new Set<string>();
    for (const [, , , user, session, job] of rows) {
      if (!isText(user) || !isText(session) || !isText(job)) continue;
      keys
        .add(keyOf(user))
        .add(keyOf(user, session))
        .add(keyOf(user, session, job));
    }
    return {
      counts: countsIn(rows),
      commit: result.commit,
      unverifiedBytes: result.unverifiedBytes,
      hasRow: (row) => {
        const ids = [textIn(row, 'user_id'), textIn(row, 'session_id'), textIn(row, 'job_id')];
        return keys.has(keyOf(...ids.filter(isText)));
      },
      hasUser: (user) => keys.has(keyOf(user)),
      hasSession: (user, session) => keys.has(keyOf(user, session)),
      hasJob: (user, session, job) => keys.has(keyOf(user, session, job)),
    };
  });
}

/** As `findJobs`; undefined where nothing is chosen. */
export async function findChosen(options: SearchOptions): Promise<FoundJobs | undefined> {
  const { archive, match, from, to, users, sessions, signal } = options;
  if (match === undefined && from === undefined && to === undefined) return undefined;
  return findJobs({ archive, match, from, to, users, sessions, signal });
}

/** @throws {RewrittenMeanwhileError} what is made would hold what was not searched */
export function assertSearched(
  { storage }: Archive,
  { commit }: FoundJobs,
  head: number,
  made: Made,
): void {
  if (commit !== head) throw new RewrittenMeanwhileError(storage.location, made);
}

/** `with “net revenue” from 2026-01 to 2026-03`; empty where nothing is chosen. */
export function choiceText({ match, from, to }: SearchChoice): string {
  return [
    match === undefined ? '' : `with “${match}”`,
    from === undefined ? '' : `from ${from}`,
    to === undefined ? '' : `to ${to}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function keyOf(...ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => id.toWellFormed()));
}

const NO_WORDS: SearchWords = { wanted: [], unwanted: [] };

function wordsOf(match: string): SearchWords {
  const words = parseWords(match);
  if (hasOpenQuote(match)) {
    throw new UsageError(`a quote in ${JSON.stringify(match)} is not closed; a phrase needs two`);
  }
  if (hasNoWords(words)) {
    throw new UsageError(`there is no word to look for in ${JSON.stringify(match)}`);
  }
  return words;
}

type Cells = readonly (string | null | undefined)[];

async function run<T>(
  options: SearchOptions & { readonly words: SearchWords },
  asked: { readonly limit: number | undefined; readonly withTexts: boolean },
  use: (result: QueryResult) => Promise<T>,
): Promise<T> {
  const { archive, users = [], sessions = [], signal } = options;
  const [from, to] = periodOf(options);
  await assertKnown(archive, users);
  const sql = searchSql({
    ...asked,
    words: options.words,
    fields: options.in ?? SEARCH_FIELDS,
    users,
    sessions,
    from,
    to,
    judged: await judgedJobs(archive, users, { from, to }, signal),
  });
  const format = archive.identity.formats.includes('parquet') ? 'parquet' : 'jsonl';
  const { maxFetchBytes, temporaryDirectory } = options;
  return queryArchive(
    {
      archive,
      sql,
      memoryBytes: MEMORY_BYTES[format],
      ...(maxFetchBytes === undefined ? {} : { maxFetchBytes }),
      temporaryDirectory,
      signal,
    },
    use,
  );
}

/** @throws {UsageError} a text that is no day, or a period that ends before it begins */
function periodOf({
  from,
  to,
}: Pick<SearchOptions, 'from' | 'to'>): [bigint | undefined, bigint | undefined] {
  const begin = from === undefined ? undefined : (parseFrom(from) ?? refuse('from', from));
  const end = to === undefined ? undefined : (parseTo(to) ?? refuse('to', to));
  if (begin !== undefined && end !== undefined && begin >= end) {
    throw new UsageError(`the period from ${from ?? ''} to ${to ?? ''} ends before it begins`);
  }
  return [begin, end];
}

function refuse(name: string, given: string): never {
  throw new UsageError(`${name} is ${JSON.stringify(given)}; allowed is ${PERIOD_TEXTS}`);
}

async function assertKnown({ index, storage }: Archive, users: readonly string[]): Promise<void> {
  await index.refresh();
  const known = new Set<string>(index.allUsers);
  const unknown = users.find((user) => !known.has(user));
  if (unknown === undefined) return;
  throw new UsageError(
    `${storage.location} has no user "${unknown}"; ${meantOf('user', unknown, known)}`,
  );
}

async function rowsOf(result: QueryResult): Promise<Cells[]> {
  const all: Cells[] = [];
  for await (const rows of result.rows()) all.push(...rows);
  return all;
}

function countsIn(rows: readonly Cells[]): SearchCounts {
  const [searched, matches, unknown] = (rows[0] ?? []).map(Number);
  return { searched: searched ?? 0, matches: matches ?? 0, time_unknown: unknown ?? 0 };
}

function isText(cell: string | null | undefined): cell is string {
  return typeof cell === 'string';
}
