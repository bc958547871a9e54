/** Tables that a search did not read to their end: named, so that somebody can open them. */
import { parseJson } from '../base/text/parse-json.js';
import { rowId, sessionKey } from '../model/ids.js';
import type { ChosenJobs, LeftOutJob } from '../archive/reading/chosen-jobs.js';
import type { Searched, UnreadTable } from '../archive/reading/caveats/reading.js';

/** As the statement of a search has it. */
export function unreadTableOf(json: string): UnreadTable {
  return parseJson(json) as UnreadTable;
}

export interface HandedTables {
  readonly named: readonly UnreadTable[];
  /** How many are of users of whom nothing is here: who they are is nobody's business who gets it. */
  readonly others: number;
}

export const NOTHING_UNREAD: HandedTables = { named: [], others: 0 };

type Found = ChosenJobs & {
  readonly unreadTables: readonly UnreadTable[];
  readonly leftOut: readonly LeftOutJob[];
};

/**
 * What is made for others names those of its own users, and of those of whom a job was left out, who are named for it;
 * and titles of conversations of which something is here, or that are named for the same reason.
 *
 * @param found what is in it @param users whom it is about
 */
function handedTables(found: Found, users: Iterable<string>): HandedTables {
  const { leftOut } = found;
  const ids = new Set(Array.from([...users, ...leftOut.map(({ user }) => user)], rowId));
  const titled = new Set(leftOut.map((job) => sessionKey(rowId(job.user), rowId(job.session))));
  const isTitled = ({ user_id: user, session_id: session }: UnreadTable): boolean =>
    found.hasSession(user, session) || titled.has(sessionKey(user, session));
  const named = found.unreadTables
    .filter(({ user_id: user }) => ids.has(user))
    .map((table) => (isTitled(table) ? table : { ...table, session_name: null }));
  return { named, others: found.unreadTables.length - named.length };
}

/** What of a search is told to whoever gets what is made of it; undefined where nobody has searched. @param users whom it is about */
export function searchedOf(
  found: (Found & Omit<Searched, 'unread'>) | undefined,
  users: Iterable<string>,
): Searched | undefined {
  if (!found) return undefined;
  const { facts, leftOut, takenIn } = found;
  return { facts, leftOut, takenIn, unread: handedTables(found, users) };
}
