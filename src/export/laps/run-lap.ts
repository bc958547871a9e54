/** Takes a run round its users from where the last one stopped: says who comes next, keeps within the budget, saves the place. */
import { assertKnown, type KnownLog } from '../../archive/known-head.js';
import {
  firstLap,
  isTurnOf,
  placeOfSession,
  placeOfUser,
  readLap,
  writeLap,
} from '../../archive/laps.js';
import type { LogIndex } from '../../archive/log/log-index.js';
import type { SessionState, UserState } from '../../archive/state/user-state.js';
import { messageOf } from '../../base/error.js';
import type { Runtime } from '../../base/runtime.js';
import { asUserId, type UserId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import { emptyBudgetSummary, type BudgetSummary, type RunBudget } from '../export-summary.js';
import { rankOf, RANKS, type Rank } from './first-sessions.js';
import { LapProgress } from './lap-progress.js';
import { TurnOrder, type Means } from './turn-order.js';
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

/** What the log has of the last listing of all sessions of a user. */
interface LastListing {
  /** ISO 8601. */
  readonly at: string;
  readonly sessions: number;
  /** When the user was listed first. */
  readonly sinceMs: number;
}

const NEVER_LISTED: LastListing = { at: '', sessions: 0, sinceMs: 0 };

/** How often a run saves the place. If it is killed, the next one repeats so much. */
const PACE_MS = 60_000;
/** The share of a budget that is the lap's in any case. */
const LEAST_SHARE = 0.1;
/** And so many at least: a list and a history, each with the question what its totals count. */
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
  /** Of a run with a budget. */
  readonly #listings = new Map<UserId, LastListing>();
  /** Users of whom such a run reads more than the sessions that come first. */
  readonly #whole = new Set<UserId>();
  /** Of those of them who are visited: how many such sessions have not had their turn. */
  readonly #untried = new Map<UserId, number>();
  /** Sessions that are being read, and whether one was. */
  #running = 0;
  #hasRead = false;
  readonly #visits = new Map<UserId, UserVisit>();
  #hasVisited = false;
  #wasExhausted = false;
  /** Requests of the budget that are the lap's in any case, and how many went to sessions that do not come first. */
  #ofLap = 0;
  #spentOnOthers = 0;

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
    this.#ofLap = Math.max(LEAST, (budget?.requests.remaining() ?? 0) * LEAST_SHARE);
    const stored = scope && index && (await readLap(storage, scope.name));
    if (stored) await assertKnown(index, stored.path, stored.head);
    const place = scope ? 0 : anyPlace([...this.#open], this.#startedAtMs);
    const lap = stored ?? { ...firstLap(this.#startedAtMs), place };
    const nextBegan = (): number => scope?.nextBeganAtMs ?? clock.now();
    this.#progress = new LapProgress(lap, this.#open, nextBegan);
    if (!index || !budget) return;
    for (const [user, { since, lastOfAll }] of await index.listings()) {
      if (!lastOfAll) continue;
      const { listed_at: at, listed: all } = lastOfAll.entry;
      this.#listings.set(user, { at, sessions: all, sinceMs: index.commit(since)?.atMs ?? 0 });
    }
  }

  /** The users in the order in which they are visited. Asked again, it has those whose visit is not committed. */
  *inTurn(users: readonly UserId[]): Generator<UserId> {
    const pending = new Set(users);
    const round = this.#progress?.round.filter((user) => pending.has(user)) ?? users;
    if (!this.#options.budget) {
      yield* round;
      return;
    }
    const lastOf = (user: UserId): LastListing => this.#listings.get(user) ?? NEVER_LISTED;
    const progress = this.#progress;
    const sessionsOf = (user: UserId): number =>
      Math.ceil(lastOf(user).sessions * (progress?.shareOf(user) ?? 1));
    const order = new TurnOrder({
      round,
      first: round.filter((user) => lastOf(user) === NEVER_LISTED),
      longestWaiting: round.toSorted((a, b) => textOrder(lastOf(a).at, lastOf(b).at)),
      sessionsOf,
    });
    for (let turn = order.next(this.#means); turn; turn = order.next(this.#means)) {
      if (turn.isWhole) {
        this.#whole.add(turn.user);
        this.#untried.set(turn.user, sessionsOf(turn.user));
      }
      yield turn.user;
    }
  }

  /** Once true, the run begins no further user or session. */
  get isExhausted(): boolean {
    const { budget } = this.#options;
    this.#wasExhausted ||= budget !== undefined && budget.requests.remaining() <= 0;
    return this.#wasExhausted;
  }

  /** Undefined if the user is left to a later run. */
  begin(state: UserState): UserVisit | undefined {
    const { user } = state;
    if (!this.#tryTake(user, 'user')) return undefined;
    const { scope, rereadMs } = this.#options;
    this.#waiting.delete(user);
    this.#hasVisited = true;
    const lap = this.#progress?.lapOf(user);
    const visit = new UserVisit({
      inTurn: (sessions) => this.#ranked(state, sessions),
      tryTake: (rank) => this.#tryTake(user, rank),
      onRunning: (more) => {
        this.#running += more;
        this.#hasRead ||= more < 0;
      },
      isWhole: (session) =>
        scope !== undefined && lap !== undefined && isTurnOf(session, lap, rereadMs),
    });
    this.#visits.set(user, visit);
    return visit;
  }

  /** The run needs no request for the user. */
  notDue(user: UserId): void {
    this.#open.delete(user);
    this.#waiting.delete(user);
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

  /** The log has the result of the user's visit: the lap goes on behind it. */
  async committed(user: UserId): Promise<void> {
    const visit = this.#visits.get(user);
    if (!visit) return;
    this.#visits.delete(user);
    this.#open.delete(user);
    this.#untried.delete(user);
    this.#progress?.visited(user, visit);
    if (this.#summary) {
      this.#summary.checked += visit.read;
      this.#summary.left.sessions += visit.left.length;
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

  get #means(): Means {
    const { listed = 0, first = 0 } = this.#summary ?? {};
    return {
      requests: this.#options.budget?.requests.remaining() ?? Infinity,
      perUser: listed === 0 ? 1 : first / listed,
      ofLap: Math.max(0, this.#ofLap - this.#spentOnOthers),
    };
  }

  /** What all take who have not had their turn. */
  get #requestsAhead(): number {
    let ahead = 0;
    for (const user of this.#waiting) ahead += 1 + (this.#listings.get(user)?.sessions ?? 0);
    for (const untried of this.#untried.values()) ahead += Math.max(0, untried);
    return ahead;
  }

  /** What the first history of a run may take beside its first page. */
  get #askedOfFirst(): number {
    return this.#running > 0 && !this.#hasRead ? 2 : 0;
  }

  /** What users whose turn in the lap is before take, so that it goes on behind them. */
  #untriedBefore(user: UserId): number {
    let sessions = 0;
    for (const [other, untried] of this.#untried) {
      if (this.#progress?.isBefore(other, user) === true) sessions += Math.max(0, untried);
    }
    return sessions;
  }

  #tryTake(user: UserId, turn: Rank | 'user'): boolean {
    if (this.isExhausted) return false;
    const { requests, perUser, ofLap } = this.#means;
    if (turn === 'recent' && requests <= this.#askedOfFirst) return false;
    if (turn === 'passed' && (!this.#whole.has(user) || requests <= this.#requestsAhead))
      return false;
    if (turn === 'other') {
      const kept = (ofLap > 0 ? 0 : this.#waiting.size * perUser) + this.#askedOfFirst;
      const isLeft = !this.#whole.has(user) || requests <= kept + this.#untriedBefore(user);
      this.#untried.set(user, (this.#untried.get(user) ?? 0) - 1);
      if (isLeft) return false;
      this.#spentOnOthers++;
    }
    this.#options.budget?.requests.begin();
    return true;
  }

  #ranked<Session extends ListedSession>(
    { user, sessions }: UserState,
    listed: readonly Session[],
  ): { readonly session: Session; readonly rank: Rank }[] {
    const { budget, index, pageSize } = this.#options;
    const progress = this.#progress;
    if (!budget || !progress || !index) return listed.map((session) => ({ session, rank: 'new' }));
    const { acceptedGaps: accepted } = index;
    const listedSinceMs = this.#listings.get(user)?.sinceMs ?? 0;
    const facts = { user, accepted, listedSinceMs, nowMs: this.#startedAtMs };
    const known: ReadonlyMap<string, SessionState> = sessions;
    const ranked = progress.fromPlace(user, listed).map((session) => {
      const { id } = session.value;
      const rank = rankOf({ ...facts, session: id, known: known.get(id) });
      const isPassed = rank === 'other' && progress.isPassed(user, id);
      return { session, rank: isPassed ? ('passed' as const) : rank };
    });
    ranked.sort((a, b) => RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank));
    const countOf = (wanted: Rank) => ranked.filter(({ rank }) => rank === wanted).length;
    const others = countOf('other');
    if (this.#untried.has(user)) this.#untried.set(user, others);
    if (this.#summary) {
      this.#summary.listed++;
      const pages = Math.max(1, Math.ceil(listed.length / pageSize));
      this.#summary.first += pages + listed.length - others - countOf('passed');
    }
    return ranked;
  }

  async #save(): Promise<void> {
    const { storage, index, scope, clock, logger } = this.#options;
    const lap = this.#progress?.lap;
    if (!index || !lap || !scope || scope.nextBeganAtMs !== undefined) return;
    this.#savedAtMs = clock.monotonic();
    try {
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

/** Where a run begins that has no part in a lap: anywhere, so that several of a kind come to everything. */
function anyPlace(users: readonly UserId[], nowMs: number): number {
  const text = String(nowMs);
  const user = users[placeOfUser(asUserId(text)) % users.length];
  return user === undefined ? 0 : placeOfSession(user, text);
}

function textOrder(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
