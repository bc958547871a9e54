/** Whom an erasure for a request takes: the request's users, or the sessions in which its words and period find jobs. */
import type { Archive } from '../archive/archive.js';
import type { RequestRecord } from '../archive/log/notes.js';
import { UsageError } from '../base/error.js';
import { ERASED } from '../model/ids.js';
import { choiceOfRequest, chosenFor, type GivenChoice } from './request-choice.js';
import { findChosen } from './search-archive.js';
import { leftOutOf, undatedText } from './search-choice.js';
import type { Undated } from '../archive/reading/chosen-jobs.js';

/** Users and sessions are not named together; neither where all that is found is left out. */
export interface RequestScope {
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  /** Of a request with words or a period: what was found; null of others. */
  readonly in_scope: {
    readonly jobs: number;
    /** Its words and period. */
    readonly chosen: string;
    readonly time_unknown: number;
    readonly undated: Undated | null;
    /** Of the jobs that are not meant since nothing tells their time: those in a session that is. */
    readonly go_along: number;
  } | null;
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
  const choice = choiceOfRequest(request, given);
  const users = request.users.filter((user) => user !== ERASED);
  if (users.length === 0 && request.users.length > 0) {
    throw new UsageError(
      `everybody whom request "${request.name}" is about was erased before; jobvault request show names the receipts`,
    );
  }
  if (request.match === ERASED) {
    throw new UsageError(
      `the words of request "${request.name}" went with somebody who was erased; record another request`,
    );
  }
  const found = await findChosen({ archive, ...choice, users, signal });
  if (!found) {
    if (users.length > 0) return { users, sessions: [], in_scope: null };
    throw new UsageError(
      `request "${request.name}" is about everybody, so it does not say who is erased; give users or sessions without --request`,
    );
  }
  const chosen = chosenFor(request);
  const { matches, time_unknown, undated } = found.facts;
  const sessions = found.sessionIds();
  const going = new Set(sessions);
  const along = found.leftOut.filter(({ session }) => going.has(session)).length;
  const in_scope = { jobs: matches, chosen, time_unknown, undated, go_along: along };
  // where all that is found is left out, that is no answer to the request
  if (sessions.length > 0 || leftOutOf(found.facts) > 0) return { users: [], sessions, in_scope };
  const excluded = undatedText(found.facts);
  const why = excluded === null ? '' : `; ${excluded}`;
  throw new UsageError(
    `nothing to erase: no job is found ${chosen} for request "${request.name}"${why}`,
  );
}
