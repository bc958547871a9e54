/**
 * Decides which sessions a run with a budget checks. All sessions of all users are sorted by priority; those
 * above a cutoff are checked. The cutoff moves with what the run finds and spends. Pure.
 */
import type { UserChecks, SessionCheck } from '../../archive/state/user-checks.js';
import type { UserId } from '../../model/ids.js';

interface PlannerOptions {
  readonly nowMs: number;
  readonly maxStalenessMs: number;
  /** Requests that the run may make in total. */
  readonly requests: number;
  /** Sessions per page of a listing. */
  readonly pageSize: number;
}

/** Decides which of a user's sessions are checked. */
export interface Choice {
  /** Sessions of a lower priority wait for a later run; new ones do not. */
  readonly cutoff: number;
  /** The number of sessions checked whose priority equals the cutoff. */
  readonly ties: number;
  /** From this age on `maxStaleness` requires a session to be checked in this run. */
  readonly dueAgeMs: number;
  /** The start of the run; ages of all users are counted up to it. */
  readonly nowMs: number;
}

/** Requests per check until the run has its own average: some sessions have more than one new page. */
const REQUESTS_PER_CHECK = 1.05;
/** Checks after which the run's own average counts. */
const TELLING_CHECKS = 100;
/** The cutoff is computed again each time a tenth of the remaining users have begun. */
const STAYS = 0.9;
/** Lower than every priority: the session's user has begun. */
const BEGUN = -1;
/** What totals count is asked of one list and of one history: kept back, so that nothing new is left for that. */
const ASKED_OF_TOTALS = 2;
const KINDS = ['new', 'incomplete', 'known'] as const;
const DAY_MS = 86_400_000;

export class RevisitPlanner {
  readonly options: PlannerOptions;
  // one number per known session: there may be a million
  readonly #agesMs: number[] = [];
  readonly #idlesMs: number[] = [];
  /** Indexes of `KINDS`. */
  readonly #kinds: number[] = [];
  /** The ranges in these lists of the sessions of remaining users. */
  readonly #places = new Map<UserId, readonly [number, number]>();
  readonly #intervalsMs: number[] = [];
  /** Made when the first user begins; until then not all sessions are known. */
  #priorities: Float64Array | undefined;
  #dueAgeMs = Infinity;
  #cutoff = Infinity;
  #ties = 0;
  /** The number of remaining users at which the cutoff is computed again. */
  #moveAt = Infinity;
  /** Expected pages of listings that are not counted as spent yet. */
  #listings = 0;
  /** Users whose listing is under way: the expected checks, and pages after the first. */
  readonly #begun = new Map<UserId, { readonly checks: number; readonly pagesLeft: number }>();
  /** Chosen checks that are not counted as spent yet. */
  #chosen = 0;
  /** Checks that are counted as spent. */
  #checks = 0;
  #pagesDone = 0;

  constructor(options: PlannerOptions) {
    this.options = options;
  }

  /** Adds the known sessions of a user; all users are added before the first `begin`. */
  add({ user, listingsMs, sessions }: UserChecks): void {
    const { nowMs } = this.options;
    const start = this.#agesMs.length;
    for (const check of sessions.values()) {
      const { ageMs, idleMs, kind } = factsOf(check, nowMs);
      this.#agesMs.push(ageMs);
      this.#idlesMs.push(idleMs);
      this.#kinds.push(KINDS.indexOf(kind));
    }
    this.#places.set(user, [start, this.#agesMs.length]);
    if (sessions.size > 0) this.#listings += this.#pagesOf(sessions.size);
    const intervalMs = usualInterval(listingsMs, nowMs);
    if (intervalMs !== undefined) this.#intervalsMs.push(intervalMs);
  }

