/** What a request says of the jobs that are meant, whom an erasure for it takes, and what the log keeps of a search and of a pack that were made for it. */
import type { Archive } from '../archive/archive.js';
import { lostOfRequest, type WorkForRequest } from '../archive/notes/change-requests.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import type { Made } from '../making/made.js';
import { backTexts, eraseAgainWords } from '../archive/reading/requests/erased-and-back.js';
import { restOfRequest } from '../archive/reading/requests/rest-of-request.js';
import type { GivenScope } from '../archive/reading/scope.js';
import { UsageError } from '../base/error.js';
import { shellWord } from '../base/next-step.js';
import { ERASED } from '../model/ids.js';
import type { ErasingRequest, JobsInScope } from '../rewrite/erasure/erase-options.js';
import { findChosen } from '../search/search-archive.js';
import { chosenFor, type SearchChoice } from '../search/search-choice.js';
import { leftOutOf, type SearchFacts, undatedRow } from '../search/search-facts.js';
import { SEARCH_FIELDS } from '../search/search-fields.js';

export type GivenChoice = SearchChoice & GivenScope;

const SAID = ['users', 'sessions', 'match', 'in', 'from', 'to'] as const;
const FLAGS = { users: '--user', sessions: '--session' } as const;

/**
 * What is given, with what the request says: a second idea of who is meant would make two requests of one.
 *
 * @param takesWords words may be given that the request does not have, and where to look for them
 * @param request somebody is left of whom it is about (`assertNotAllErased`)
 * @throws {UsageError} something is given that the request says, or neither has words to search for, or its words went with an erasure
 */
export function choiceOfRequest<T extends GivenChoice>(
  request: RequestRecord,
  given: T,
  takesWords = false,
): T {
  const isGiven = (key: (typeof SAID)[number]): boolean => (given[key]?.length ?? 0) > 0;
  const isOwn = (key: (typeof SAID)[number]): boolean =>
    takesWords && (key === 'in' || (key === 'match' && request.match === null));
  const twice = SAID.find((key) => isGiven(key) && !isOwn(key));
  if (twice !== undefined) {
    throw new UsageError(
      `request "${request.name}" says who and what is meant; leave out ${flagOf(twice, takesWords)}, or record another request`,
    );
  }
  const users = request.users.filter((user) => user !== ERASED);
  const sessions = request.sessions.filter((session) => session !== ERASED);
  const lost = lostOfRequest(request);
  if (lost === 'words') {
    throw new UsageError(
      `the words of request "${request.name}" went with somebody who was erased; record another request`,
    );
  }
  const hasWords = isGiven('match');
  if (takesWords && !hasWords && request.match === null) {
    throw new UsageError(`request "${request.name}" has no words; give words to search for`);
  }
  const fields = SEARCH_FIELDS.filter((field) => request.in?.includes(field));
  return {
    ...given,
    users,
    sessions,
    erased: {
      users: request.users.length - users.length,
      sessions: request.sessions.length - sessions.length,
    },
    match: hasWords ? given.match : (request.match ?? undefined),
    in: hasWords || isGiven('in') || request.in === null ? given.in : fields,
    from: request.from ?? undefined,
    to: request.to ?? undefined,
  };
}

/**
 * Who is archived again, the request does not say any more: it has only `[erased]`.
 *
 * @throws {UsageError} everything that the request is about was erased
 */
export async function assertNotAllErased(archive: Archive, request: RequestRecord): Promise<void> {
  if (lostOfRequest(request) !== 'whom') return;
  const rest = await restOfRequest(archive, request);
  const but = backTexts(rest).map((text) => `, but ${text}`);
  const words = eraseAgainWords(rest.again).map(shellWord).join(' ');
  const next =
    rest.again.length === 0
      ? 'jobvault request show names the receipts'
      : `erase ${words} without --request erases again what came back`;
  throw new UsageError(
    `everything that request "${request.name}" is about was erased before${but.join('')}; ${next}`,
  );
}

