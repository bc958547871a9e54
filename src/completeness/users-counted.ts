/** Counts the users of an archive by how complete they are, and names the first of some. */
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import type { ViewedUser } from '../archive/reading/archive-view.js';
import type { SessionSummary } from '../archive/state/session-summary.js';
import type { UserStatus } from './user-status.js';

export interface UserCounts {
  readonly total: number;
  /** How many people have conversations: spellings of an id that list the same one are one. */
  readonly people: number;
  /** Every user is in one of these four: see `Completeness`. */
  readonly complete: number;
  /** Users of whom only what somebody has decided on is missing: accepted gaps, and what was erased. */
  readonly incomplete_by_decision: number;
  /** Users of whom nothing is known to be missing, and something is in doubt. */
  readonly not_proven: number;
  readonly incomplete: number;
  /** Users whose last listing failed; they are among those that are not complete. */
  readonly failed: number;
  /** Users of whom the service lists nothing any more; they are among the others, too. */
  readonly vanished: number;
  /** Users of whom the service lists nothing, and nothing is archived; they are among the others, too. */
  readonly never_seen: number;
  /** Likewise, whom no export of everybody reads any more, as a mistyped id that was corrected in the list: they are not in `never_seen`. */
  readonly never_seen_unread: number;
  /** Users with something archived whom exports skip, as another spelling was suppressed; they are among the others, too. */
  readonly skipped: number;
  /** Users with 140 sessions or more at the service, which keeps 150, each once of several spellings; they are among the others, too. */
  readonly at_the_cap: number;
}

export const NO_USERS = {
  total: 0,
  people: 0,
  complete: 0,
  incomplete_by_decision: 0,
  not_proven: 0,
  incomplete: 0,
  failed: 0,
  vanished: 0,
  never_seen: 0,
  never_seen_unread: 0,
  skipped: 0,
  at_the_cap: 0,
} satisfies UserCounts;

/** How many users are named who have jobs that may still change, have vanished, are at the cap, or were last listed long ago. */
const NAMED_USERS = 5;

const COUNTED_AS = {
  complete: 'complete',
  'incomplete-by-decision': 'incomplete_by_decision',
  'not-proven': 'not_proven',
  incomplete: 'incomplete',
} as const satisfies Readonly<Record<Completeness, keyof UserCounts>>;

export class UsersCounted {
  readonly vanished: string[] = [];
  readonly neverSeen: string[] = [];
  readonly neverSeenUnread: string[] = [];
  readonly skipped: string[] = [];
  readonly atTheCap: string[] = [];
  /** Who have jobs that may still change. */
  readonly changing: string[] = [];
  readonly #people = new Set<string>();
  readonly #counts = { ...NO_USERS };

  /** @param person which user this is: of several spellings the one that was listed last */
  add(
    { user, sessions, hasNothing, isNeverSeen, isSkipped }: ViewedUser<SessionSummary>,
    status: UserStatus,
    person: string,
  ): void {
    const counts = this.#counts;
    counts.total++;
    if (sessions.length > 0) this.#people.add(person);
    counts[COUNTED_AS[status.status]]++;
    if (status.last_listing?.error != null) counts.failed++;
    if (isVanished(status)) {
      counts.vanished++;
      nameOne(this.vanished, user);
    }
    if (isNeverSeen) {
      counts.never_seen++;
      nameOne(this.neverSeen, user);
    } else if (hasNothing) {
      counts.never_seen_unread++;
      nameOne(this.neverSeenUnread, user);
    }
    if (isSkipped) {
      counts.skipped++;
      nameOne(this.skipped, user);
    }
    if (status.at_the_cap && person === user) {
      counts.at_the_cap++;
      nameOne(this.atTheCap, user);
    }
    if (status.may_change.jobs > 0) nameOne(this.changing, user);
  }

  get counts(): UserCounts {
    return { ...this.#counts, people: this.#people.size };
  }
}

export function nameOne(named: string[], user: string): void {
  if (named.length < NAMED_USERS) named.push(user);
}

function isVanished({ last_listing: last, sessions }: UserStatus): boolean {
  return last?.error === null && last.listed + last.suppressed === 0 && sessions.gone > 0;
}
