/** Finds jobs by their words and by when they were asked, in what the newest commit of an archive holds. */
import type { Archive } from '../archive/archive.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { knowsDaysAlone } from '../archive/reading/known-days.js';
import { Decisions } from '../archive/reading/requests/decisions.js';
import { UsageError } from '../base/error.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import { JobSet, type LeftOutJob } from '../archive/reading/chosen-jobs.js';
import { parsedScope, type GivenScope } from '../archive/reading/scope.js';
import { sessionKey } from '../model/ids.js';
import { type AskedTimes, UNKNOWN_TIMES } from '../model/times/asked-times.js';
import { knownTime } from '../model/times/timestamp.js';
import { QUERY_DEFAULTS, queryArchive } from '../query/query-archive.js';
import { QueryError } from '../query/query-error.js';
import type { QueryResult } from '../query/query-result.js';
import { boundedJobs } from './bounded-jobs.js';
import { jobOfRow, searchRowsOf, type SearchRow } from './search-rows.js';
import { searchSql } from './search-sql.js';
import { hasNoWords, hasOpenQuote, parseWords, type SearchWords } from './parse-words.js';
import { assertOfUse, type SearchChoice } from './search-choice.js';
import { type SearchFacts, undatedGap } from './search-facts.js';
import { fieldsIn, notSearchedText, nothingSearchedText } from './searched-fields.js';
import { fieldsOf, type SearchField } from './search-fields.js';
import { matchExcerpt } from './match-excerpt.js';
import { FOLD_FUNCTIONS } from './fold-functions.js';
import { ROW_FORMATS } from '../formats/formats.js';
import { parseJson } from '../base/text/parse-json.js';
import { remarkOnHits, type FoundSession } from './hit-remarks.js';
import { NOTHING_UNREAD, unreadTableOf } from './unread-tables.js';
import { caveatsOf, type Caveat } from '../archive/reading/caveats/caveat.js';
import type { UnreadTable } from '../archive/reading/caveats/reading.js';
import { readScope } from '../archive/reading/caveats/read-scope.js';

