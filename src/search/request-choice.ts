/** What a request says of the jobs that are meant, and what the log keeps of a search and of a pack that were made for it. */
import type { WorkForRequest } from '../archive/change-requests.js';
import type { RequestRecord } from '../archive/log/notes.js';
import type { DoubtCounts } from '../archive/reading/doubts.js';
import { UsageError } from '../base/error.js';
import type { GivenScope } from '../archive/reading/selection.js';
import { choiceText, type SearchChoice, type SearchFacts } from './search-choice.js';
import { SEARCH_FIELDS } from './search-fields.js';

export type GivenChoice = SearchChoice & GivenScope;

type ChoiceKey = 'match' | 'in' | 'from' | 'to';

const SAID = ['users', 'sessions', 'match', 'in', 'from', 'to'] as const;
const FLAGS = { users: '--user', sessions: '--session' } as const;

/**
 * What is given, with what the request says: a second idea of who is meant would make two requests of one.
 *
 * @param takesWords words may be given that the request does not have, and where to look for them
 * @throws {UsageError} something is given that the request says
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
  const hasWords = isGiven('match');
  const fields = SEARCH_FIELDS.filter((field) => request.in?.includes(field));
  return {
    ...given,
    users: request.users,
    sessions: [],
    match: hasWords ? given.match : (request.match ?? undefined),
    in: hasWords || isGiven('in') || request.in === null ? given.in : fields,
    from: request.from ?? undefined,
    to: request.to ?? undefined,
  };
}

/** Where words may be given, they stand without a flag. */
function flagOf(key: (typeof SAID)[number], takesWords: boolean): string {
  if (key === 'users' || key === 'sessions') return FLAGS[key];
  return key === 'match' && takesWords ? 'the words' : `--${key}`;
}

/** `ada, ben: jobs with “x” from 2026-01`: what a request is about. */
export function aboutRequest(request: Pick<RequestRecord, 'users' | ChoiceKey>): string {
  const users = request.users.length === 0 ? 'everybody' : request.users.join(', ');
  const chosen = chosenFor(request);
  return chosen === '' ? users : `${users}: jobs ${chosen}`;
}

/** Its words and period, or those of a search that was made for it. */
export function chosenFor({ match, from, to, ...rest }: Pick<RequestRecord, ChoiceKey>): string {
  const fields = rest.in && SEARCH_FIELDS.filter((field) => rest.in?.includes(field));
  const period = { from: from ?? undefined, to: to ?? undefined };
  return choiceText({ match: match ?? undefined, in: fields ?? undefined, ...period });
}

/** A search, as the log keeps it. @param found with what was in doubt where it looked */
export function searchWork(
  { match, from, to, ...choice }: SearchChoice,
  found: SearchFacts & DoubtCounts & { readonly commit: number },
  by: string,
): WorkForRequest {
  const where = { in: choice.in ?? null, from: from ?? null, to: to ?? null };
  return {
    action: 'search',
    by,
    match: match ?? null,
    ...where,
    ...countsOf(found, found.commit, 0),
  };
}

export interface MadePack {
  /** Default: an evidence pack. */
  readonly form?: 'workbook' | 'report';
  readonly digest: string;
  readonly sessions: number;
  readonly jobs: number;
  readonly gaps: number;
  /** Of those in it. */
  readonly users_not_proven: number;
  readonly head: { readonly number: number } | null;
  readonly search: (SearchFacts & DoubtCounts) | null;
}

/** A pack, as the log keeps it. */
export function packWork({ head, search, form, ...pack }: MadePack, by: string): WorkForRequest {
  const { digest, sessions, jobs, gaps, users_not_proven: notProven } = pack;
  const counts = countsOf(search, head?.number ?? 0, notProven);
  const what = form === undefined ? {} : { form };
  return { action: 'pack', by, ...what, digest, sessions, jobs, gaps, ...counts };
}

function countsOf(found: (SearchFacts & DoubtCounts) | null, commit: number, notProven: number) {
  return {
    commit,
    searched: found?.searched ?? null,
    matches: found?.matches ?? null,
    time_unknown: found?.time_unknown ?? null,
    undated: found?.undated ?? null,
    tables_not_searched: found?.tables_not_searched ?? null,
    tables_in_part: found?.tables_in_part ?? null,
    sessions_with_gaps: found?.sessions_with_gaps ?? null,
    // no record says less than what was handed over
    users_not_proven: Math.max(found?.users_not_proven ?? 0, notProven),
  };
}
