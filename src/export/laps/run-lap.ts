/** Takes a run round its users from where the last one stopped: says who comes next, keeps within the budget, saves the place. */
import { assertKnown, type KnownLog } from '../../archive/witnesses/known-head.js';
import {
  asOf,
  firstLap,
  isAsFar,
  isTurnOf,
  placeOfUser,
  readLap,
  turnsOf,
  writeLap,
} from '../../archive/laps.js';
import type { LogIndex } from '../../archive/log/log-index.js';
import type { UserListing } from '../../archive/log/newest-listings.js';
import { listingsRead } from '../../archive/reading/users/user-listings.js';
import type { SessionState, UserState } from '../../archive/state/user-state.js';
import { messageOf } from '../../base/error.js';
import type { Runtime } from '../../base/runtime.js';
import { asUserId, type UserId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import { emptyBudgetSummary, type BudgetSummary, type RunBudget } from '../export-summary.js';
import { rankOf, RANKS, type Rank } from './first-sessions.js';
import { LapProgress } from './lap-progress.js';
import { UserVisit, type ListedSession } from './user-visit.js';

/** Which lap a run has part in. */
export interface LapScope {
  /** `all`, `queue`, or a shard such as `3-of-16`. */
  readonly name: string;
  /** When the lap behind this one begins, if the run has others who move it: then it saves no place itself. */
  readonly nextBeganAtMs?: number | undefined;
}

/** What the log tells a lap. */
export type LapLog = KnownLog & Pick<LogIndex, 'acceptedGaps' | 'commit' | 'listings'>;

export interface RunLapOptions extends Pick<Runtime, 'clock' | 'logger'> {
  readonly storage: Storage;
  /** Undefined for an archive that does not exist yet. */
  readonly index: LapLog | undefined;
  /** Undefined: the run is for some users or sessions, and has no part in a lap. */
  readonly scope: LapScope | undefined;
  /** Undefined: everything is read. */
  readonly budget: RunBudget | undefined;
  /** In a lap each history is read whole once in this time. */
  readonly rereadMs: number;
  /** Sessions per page of a listing. */
  readonly pageSize: number;
}

/** What the log has of the listings of all sessions of a user. */
interface KnownListings {
  /** The commit of the last one. */
  readonly commit: number;
  readonly sessions: number;
  readonly firstAtMs: number;
}

/** How often a run saves the place. If it is killed, the next one repeats so much. */
const PACE_MS = 60_000;
/** The share of a budget that is the lap's in any case. */
const LEAST_SHARE = 0.1;
/** The least requests of the lap: a list and a history, each with the question what its totals count. */
const LEAST = 4;

export class RunLap {
  readonly #options: RunLapOptions;
  readonly #startedAtMs: number;
  readonly #summary: BudgetSummary | undefined;
  /** Undefined before `prepare`. */
  #progress: LapProgress | undefined;
  #savedAtMs: number;
  /** Users whose visit is not committed. */
  readonly #open = new Set<UserId>();
  /** Users whose visit has not begun. */
  readonly #waiting = new Set<UserId>();
  /** The listings of users in a run with a budget. */
  readonly #listings = new Map<UserId, KnownListings>();
  /** Users in the lap's part of the budget: of the others such a run reads the sessions that come first. */
  readonly #whole = new Set<UserId>();
  readonly #visits = new Map<UserId, UserVisit>();
  /** Users without an answer since the service has answered last: it may be down, and then nothing of them was read. */
  readonly #unanswered = new Set<UserId>();
  /** Their visits, as far as they are committed: the lap goes on behind them when the service answers again. */
  readonly #heldBack = new Map<UserId, UserVisit>();
  #hasVisited = false;
  #wasExhausted = false;
  /** Requests of a budget that are kept for the lap. */
  #ofLap = 0;

  constructor(options: RunLapOptions) {
    const { budget, clock } = options;
    this.#options = options;
    this.#startedAtMs = clock.now();
    this.#savedAtMs = clock.monotonic();
    this.#summary = budget && emptyBudgetSummary(budget);
  }

  /** @throws {IntegrityError} the log has lost a commit that an earlier run knew */
  async prepare(users: Iterable<UserId>): Promise<void> {
    const { storage, index, scope, budget, clock } = this.#options;
    for (const user of users) {
      this.#open.add(user);
      this.#waiting.add(user);
    }
    const stored = scope && index && (await readLap(storage, scope.name));
    if (stored) await assertKnown(index, stored.path, stored.head);
    const now = clock.now();
    // several runs with a budget that have no part in a lap come to everything, too
    const place = scope || !budget ? 0 : placeOfUser(asUserId(String(now)));
    const lap = stored ? asOf(stored, now) : { ...firstLap(now), place };
    this.#progress = new LapProgress(lap, this.#open, {
      nextBeganAtMs: () => scope?.nextBeganAtMs ?? clock.now(),
      seed: this.#isByUsers ? String(lap.number) : scope ? undefined : String(now),
    });
    if (!index || !budget) return;
    const read = await listingsRead(index);
    for (const [user, { since, lastOfAll }] of await index.listings()) {
      if (!lastOfAll) continue;
      const firstAtMs = index.commit(since)?.atMs ?? 0;
      // a list that failed tells of no session that there are none
      const { listed: sessions = 0 } = read(user).ofAll?.entry ?? {};
      this.#listings.set(user, { commit: lastOfAll.commit, sessions, firstAtMs });
    }
    this.#ofLap = Math.max(LEAST, this.#requests * LEAST_SHARE, this.#ofNextUser(lap.place));
  }

  /**
   * The users in the order in which they are visited. Asked again, it has those whose visit is not committed.
   *
   * With a budget, those come last who are in the lap's part of it: so many, from where the lap goes on, as what all others
   * leave is enough for. Before them come the others, whose last list is the oldest: of them is read what comes first.
   */
  *inTurn(users: readonly UserId[]): Generator<UserId> {
    const pending = new Set(users);
    const round = this.#progress?.round.filter((user) => pending.has(user)) ?? users;
    if (!this.#options.budget) return yield* round;
    const part = round.filter((user) => this.#listings.has(user));
    const others = new Set(round.filter((user) => !this.#listings.has(user)));
    if (part.length === 0) this.#ofLap = 0;
    do {
      for (const user of part.splice(this.#usersOfLap(part))) others.add(user);
      for (const user of this.#longestWaiting(others)) {
        if (this.#requests <= this.#ofLap) break;
        others.delete(user);
        yield user;
      }
    } while (others.size === 0 && this.#usersOfLap(part) < part.length);
    for (const user of part) {
      this.#whole.add(user);
      yield user;
    }
    this.#ofLap = 0;
    yield* this.#longestWaiting(others);
  }

  /** Once true, the run begins no further user or session. */
  get isExhausted(): boolean {
    const { budget } = this.#options;
    this.#wasExhausted ||= budget !== undefined && this.#requests <= 0;
    return this.#wasExhausted;
  }

  /**
   * @param last the last listing of all sessions that was read to its end
   * @returns undefined if the user is left to a later run
   */
  begin(state: UserState, last?: UserListing): UserVisit | undefined {
    const { user } = state;
    if (!this.#tryTake(user, 'user')) return undefined;
    const { scope, rereadMs, clock } = this.#options;
    this.#waiting.delete(user);
    this.#hasVisited = true;
    const lap = scope && this.#progress?.lapOf(user);
    const listedAtMs = last && Date.parse(last.entry.listed_at);
    const turns = lap && turnsOf(lap, listedAtMs, clock.now());
    const visit = new UserVisit({
      inTurn: (sessions) => this.#ranked(state, sessions),
      tryTake: (rank) => this.#tryTake(user, rank),
      isWhole: (session) => turns !== undefined && isTurnOf(session, turns, rereadMs),
    });
    this.#visits.set(user, visit);
    return visit;
  }

  /** The run needs no request for the user. */
  notDue(user: UserId): void {
    this.#open.delete(user);
    this.#waiting.delete(user);
  }

  /** The archive skips the user: the lap goes on behind it. */
  skipped(user: UserId): void {
    this.notDue(user);
    this.#progress?.visited(user, { postponed: [], brokenOff: new Set() });
  }

  /** Aborts when the time is up, to end all waits. The caller ends it with `stop`. */
  timeUp(stop: AbortSignal): AbortSignal {
    const { budget, clock } = this.#options;
    const timeUp = new AbortController();
    const leftMs = budget?.requests.remainingMs() ?? Infinity;
    if (leftMs < Infinity) {
      clock.sleep(leftMs, stop).then(
        () => {
          timeUp.abort(new Error('the time of the run is over'));
        },
        () => undefined,
      );
    }
    return timeUp.signal;
  }

  /** @param isAnswered false: the service could not be reached for the user's list, or for some of the histories */
  listed(user: UserId, { isAnswered }: { readonly isAnswered: boolean }): void {
    if (!isAnswered) {
      this.#unanswered.add(user);
      return;
    }
    this.#unanswered.clear();
    for (const [other, visit] of this.#heldBack) this.#progress?.visited(other, visit);
    this.#heldBack.clear();
  }

  /** The log has the result of the user's visit: the lap goes on behind it, unless the service does not answer any more. */
  async committed(user: UserId): Promise<void> {
    const visit = this.#visits.get(user);
    if (!visit) return;
    this.#visits.delete(user);
    this.#open.delete(user);
    if (this.#unanswered.has(user)) this.#heldBack.set(user, visit);
    else this.#progress?.visited(user, visit);
    if (this.#summary) {
      this.#summary.checked += visit.read;
      this.#summary.left.sessions += visit.postponed.length;
    }
    if (this.#options.clock.monotonic() - this.#savedAtMs >= PACE_MS) await this.#save();
  }

  /** Ends the run. @returns the summary of its budget, if it has one */
  async end(): Promise<BudgetSummary | undefined> {
    if (this.#hasVisited) await this.#save();
    const { budget, clock } = this.#options;
    const summary = this.#summary;
    if (!summary || !budget) return undefined;
    summary.requests = budget.requests.spent;
    summary.left.users = this.#open.size;
    const lap = this.#options.scope && this.#progress?.lap;
    if (lap) summary.lap = { number: lap.number, began_at: new Date(lap.beganAtMs).toISOString() };
    summary.overdue = lap !== undefined && clock.now() - lap.beganAtMs > budget.maxStalenessMs;
    return summary;
  }

  /** The requests that the budget has left. */
  get #requests(): number {
    return this.#options.budget?.requests.remaining() ?? Infinity;
  }

  /** What those who wait take: lists, and sessions that come first, by what those so far have taken. */
  get #requestsOfWaiting(): number {
    const { listed = 0, first = 0 } = this.#summary ?? {};
    const { size } = this.#waiting;
    return (size * (first + size)) / Math.max(1, listed + size);
  }

  /** How many of the users, from the first on, the lap has requests for: at least one, and the last one in part. */
  #usersOfLap(users: readonly UserId[]): number {
    const allowed = Math.max(this.#requests - this.#requestsOfWaiting, this.#ofLap);
    let sessions = 0;
    const last = users.findIndex((user) => {
      sessions += this.#listings.get(user)?.sessions ?? 0;
      return sessions > allowed;
    });
    return last < 0 ? users.length : last + 1;
  }

  #longestWaiting(users: Iterable<UserId>): UserId[] {
    const commitOf = (user: UserId): number => this.#listings.get(user)?.commit ?? 0;
    return [...users].sort((a, b) => commitOf(a) - commitOf(b));
  }

  /** The lap of a queue goes on at a user, not within one: so it needs enough for all sessions of that. */
  #ofNextUser(place: number): number {
    const [next] = this.#progress?.round ?? [];
    if (!this.#isByUsers || next === undefined || placeOfUser(next) !== place) return 0;
    return 2 + (this.#listings.get(next)?.sessions ?? 0);
  }

  #tryTake(user: UserId, turn: Rank | 'user'): boolean {
    if (this.isExhausted || turn === 'passed') return false;
    const isOfLap = this.#whole.has(user);
    const requests = this.#requests;
    if (turn === 'other') {
      if (!isOfLap || (requests <= this.#requestsOfWaiting && this.#ofLap <= 0)) return false;
      this.#ofLap--;
    } else if (isOfLap) {
      // sessions with gaps that stay could use up all of it in every run
      if (turn === 'first' && requests < this.#ofLap / 2) return false;
    } else if (requests <= this.#ofLap) return false;
    this.#options.budget?.requests.begin();
    return true;
  }

  /** Several exports of a run of a queue move its lap together, when the run ends. */
  get #isByUsers(): boolean {
    return this.#options.scope?.nextBeganAtMs !== undefined;
  }

  #ranked<Session extends ListedSession>(
    { user, sessions }: UserState,
    listed: readonly Session[],
  ): { readonly session: Session; readonly rank: Rank }[] {
    const { budget, index, pageSize } = this.#options;
    const progress = this.#progress;
    if (!budget || !progress || !index) return listed.map((session) => ({ session, rank: 'new' }));
    const { acceptedGaps: accepted } = index;
    const listedSinceMs = this.#listings.get(user)?.firstAtMs ?? 0;
    const facts = { user, accepted, listedSinceMs, nowMs: this.#startedAtMs };
    const known: ReadonlyMap<string, SessionState> = sessions;
    const ranked = progress.fromPlace(user, listed).map((session) => {
      const { id } = session.value;
      const rank = rankOf({ ...facts, session: id, known: known.get(id) });
      // so that the lap goes on, whatever else of the user comes first
      if (progress.isNext(user, id)) return { session, rank: 'new' as const };
      const isPassed = rank === 'other' && progress.isPassed(user, id);
      return { session, rank: isPassed ? ('passed' as const) : rank };
    });
    ranked.sort((a, b) => RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank));
    const countOf = (wanted: Rank) => ranked.filter(({ rank }) => rank === wanted).length;
    if (this.#summary && this.#listings.has(user)) {
      this.#summary.listed++;
      const pages = Math.max(1, Math.ceil(listed.length / pageSize));
      this.#summary.first += pages + countOf('new') + countOf('first');
    }
    return ranked;
  }

  async #save(): Promise<void> {
    const { storage, index, scope, clock, logger } = this.#options;
    const lap = this.#progress?.lap;
    if (!index || !lap || !scope || this.#isByUsers) return;
    this.#savedAtMs = clock.monotonic();
    try {
      // another run may have gone further meanwhile
      const stored = await readLap(storage, scope.name);
      if (stored && isAsFar(asOf(stored, clock.now()), lap)) return;
      await index.refresh();
      const head = { number: index.through, digest: index.digestOf(index.through) };
      await writeLap(storage, scope.name, { ...lap, head });
    } catch (error) {
      logger.warn(
        { reason: messageOf(error) },
        'cannot save how far the run has come; the next one begins where this one began',
      );
    }
  }
}
