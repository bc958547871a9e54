/** Which sessions are to go, as the caller says it. */
import { Holds } from '../archive/holds/holds.js';
import type { CommitScope } from '../archive/log/commit.js';

export interface PruneRules {
  /** Every session that may go; narrows nothing. */
  readonly all: boolean;
  /** Only sessions in which nothing has happened for so long: see `archive/state/session-age.ts`. */
  readonly olderThanMs?: number | undefined;
  /** How many of the newest sessions of each user stay; those that cannot be told apart all stay. */
  readonly keep?: number | undefined;
  /** Only as many of a user's sessions, oldest change first, as leave this many free under the cap. */
  readonly freeSlots?: number | undefined;
  /** Only these users; all when empty. */
  readonly users: readonly string[];
  /** Only these sessions; all when empty. */
  readonly sessions: readonly string[];
  /** What stays, whatever the other rules say. */
  readonly holds: Holds;
  /** Whether a hold may match nothing in the archive. */
  readonly allowUnknownHolds: boolean;
  /** Kinds of files that a session may point to without their being fetched. */
  readonly acceptUnfetched: ReadonlySet<string>;
  /** Whether sessions may go that have files whose content is doubtful. */
  readonly acceptSuspicious: boolean;
  /** Whether this machine's clock counts where the service's answers have no `Date` to check it with. */
  readonly trustThisClock: boolean;
  /** Deletions of one run. */
  readonly maxDelete: number;
}

const PRUNE_DEFAULTS = { maxDelete: 1000 } as const;

/** Rules with what is not said filled in. */
export function pruneRules(said: Partial<PruneRules>): PruneRules {
  return {
    all: false,
    users: [],
    sessions: [],
    holds: Holds.none,
    allowUnknownHolds: false,
    acceptUnfetched: new Set<string>(),
    acceptSuspicious: false,
    trustThisClock: false,
    maxDelete: PRUNE_DEFAULTS.maxDelete,
    ...said,
  };
}

/** Whether something is said that chooses sessions: without it nothing is deleted. */
export function choosesSessions(rules: PruneRules): boolean {
  const { all, olderThanMs, keep, freeSlots, sessions } = rules;
  const limits = [olderThanMs, keep, freeSlots];
  return all || sessions.length > 0 || limits.some((limit) => limit !== undefined);
}

/** As the commits of a run name them. */
export function commitScopeOf(rules: PruneRules): CommitScope {
  const { olderThanMs, keep, freeSlots, users, sessions } = rules;
  return {
    older_than_ms: olderThanMs ?? null,
    keep: keep ?? null,
    free_slots: freeSlots ?? null,
    users: users.length,
    sessions,
  };
}
