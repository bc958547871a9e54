/** A company whose sessions change by chance, and nightly runs over it that go on with their lap. */
import type { CommitFacts } from '../../../src/archive/log/log-view.js';
import type { ListingsOfUser } from '../../../src/archive/log/newest-listings.js';
import {
  emptyState,
  type JobState,
  type UserState,
} from '../../../src/archive/state/user-state.js';
import { silentLogger } from '../../../src/base/logger.js';
import { RunLap, type LapLog } from '../../../src/export/laps/run-lap.js';
import { asJobId, asSessionId, asUserId, type UserId } from '../../../src/model/ids.js';
import type { SessionRecord, Verbatim } from '../../../src/model/records.js';
import type { Pace } from '../../../src/service/pace/pace.js';
import { RequestBudget } from '../../../src/service/pace/request-budget.js';
import type { FakeClock } from '../base/fake-clock.js';
import { createMemoryStorage } from '../store/memory-storage.js';

export interface FleetOptions {
  readonly clock: FakeClock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly users: number;
  readonly sessionsPerUser: number;
  /** The share of the sessions that changes from one night to the next, new ones included. */
  readonly changing: number;
  /** Of the changes, the share that happens to sessions which are new or have changed within a week. */
  readonly lately: number;
  /** Of those, the share that are new sessions. */
  readonly fresh: number;
  readonly maxStalenessMs: number;
  /** Requests a second. */
  readonly rate: number;
}

export const DAY_MS = 86_400_000;
const PAGE_SIZE = 100;
const UNLIMITED: Pace = {
  acquire: () => Promise.resolve(),
  hold: () => Promise.resolve(() => undefined),
  answered: () => undefined,
  slowDown: () => undefined,
};

/** Of a session, at a moment; the night whose run could see it first. */
interface Change {
  readonly atMs: number;
  readonly night: number;
}

interface SimulatedSession {
  readonly record: Verbatim<SessionRecord>;
  changedAtMs: number;
  /** Changes that no run has seen. */
  open: Change[];
  /** When each of the jobs in the archive came to light. */
  readonly seenAtMs: number[];
  /** When another tool deletes it. */
  readonly goneAtMs: number;
  checkedAtMs: number | undefined;
}

export class SimulatedFleet {
  readonly #users: SimulatedSession[][];
  /** When each user was listed last. */
  readonly #listings = new Map<
    UserId,
    { readonly listed_at: string; readonly listed: number; readonly complete: boolean }
  >();
  /** The commit that lists each user last. */
  readonly #commits = new Map<UserId, number>();
  #listed = 0;
  /** When each user was listed first, by the order of that. */
  readonly #since: { readonly user: UserId; readonly atMs: number }[] = [];
  readonly #storage = createMemoryStorage();
  #recent: SimulatedSession[] = [];
  /** Of each change that was archived: how long that took, and whether the first run that could saw it. */
  readonly archived: { readonly delayMs: number; readonly sameNight: boolean }[] = [];
  #made = 0;
  #night = 0;
  /** Changes that have not happened yet, by their times: each happens while a run goes on, or before one. */
  #ahead: { readonly atMs: number; readonly happen: () => void }[] = [];

  /** All sessions last changed between a week and two years ago, and nothing is archived. */
  constructor(readonly options: FleetOptions) {
    const { users, sessionsPerUser, clock, random } = options;
    this.#users = Array.from({ length: users }, () => []);
    for (let user = 0; user < users; user++) {
      for (let i = 0; i < sessionsPerUser; i++) {
        this.#add(user, clock.now() - (7 + random() * 723) * DAY_MS);
      }
    }
  }

  /** What a run over everything asks for. */
  get fullPass(): number {
    return this.#users.reduce((sum, { length }) => sum + pagesOf(length) + length, 0);
  }

  /** Since when changes wait that no run has seen. */
  get openSinceMs(): number[] {
    return this.#users.flat().flatMap(({ open }) => open.map(({ atMs }) => atMs));
  }

