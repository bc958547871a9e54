/** Says why a list of everybody cannot be right: a file that became a sign-in page, or was cut, is a list, too. */
import type { Archive } from '../../archive.js';
import { usersReadBy } from './users-of-run.js';
import { fullRuns } from '../../state/run-history.js';
import type { LogIndex } from '../../log/log-index.js';
import { JobvaultError } from '../../../base/error.js';
import { counted } from '../../../base/text/counted.js';
import { userCount } from '../../../model/user-spelling.js';

/** A list that has fewer than this share of the users of late is doubtful. */
const DEFAULT_MIN_USERS = 0.8;

/** Full runs that ended in this time are compared, and the newest one. */
const OF_LATE_MS = 14 * 86_400_000;

export class UsersListError extends JobvaultError {
  override readonly name = 'UsersListError';
  readonly code = 'USERS_LIST_DOUBTFUL';
  readonly disposition = 'fatal';
  readonly failure = 'usage';
}

export interface UsersListRule {
  /** A share above 0. */
  readonly minUsers?: number | undefined;
  /** Whether a list may have only users whom the service has never seen. */
  readonly allowUnlisted: boolean;
}

export interface UsersList {
  readonly users: Iterable<string>;
  /** Which of the users were never seen; undefined where nobody has asked the service for all of them. */
  readonly neverSeen?: ReadonlySet<string>;
  /** Whether a list may have only users whom the service has never seen. Default false. */
  readonly allowUnlisted?: boolean;
  /** The most people whom a full run of late was to read; 0 for none. */
  readonly ofLate?: number;
  /** How many people of those whom the last full run read have, or had, conversations. Default 0: nobody can say. */
  readonly knownOfLate?: number;
  /** A share above 0. */
  readonly minUsers?: number | undefined;
}

/** One sentence; undefined where nothing speaks against the list. Spellings of an id are one user. */
export function whyListIsDoubtful({
  users,
  neverSeen,
  allowUnlisted = false,
  ofLate = 0,
  knownOfLate = 0,
  minUsers = DEFAULT_MIN_USERS,
}: UsersList): string | undefined {
  const markup = whyListIsMarkup(users);
  if (markup !== undefined) return markup;
  const count = userCount(users);
  const known = neverSeen && userCount([...users].filter((user) => !neverSeen.has(user)));
  if (count > 0 && known === 0 && !allowUnlisted) {
    const ids = count === 1 ? 'the one id' : `none of the ${count} ids`;
    const are = count === 1 ? 'is not known' : 'is known';
    return `${ids} of the list of users ${are} to the service: check the users file, and that the API key is one of this project; --allow-unknown-users where nobody has used it yet`;
  }
  if (count < ofLate * minUsers) {
    const share = percent(count / ofLate);
    return `the list of users has ${counted(count, 'user')}, ${share} of the ${ofLate} of a full run of the last 14 days, and --min-users is ${percent(minUsers)}: restore the users file; if the others were meant to leave, lower --min-users for two weeks`;
  }
  if (known !== undefined && known < knownOfLate * minUsers) {
    const share = percent(known / knownOfLate);
    return `the service knows ${known} of the ${counted(count, 'id')} of the list of users, ${share} of the ${knownOfLate} of the last full run, and --min-users is ${percent(minUsers)}: check the ids in the users file; if the others were meant to leave, lower --min-users for a night`;
  }
  return undefined;
}

/** One sentence where an id can be none; undefined of any other list. */
export function whyListIsMarkup(users: Iterable<string>): string | undefined {
  for (const user of users) {
    if (!user.includes('<')) continue;
    return `the list of users has ${JSON.stringify(user.slice(0, 60))} as an id: it looks like a web page; write the users file again`;
  }
  return undefined;
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

/**
 * How many people of those whom the newest full run read have, or had, conversations. A list can keep its length and lose
 * them: a column of other ids is as long.
 *
 * @param archive its index is up to date
 * @param except the run that asks
 */
export async function knownUsersOfLate(archive: Archive, except?: string): Promise<number> {
  const { index } = archive;
  const [newest] = fullRuns(index, except);
  if (!newest) return 0;
  const known = new Set(index.users);
  return userCount(await usersReadBy(archive, newest, (user) => known.has(user)));
}

/**
 * The most people of a full run of late: of an export, or of a run on a queue.
 *
 * @param index up to date
 * @param except the run that asks
 */
export function usersOfLate(index: LogIndex, nowMs: number, except?: string): number {
  const full = fullRuns(index, except);
  const queued = [...index.commits]
    .filter(({ counts }) => counts.scope === 'all' && !counts.doubtful_list)
    .map(({ counts: { at: ended, queued: users } }) => ({ ended, users }))
    .filter(({ users }) => users !== null)
    .reverse();
  const people = new Map<string, number | null>();
  for (const { run, kind, counts } of index.commits) {
    if (kind === 'export') people.set(run, counts.people);
  }
  const exported = full.map(({ run, ended }) => ({ ended, users: people.get(run) ?? null }));
  const compared = [exported, queued].flatMap((runs) =>
    runs.filter(({ ended }, at) => at === 0 || nowMs - Date.parse(ended) <= OF_LATE_MS),
  );
  return compared.reduce((most, { users }) => Math.max(most, users ?? 0), 0);
}