  /**
   * Decides which of the user's sessions are checked.
   *
   * @param left requests that are left, and made so far; the user's first page is counted already
   */
  begin(user: UserId, left: { readonly requests: number; readonly spent: number }): Choice {
    const priorities = (this.#priorities ??= this.#prioritise());
    const [start, end] = this.#places.get(user) ?? [0, 0];
    this.#places.delete(user);
    const pages = end > start ? this.#pagesOf(end - start) : 0;
    if (pages > 0) this.#listings--;
    if (this.#places.size <= this.#moveAt) {
      this.#moveCutoff(left, priorities);
      this.#moveAt = Math.floor(this.#places.size * STAYS);
    }
    const own = priorities.subarray(start, end);
    const cutoff = this.#cutoff;
    const ties = Math.min(this.#ties, own.filter((priority) => priority === cutoff).length);
    const checks = ties + own.filter((priority) => priority > cutoff).length;
    this.#ties -= ties;
    priorities.fill(BEGUN, start, end);
    this.#chosen += checks;
    this.#begun.set(user, { checks, pagesLeft: Math.max(0, pages - 1) });
    return { cutoff, ties, dueAgeMs: this.#dueAgeMs, nowMs: this.options.nowMs };
  }

  /** The user's listing is done or has failed: replaces the expected numbers. */
  listed(user: UserId, found: { readonly checks: number; readonly listed: number }): void {
    const expected = this.#begun.get(user);
    if (!expected) return;
    this.#begun.delete(user);
    this.#listings -= expected.pagesLeft;
    this.#pagesDone += this.#pagesOf(found.listed);
    this.#chosen += found.checks - expected.checks;
  }

  /** A chosen check counts as spent from now on, or was left out. */
  checked(isTaken: boolean): void {
    this.#chosen--;
    if (isTaken) this.#checks++;
  }

  /** Ages, at the start of the run, of the sessions of a user who was not begun. */
  agesOf(user: UserId): number[] {
    return this.#agesMs.slice(...(this.#places.get(user) ?? [0, 0]));
  }

  #pagesOf(sessions: number): number {
    return Math.max(1, Math.ceil(sessions / this.options.pageSize));
  }

  /** Computes the cutoff: as many sessions of remaining users as the run can still check. */
  #moveCutoff(
    { requests, spent }: { readonly requests: number; readonly spent: number },
    priorities: Float64Array,
  ): void {
    const requestsPerCheck =
      this.#checks < TELLING_CHECKS
        ? REQUESTS_PER_CHECK
        : Math.max(1, (spent - this.#pagesDone) / this.#checks);
    const forChecks = requests - this.#listings - ASKED_OF_TOTALS;
    const checks = Math.round(forChecks / requestsPerCheck - this.#chosen);
    const left = priorities.filter((priority) => priority !== BEGUN).sort();
    const cutoff = checks > 0 ? (left[left.length - checks - 1] ?? BEGUN) : Infinity;
    this.#cutoff = cutoff;
    this.#ties = Math.max(0, checks - left.filter((priority) => priority > cutoff).length);
  }

  #prioritise(): Float64Array {
    const { requests, maxStalenessMs } = this.options;
    const facts = this.#agesMs.map((ageMs, at) => ({
      ageMs,
      idleMs: this.#idlesMs[at] ?? 0,
      kind: KINDS[this.#kinds[at] ?? 2] ?? 'known',
    }));
    // recently changed sessions come before those that `maxStaleness` will require, unless there was no room
    const waits = facts.filter(
      (known) => (known.kind === 'known' && !isWarm(known)) || known.ageMs >= maxStalenessMs / 2,
    );
    const checks = (requests - this.#listings - ASKED_OF_TOTALS) / REQUESTS_PER_CHECK;
    const intervalMs = this.#intervalsMs.toSorted((a, b) => a - b)[this.#intervalsMs.length >> 1];
    this.#dueAgeMs = dueAge({
      agesMs: Float64Array.from(waits, ({ ageMs }) => ageMs),
      maxStalenessMs,
      intervalMs: Math.min(intervalMs ?? DAY_MS, maxStalenessMs),
      checksPerRun: Math.max(0, checks - (facts.length - waits.length)),
    });
    return Float64Array.from(facts, (known) => priorityOf(known, this.#dueAgeMs));
  }
}

/**
 * Computes the priority of known sessions. Pure. New sessions come first, then incompletely read ones, those that
 * `maxStaleness` requires, recently changed ones, and the rest.
 */

/** Another change is likely within this time after a change. */
const WARM_MS = 7 * DAY_MS;
/** Assumed for sessions without a known time of change. */
const UNKNOWN_IDLE_MS = 30 * DAY_MS;

/** The numbers that decide a session's priority. */
interface CheckFacts {
  /** Time since the last check, or since the first listing if there was none. */
  readonly ageMs: number;
  /** Time since the last change. */
  readonly idleMs: number;
  readonly kind: 'new' | 'incomplete' | 'known';
}

export function factsOf(check: SessionCheck | undefined, nowMs: number): CheckFacts {
  if (!check) return { ageMs: 0, idleMs: 0, kind: 'new' };
  const { checkedAtMs, listedAtMs, changedAtMs, isIncomplete } = check;
  return {
    ageMs: Math.max(0, nowMs - (checkedAtMs ?? listedAtMs)),
    idleMs: changedAtMs === null ? UNKNOWN_IDLE_MS : Math.max(0, nowMs - changedAtMs),
    kind: checkedAtMs === null ? 'new' : isIncomplete ? 'incomplete' : 'known',
  };
}

function isWarm({ idleMs, kind }: CheckFacts): boolean {
  return kind === 'known' && idleMs < WARM_MS;
}

/**
 * Higher comes first. A session that has been idle twice as long is checked half as often, unless
 * `maxStaleness` requires more.
 *
 * @param dueAgeMs from this age on `maxStaleness` requires a check now
 */
export function priorityOf(facts: CheckFacts, dueAgeMs: number): number {
  const { ageMs, idleMs, kind } = facts;
  if (kind === 'new') return 5;
  if (kind === 'incomplete') return 4 + share(ageMs, DAY_MS);
  if (ageMs >= dueAgeMs) return 3 + share(ageMs, DAY_MS);
  if (isWarm(facts)) return 2 - share(idleMs, DAY_MS) + share(ageMs, DAY_MS) * 1e-6;
  return share(ageMs / (idleMs + DAY_MS), 1);
}

/** Maps a value to 0…1, monotonically. */
function share(value: number, half: number): number {
  return value / (value + half);
}

/** Computes the age from which sessions must be checked now, so that later runs can keep `maxStaleness`, too. Pure. */

interface StalenessTarget {
  /** Ages of all sessions that are checked only because of `maxStaleness`, in milliseconds; sorted in place. */
  readonly agesMs: Float64Array;
  readonly maxStalenessMs: number;
  /** The time between two runs. */
  readonly intervalMs: number;
  /** Checks per run that are left for these sessions. */
  readonly checksPerRun: number;
}

/** Share of the interval by which a run may be late. */
const LATENESS = 0.25;
const MAX_RUNS = 100_000;

/**
 * Checks enough sessions now that no later run has more than it can do (earliest deadline first). Most sessions were
 * first checked in the same run, and would all be due in the same run again; so if there is room, each run
 * checks at least an equal share.
 */
export function dueAge({
  agesMs,
  maxStalenessMs,
  intervalMs,
  checksPerRun,
}: StalenessTarget): number {
  agesMs.sort();
  const runsLeft = (ageMs: number): number =>
    Math.max(0, Math.floor((maxStalenessMs - ageMs) / intervalMs - LATENESS));
  let due = Math.min(checksPerRun, agesMs.length / Math.max(1, runsLeft(0)));
  // the oldest first: sessions that `runs` more runs can check in time, and all older ones
  for (let at = agesMs.length - 1, count = 1; at >= 0; at--, count++) {
    const runs = Math.min(MAX_RUNS, runsLeft(agesMs[at] ?? 0));
    due = Math.max(due, runs === 0 ? count : count - runs * checksPerRun);
  }
  return due === 0 ? Infinity : (agesMs[agesMs.length - Math.ceil(due)] ?? 0);
}

/** Listings whose times are kept: enough to ignore one run started by hand, or one that failed. */
export const KEPT_LISTINGS = 4;

/** The usual time between a user's runs: the median of the times between listings; undefined without any. */
function usualInterval(listingsMs: readonly number[], nowMs: number): number | undefined {
  const gaps = listingsMs
    .map((at, index) => (listingsMs[index + 1] ?? nowMs) - at)
    .filter((gapMs) => gapMs > 0)
    .sort((a, b) => a - b);
  return gaps[gaps.length >> 1];
}