  /** How long ago each session was checked, or made. */
  checkAgesMs(nowMs: number): number[] {
    return this.#users
      .flat()
      .map(({ checkedAtMs, changedAtMs }) => nowMs - (checkedAtMs ?? changedAtMs));
  }

  /** The changes between two runs, each at its own moment. */
  live(fromMs: number, toMs: number): void {
    this.schedule(fromMs, toMs);
    this.#happen(toMs);
  }

  /** The same, of which each happens in its time. */
  schedule(fromMs: number, toMs: number): void {
    const { random, changing, lately, fresh } = this.options;
    this.#night++;
    const night = this.#night;
    this.#recent = this.#recent.filter(({ changedAtMs }) => changedAtMs > fromMs - 7 * DAY_MS);
    const changes = Math.round(this.#users.flat().length * changing);
    for (let i = 0; i < changes; i++) {
      const atMs = fromMs + random() * (toMs - fromMs);
      this.#ahead.push({
        atMs,
        happen: () => {
          const session = random() < lately ? this.#recentOne(random() < fresh) : this.#anyOne();
          session.changedAtMs = Math.max(session.changedAtMs, atMs);
          session.open.push({ atMs, night });
          this.#recent.push(session);
        },
      });
    }
    this.#ahead.sort((a, b) => a.atMs - b.atMs);
  }

  /** A session that is asked one question, and that another tool deletes. @returns whether it is archived by now */
  scheduleShortLived(atMs: number, lifeMs: number): () => boolean {
    const { random } = this.options;
    let session: SimulatedSession | undefined;
    this.#ahead.push({
      atMs,
      happen: () => {
        session = this.#add(Math.floor(random() * this.#users.length), atMs, atMs + lifeMs);
        session.open.push({ atMs, night: this.#night });
      },
    });
    this.#ahead.sort((a, b) => a.atMs - b.atMs);
    return () => session !== undefined && session.seenAtMs.length > 0;
  }

  #happen(nowMs: number): void {
    while ((this.#ahead[0]?.atMs ?? Infinity) <= nowMs) this.#ahead.shift()?.happen();
  }

  /** One night's run; returns the requests that it has made. @param requests all that it may make */
  async run(requests: number): Promise<number> {
    const { clock, maxStalenessMs, rate } = this.options;
    const budget = new RequestBudget(UNLIMITED, { clock, maxRequests: requests });
    const lap = new RunLap({
      storage: this.#storage,
      index: this.#log(),
      scope: { name: 'all' },
      budget: { requests: budget, maxStalenessMs },
      rereadMs: 30 * DAY_MS,
      pageSize: PAGE_SIZE,
      clock,
      logger: silentLogger,
    });
    const users = new Map(this.#users.map((_, index) => [asUserId(`user ${index}`), index]));
    await lap.prepare(users.keys());
    for (const user of lap.inTurn([...users.keys()])) {
      if (lap.isExhausted) break;
      this.#happen(clock.now());
      const before = budget.spent;
      const all = this.#users[users.get(user) ?? 0] ?? [];
      const sessions = all.filter(({ goneAtMs }) => goneAtMs > clock.now());
      const visit = lap.begin(stateOf(user, sessions));
      if (!visit) break;
      await this.#ask(budget, pagesOf(sessions.length));
      const byId = new Map(sessions.map((session) => [session.record.value.id, session]));
      for (const { value } of visit.inTurn(sessions.map(({ record }) => record))) {
        const session = byId.get(value.id);
        if (!session) continue;
        await visit.take(value.id, async () => {
          await this.#ask(budget, 1);
          const kind = this.#archive(session);
          if (this.#pagesToRead(kind) > 1 && budget.remaining() >= 1) await this.#ask(budget, 1);
        });
      }
      this.#commits.set(user, ++this.#listed);
      if (!this.#listings.has(user)) this.#since.push({ user, atMs: clock.now() });
      this.#listings.set(user, {
        listed_at: new Date(clock.now()).toISOString(),
        listed: sessions.length,
        complete: visit.postponed.every(
          (id) => (byId.get(asSessionId(id))?.seenAtMs.length ?? 0) > 0,
        ),
      });
      await lap.committed(user);
      await clock.advance(((budget.spent - before) * 1000) / rate);
    }
    await lap.end();
    return budget.spent;
  }

  async #ask(budget: RequestBudget, requests: number): Promise<void> {
    for (let request = 0; request < requests; request++) await budget.acquire();
  }

  #log(): LapLog {
    const listings = this.#since.map(({ user }, since) => {
      const entry = { ...this.#listings.get(user), gaps: 0, error: null };
      const last = { entry, commit: this.#commits.get(user) ?? 0 };
      return [user, { since, last, lastOfAll: last }] as unknown as [UserId, ListingsOfUser];
    });
    return {
      through: 0,
      lastErasure: 0,
      digestOf: () => null,
      refresh: () => Promise.resolve(),
      commit: (since) => ({ atMs: this.#since[since]?.atMs }) as CommitFacts,
      acceptedGaps: { find: () => undefined } as unknown as LapLog['acceptedGaps'],
      listings: () => Promise.resolve(new Map(listings)),
    };
  }

  /** What has changed may have grown beyond a page. */
  #pagesToRead(kind: 'changed' | 'unchanged'): number {
    return kind === 'changed' && this.options.random() < 0.1 ? 2 : 1;
  }

  #archive(session: SimulatedSession): 'changed' | 'unchanged' {
    const nowMs = this.options.clock.now();
    session.checkedAtMs = nowMs;
    if (session.seenAtMs.length > 0 && session.open.length === 0) return 'unchanged';
    for (const { atMs, night } of session.open) {
      this.archived.push({ delayMs: nowMs - atMs, sameNight: night === this.#night });
    }
    session.open = [];
    session.seenAtMs.push(nowMs);
    return 'changed';
  }

  #add(user: number, changedAtMs: number, goneAtMs = Infinity): SimulatedSession {
    const id = asSessionId(`session ${++this.#made}`);
    const record = { value: { id }, text: '{}' };
    const rest = { open: [], seenAtMs: [], checkedAtMs: undefined };
    const session: SimulatedSession = { record, changedAtMs, goneAtMs, ...rest };
    this.#users[user]?.push(session);
    return session;
  }

  #recentOne(isFresh: boolean): SimulatedSession {
    const { random } = this.options;
    const recent = isFresh ? undefined : this.#recent[Math.floor(random() * this.#recent.length)];
    return recent ?? this.#add(Math.floor(random() * this.#users.length), 0);
  }

  #anyOne(): SimulatedSession {
    const { random } = this.options;
    const sessions = this.#users[Math.floor(random() * this.#users.length)] ?? [];
    return sessions[Math.floor(random() * sessions.length)] ?? this.#recentOne(true);
  }
}

function pagesOf(sessions: number): number {
  return Math.max(1, Math.ceil(sessions / PAGE_SIZE));
}

/** Ids have no timestamp here: the archive knows only the changes that its runs have found. */
function stateOf(user: UserId, sessions: readonly SimulatedSession[]): UserState {
  return {
    ...emptyState(user),
    sessions: new Map(
      sessions
        .filter(({ seenAtMs }) => seenAtMs.length > 0)
        .map(({ record, seenAtMs }) => {
          const jobs = new Map(
            seenAtMs.map((atMs, index) => [asJobId(`job ${index}`), jobOf(atMs, index)]),
          );
          const { length } = seenAtMs;
          const counts = { version: 1, total: length, archived: length, growth: null };
          const rest = { metaHash: '', complete: true, goneAt: null, gaps: [], deleted: false };
          return [record.value.id, { ...counts, ...rest, jobs, withdrawn: new Map() }];
        }),
    ),
  };
}

function jobOf(seenAtMs: number, index: number): JobState {
  const seen_at = new Date(seenAtMs).toISOString();
  return {
    version: 1,
    hash: '',
    text_hash: null,
    urls: null,
    files: null,
    settled: true,
    seen_at,
    index,
    gaps: 0,
    suspicious: 0,
  };
}