/** Where words may be given, they stand without a flag. */
function flagOf(key: (typeof SAID)[number], takesWords: boolean): string {
  if (key === 'users' || key === 'sessions') return FLAGS[key];
  return key === 'match' && takesWords ? 'the words' : `--${key}`;
}

/** Users and sessions are not named together; neither where all that is found is left out. */
export interface RequestScope {
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  /** What was found of a request with words or a period; null of others. */
  readonly inScope: ErasingRequest['inScope'];
}

/**
 * @param archive its index must be up to date
 * @throws {UsageError} the request does not say who goes, or nobody is left of those whom it is about
 */
export async function requestScope(
  archive: Archive,
  request: RequestRecord,
  { signal, ...given }: GivenChoice & { readonly signal: AbortSignal },
): Promise<RequestScope> {
  await assertNotAllErased(archive, request);
  const choice = choiceOfRequest(request, given);
  const { users = [], sessions: named = [] } = choice;
  const found = await findChosen({ archive, ...choice, signal });
  if (!found) {
    if (users.length + named.length > 0) return { users, sessions: named, inScope: null };
    throw new UsageError(
      `request "${request.name}" is about everybody, so it does not say who is erased; give users or sessions without --request`,
    );
  }
  const chosen = chosenFor(request);
  const { matches, time_unknown, undated } = found.facts;
  const sessions = found.sessionIds();
  const meant = new Set(sessions);
  const inScope = (kept: ReadonlySet<string>): JobsInScope => {
    const held = found.count((session) => kept.has(session));
    const along = found.leftOut.filter(({ session }) => meant.has(session) && !kept.has(session));
    const counts = { jobs: matches, going: matches - held, held };
    return { ...counts, chosen, time_unknown, undated, go_along: along.length };
  };
  // where all that is found is left out, that is no answer to the request
  if (sessions.length > 0 || leftOutOf(found.facts) > 0) return { users: [], sessions, inScope };
  const excluded = undatedRow(found.facts);
  const why = excluded ? `; ${excluded.join(': ')}` : '';
  throw new UsageError(
    `nothing to erase: no job is found ${chosen} for request "${request.name}"${why}`,
  );
}

/** A search, as the log keeps it. */
export function searchWork(
  { match, from, to, ...choice }: SearchChoice,
  found: SearchFacts & Pick<MadePack, 'caveats'> & { readonly commit: number },
  by: string,
): WorkForRequest {
  const where = { in: choice.in ?? null, from: from ?? null, to: to ?? null };
  const told = toldOf(found, found.caveats, found.commit);
  return { action: 'search', by, match: match ?? null, ...where, ...told };
}

interface MadePack extends Pick<Made, 'sessions' | 'jobs' | 'artifacts' | 'caveats' | 'search'> {
  /** Default: an evidence pack. */
  readonly form?: 'workbook' | 'report' | 'copy';
  readonly digest: string;
  readonly head: { readonly number: number } | null;
}

/** A pack, as the log keeps it. */
export function packWork(made: MadePack, by: string): WorkForRequest {
  const { head, search, form, digest, sessions, jobs, artifacts, caveats } = made;
  const told = toldOf(search, caveats, head?.number ?? 0);
  const what = form === undefined ? {} : { form };
  return { action: 'pack', by, ...what, digest, sessions, jobs, artifacts, ...told };
}

/** Where no search has counted them. */
function withheldIn(caveats: readonly Caveat[]): number {
  return caveats.find(({ kind }) => kind === 'withheld')?.count ?? 0;
}

/** Without names: an erasure could not take them out of a count. */
function toldOf(found: SearchFacts | null, caveats: readonly Caveat[], commit: number) {
  return {
    commit,
    total: found?.total ?? null,
    searched: found?.searched ?? null,
    matches: found?.matches ?? null,
    withheld: found?.withheld ?? withheldIn(caveats),
    caveats: caveats.map(({ kind, severity, count, headline }) => {
      return { kind, severity, count, headline };
    }),
  };
}