export interface SearchOptions extends SearchChoice, GivenScope {
  readonly archive: Archive;
  /** How many hits there are at most; default: 20. Counts are of all. */
  readonly limit?: number | undefined;
  /** As that of a query. */
  readonly maxFetchBytes?: number | undefined;
  /** As that of a query. */
  readonly temporaryDirectory?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SearchHit extends AskedTimes {
  readonly user_id: string;
  readonly session_id: string;
  readonly session_name: string | null;
  readonly job_id: string;
  /** Where its words stand; empty of a search without wanted words. */
  readonly matched_in: readonly SearchField[];
  /** Names of the tables in which its words stand. */
  readonly matched_tables: readonly string[];
  readonly excerpt: string;
  /** Only of a search for a request that withholds it: nothing made for that request has it. */
  readonly is_withheld?: true;
  /** Only of a search for a request that redacts it: what is made for that request has it without its texts and files. */
  readonly is_redacted?: true;
}

export interface SearchResult extends SearchFacts {
  /** What qualifies the answer: what is missing first. */
  readonly caveats: readonly Caveat[];
  /** Newest first, by their later bound where they have no time; those without bounds last. */
  readonly hits: readonly SearchHit[];
  /** The first of the jobs that were left out because nothing tells whether they are in the period, and whether somebody decided that; facts count all. */
  readonly left_out: readonly (SearchHit & { readonly reason: string })[];
  /** The first thousand of those that were not searched to their end; facts count all. */
  readonly unread_tables: readonly UnreadTable[];
  /** The commit whose data was searched. */
  readonly commit: number;
  /** The bytes of files of which only the size was compared with the log. */
  readonly unverifiedBytes: number;
}

/** Jobs by user, session and id, as the tables spell them. */
export interface FoundJobs extends JobSet {
  readonly facts: SearchFacts;
  /** All tables that could not be searched. */
  readonly unreadTables: readonly UnreadTable[];
  /** The newest commit that was read. */
  readonly commit: number;
  readonly unverifiedBytes: number;
  /** Where the words stand; empty of a job that is not found or is redacted, and of a search without wanted words. */
  readonly matchedIn: (user: string, session: string, job: string) => readonly SearchField[];
}

const DEFAULT_LIMIT = 20;
/** More where an answer is so large that the format's share has no room for it: 64 MB, several times. */
const LARGE_ANSWER_BYTES = 120e6;

/**
 * @param request for which somebody searches: what is withheld is found all the same, and counted
 * @throws {UsageError} there is nothing to look for, a quote is not closed, a user is not in the archive, or DuckDB is not installed
 * @throws {IntegrityError} the archive is damaged
 */
export async function searchArchive(
  options: SearchOptions,
  request?: RequestRecord,
): Promise<SearchResult> {
  const { match = '', limit = DEFAULT_LIMIT } = options;
  assertOfUse({ ...options, match });
  const words = wordsOf(match);
  const nothing = await nothingSearched(options);
  const { archive, signal } = options;
  const told = (commit: number): number => archive.index.asOf(commit)?.number ?? 0;
  // side by side: the log is read while the database looks through the texts
  const scope = readScope(archive, parsedScope(options), signal);
  if (nothing) {
    const { facts, commit } = nothing;
    const none = { hits: [], left_out: [], unread_tables: [], unverifiedBytes: 0 };
    const reading = (await scope)({ ...NOTHING_FOUND, facts });
    return { ...facts, ...none, commit: told(commit), caveats: caveatsOf(reading) };
  }
  const found = run({ ...options, words }, { limit, withTexts: true }, async (result) => {
    const rows = await searchRowsOf(result);
    const isLeftOut = ({ verdict }: SearchRow): boolean =>
      verdict === 'unknown' && options.undated !== 'include';
    const { reason } = undatedGap(options.undated);
    const decisions = Decisions.of(request);
    const isOfDays = knowsDaysAlone(archive.identity.pseudonymised);
    const shown = (some: readonly SearchRow[]) =>
      some.flatMap((row) => hitOf(row, { words, decisions, isOfDays }) ?? []);
    const undated = rows
      .filter(({ verdict }) => verdict === 'unknown')
      .flatMap((row) => undatedOf(row, isOfDays));
    const isTakenIn = options.undated === 'include';
    const all = foundIn(rows);
    const withheld = withheldIn(all, decisions);
    const facts = { ...factsOf(options, rows), withheld };
    const unreadTables = unreadIn(rows);
    const qualified = {
      facts,
      leftOut: isTakenIn ? [] : undated,
      takenIn: isTakenIn ? undated : [],
      unread: { named: unreadTables, others: 0 },
    };
    return {
      qualified,
      found: all,
      ...facts,
      hits: shown(rows.filter((row) => !isLeftOut(row))).slice(0, limit),
      left_out: shown(rows.filter(isLeftOut)).map((hit) => ({ ...hit, reason })),
      unread_tables: unreadTables,
      commit: told(result.commits[0].commit),
      unverifiedBytes: result.unverifiedBytes,
    };
  });
  const [read, { qualified, found: all, ...result }] = await Promise.all([scope, found]);
  const reading = read(qualified);
  await remarkOnHits(reading, { listed: result.hits, all }, { archive, signal });
  return { ...result, caveats: caveatsOf(reading) };
}

/** The job of a row that the period cannot place. */
function undatedOf(row: SearchRow, isOfDays: boolean): LeftOutJob[] {
  const job = jobOfRow(row);
  return job ? [{ ...job, sessionName: row.name, ...timesOf(row, isOfDays) }] : [];
}

interface HitContext {
  readonly words: SearchWords;
  readonly decisions: Decisions;
  readonly isOfDays: boolean;
}

/** Undefined in the one row of a search without hits. */
function hitOf(row: SearchRow, { words, decisions, isOfDays }: HitContext): SearchHit | undefined {
  const job = jobOfRow(row);
  if (!job) return undefined;
  const decided = decisions.ofJob(job.session, job.job)?.decision;
  return {
    user_id: job.user,
    session_id: job.session,
    session_name: row.name,
    job_id: job.job,
    ...timesOf(row, isOfDays),
    matched_in: fieldsOf(Number(row.places)),
    matched_tables: row.tables === null ? [] : (parseJson(row.tables) as string[]),
    excerpt: matchExcerpt(row.said, words),
    ...(decided === 'withhold' && { is_withheld: true }),
    ...(decided === 'redact' && { is_redacted: true }),
  };
}

function timesOf(row: SearchRow, isOfDays: boolean): AskedTimes {
  const timeOf = (micros: string | null) =>
    micros === null ? null : knownTime(BigInt(micros), isOfDays);
  return {
    created_at: timeOf(row.created_at),
    created_after: timeOf(row.created_after),
    created_before: timeOf(row.created_before),
  };
}

/**
 * The result for an archive that has nothing where the words are to be looked for; undefined of any other. What is not
 * there lacks unwanted words, too: a search for these alone would find every job.
 */
async function nothingSearched(
  options: SearchOptions,
): Promise<{ readonly facts: SearchFacts; readonly commit: number } | undefined> {
  const { archive, undated, signal } = options;
  const { pseudonymised: copy } = archive.identity;
  if (fieldsIn(copy, options.in).length > 0) return undefined;
  // a wrong user is one here as well
  const { users, sessions } = parsedScope(options);
  const { head } = await ArchiveView.of(
    archive,
    { users, sessions },
    { tellsListings: false, signal },
  );
  const counts = { total: 0, searched: 0, ...NO_MATCHES, time_unknown: 0, ...NO_TABLES };
  const texts = { searched_in: [], not_searched: nothingSearchedText(copy, options.in) };
  return { facts: { ...counts, undated: undated ?? null, ...texts }, commit: head?.number ?? 0 };
}

/** Everything that words find, without texts. @throws as `searchArchive` does */
async function findJobs(options: SearchOptions, match: string): Promise<FoundJobs> {
  const asked = { ...options, words: wordsOf(match) };
  const nothing = await nothingSearched(options);
  if (nothing) return foundJobs(new JobSet(), { ...nothing, unreadTables: [], unverifiedBytes: 0 });
  return run(asked, { limit: undefined, withTexts: false }, async (result) => {
    const rows = await searchRowsOf(result);
    const jobs = new JobSet();
    const isOfDays = knowsDaysAlone(options.archive.identity.pseudonymised);
    for (const row of rows) {
      const key = jobOfRow(row);
      if (!key) continue;
      const places = Number(row.places);
      if (row.verdict !== 'unknown') jobs.add(key, places);
      for (const undated of row.verdict === 'unknown' ? undatedOf(row, isOfDays) : []) {
        if (options.undated === 'include') jobs.takeIn(undated, places);
        else jobs.leaveOut(undated);
      }
    }
    const { unverifiedBytes } = result;
    return foundJobs(jobs, {
      facts: factsOf(options, rows),
      unreadTables: unreadIn(rows),
      commit: result.commits[0].commit,
      unverifiedBytes,
    });
  });
}

/**
 * The jobs of the words and the period; undefined where nothing is chosen. A period alone is judged from the log.
 *
 * @param decisions what is withheld is counted like any other, and named by its ids alone
 */
export async function findChosen(
  options: SearchOptions,
  decisions = Decisions.NONE,
): Promise<FoundJobs | undefined> {
  const found = await findAll(options);
  if (!found || decisions.isEmpty) return found;
  const { facts, leftOut, takenIn, unreadTables, matchedIn } = found;
  const withheld = found.count((session, job) => decisions.withholds(session, job));
  const hidesName = (session: string, job: string): boolean =>
    decisions.hidesName(session) || decisions.withholds(session, job);
  const shown = (some: readonly LeftOutJob[]) =>
    some.map((undated): LeftOutJob => {
      const { user, session, job } = undated;
      if (decisions.withholds(session, job)) return { user, session, job, ...NOTHING_TOLD };
      return decisions.hidesName(session) ? { ...undated, sessionName: null } : undated;
    });
  return Object.assign(found, {
    // where the words stand tells of the text
    matchedIn: (user: string, session: string, job: string) =>
      decisions.ofJob(session, job) === undefined ? matchedIn(user, session, job) : [],
    facts: { ...facts, withheld },
    leftOut: shown(leftOut),
    takenIn: shown(takenIn),
    unreadTables: unreadTables.map((table): UnreadTable => {
      const { session_id: session, job_id: job, session_name: name } = table;
      const isDecided = decisions.ofJob(session, job) !== undefined;
      return {
        ...table,
        session_name: hidesName(session, job) ? null : name,
        file: isDecided ? null : table.file,
        is_hidden: isDecided,
      };
    }),
  });
}

const NOTHING_TOLD = { sessionName: null, ...UNKNOWN_TIMES };

function withheldIn(found: readonly FoundSession[], decisions: Decisions): number {
  if (decisions.isEmpty) return 0;
  return found.reduce((sum, { session_id: session, jobs }) => {
    return sum + jobs.filter((job) => decisions.withholds(session, job)).length;
  }, 0);
}

async function findAll(options: SearchOptions): Promise<FoundJobs | undefined> {
  assertOfUse(options);
  const { archive, match, undated, signal } = options;
  if (match !== undefined) return findJobs(options, match);
  const scope = parsedScope(options);
  if (!scope.period) return undefined;
  const { head, ofPeriod } = await ArchiveView.of(archive, scope, { tellsListings: false, signal });
  const { jobs = new JobSet(), within = 0, unknown = 0 } = ofPeriod ?? {};
  const searched = within + (undated === 'include' ? unknown : 0);
  const counts = { total: within + unknown, searched, time_unknown: unknown };
  const facts = {
    ...counts,
    matches: searched,
    withheld: 0,
    ...NO_TABLES,
    undated: undated ?? null,
    ...NO_WORDS,
  };
  const leftOut = await named(jobs.leftOut, { archive, signal });
  const takenIn = await named(jobs.takenIn, { archive, signal });
  const told = { facts, unreadTables: [], commit: head?.number ?? 0, unverifiedBytes: 0 };
  return Object.assign(foundJobs(jobs, told), { leftOut, takenIn });
}

async function named(
  jobs: readonly LeftOutJob[],
  reading: Pick<SearchOptions, 'archive' | 'signal'>,
): Promise<readonly LeftOutJob[]> {
  if (jobs.length === 0) return jobs;
  const { rowsOfSessions } = await import('../archive/reading/session-list.js');
  const rows = await rowsOfSessions(
    reading,
    jobs.map(({ session }) => session),
  );
  return jobs.map((job) => {
    const name = rows.get(sessionKey(job.user, job.session))?.['name'];
    return { ...job, sessionName: typeof name === 'string' ? name : null };
  });
}

const NOTHING_FOUND = { leftOut: [], takenIn: [], unread: NOTHING_UNREAD };
const NO_MATCHES = { matches: 0, withheld: 0 };
const NO_TABLES = { tables_not_searched: 0, tables_in_part: 0 };
const NO_WORDS = { searched_in: null, not_searched: null };

function foundJobs(
  jobs: JobSet,
  told: Pick<FoundJobs, 'facts' | 'unreadTables' | 'commit' | 'unverifiedBytes'>,
): FoundJobs {
  const matchedIn = (...ids: Parameters<JobSet['placesOf']>) => fieldsOf(jobs.placesOf(...ids));
  return Object.assign(jobs, { ...told, matchedIn });
}

/** Every hit, listed or not. */
function foundIn(rows: readonly SearchRow[]): FoundSession[] {
  return rows.flatMap(({ found }) => (found === null ? [] : [parseJson(found) as FoundSession]));
}

function unreadIn(rows: readonly SearchRow[]): UnreadTable[] {
  return rows.flatMap(({ unread }) => (unread === null ? [] : [unreadTableOf(unread)]));
}

/** @throws {UsageError} the choice cannot be searched for: no words, a quote that is not closed, a period that is none */
export function assertSearchable(choice: SearchChoice): void {
  assertOfUse(choice);
  if (choice.match !== undefined) wordsOf(choice.match);
}

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

async function run<T>(
  options: SearchOptions & { readonly words: SearchWords },
  asked: { readonly limit: number | undefined; readonly withTexts: boolean },
  use: (result: QueryResult) => Promise<T>,
): Promise<T> {
  const { archive, signal } = options;
  const { users, sessions, period = {} } = parsedScope(options);
  const view = await ArchiveView.of(archive, { users, sessions }, { signal });
  const format = ROW_FORMATS.find(({ name }) =>
    archive.identity.formats.some((archiveFormat) => archiveFormat === name),
  );
  const sql = searchSql({
    ...asked,
    words: options.words,
    fields: fieldsIn(archive.identity.pseudonymised, options.in),
    users,
    sessions,
    ...period,
    undated: options.undated,
    isOfDays: knowsDaysAlone(archive.identity.pseudonymised),
    bounded: await boundedJobs(view, period),
    readsColumns: format?.rows.readsColumns === true,
  });
  const { maxFetchBytes, temporaryDirectory } = options;
  const memoryBytes = format?.rows.searchBytes ?? QUERY_DEFAULTS.memoryBytes;
  const query = (bytes: number): Promise<T> =>
    queryArchive(
      {
        archive,
        sql,
        listsViews: false,
        functions: FOLD_FUNCTIONS,
        listedAgain: view.selection.listedAgain,
        memoryBytes: bytes,
        ...(maxFetchBytes === undefined ? {} : { maxFetchBytes }),
        temporaryDirectory,
        signal,
      },
      use,
    );
  try {
    return await query(memoryBytes);
  } catch (error) {
    if (!(error instanceof QueryError) || error.code !== 'QUERY_OUT_OF_MEMORY') throw error;
    return query(memoryBytes + LARGE_ANSWER_BYTES);
  }
}

function factsOf(
  { archive, match, undated, ...choice }: SearchOptions,
  [first]: readonly SearchRow[],
): SearchFacts {
  const { pseudonymised: copy } = archive.identity;
  const fields = match === undefined ? null : fieldsIn(copy, choice.in);
  const tables = {
    tables_not_searched: Number(first?.tables_not_searched ?? 0),
    tables_in_part: Number(first?.tables_in_part ?? 0),
  };
  return {
    total: Number(first?.total ?? 0),
    searched: Number(first?.searched ?? 0),
    matches: Number(first?.matches ?? 0),
    withheld: 0,
    time_unknown: Number(first?.time_unknown ?? 0),
    ...tables,
    undated: undated ?? null,
    searched_in: fields,
    not_searched: fields && notSearchedText(fields, copy),
  };
}
