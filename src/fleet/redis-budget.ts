/** The requests that all workers may send for a run. Redis keeps what is granted; each export gets the share of its users. */
import type { Redis, Result } from 'ioredis';
import type { Clock } from '../base/runtime.js';
import type { BudgetSummary } from '../export/export-summary.js';
import { LIMITS } from '../model/records.js';

/**
 * ARGV: users of the export, users of the run, requests of the run, milliseconds until the key expires, the most requests
 * that a user takes. An export gets what its users may take, as long as enough is left for the lists of the users who wait
 * and for the sessions that come first of them, by what those so far have taken; at least its share of what is left; the
 * first, with which the lap goes on, at least what a user may take. What it does not need it leaves to the others.
 */
const GRANT = `
local state = redis.call('HMGET', KEYS[1], 'granted', 'users', 'first', 'listed')
local granted, begun = tonumber(state[1]) or 0, tonumber(state[2]) or 0
local first, listed = tonumber(state[3]) or 0, tonumber(state[4]) or 0
local users = tonumber(ARGV[1])
local waiting = math.max(0, tonumber(ARGV[2]) - begun - users)
local left = math.max(0, tonumber(ARGV[3]) - granted)
local kept = waiting * (listed > 0 and first / listed or 1)
local share = left * users / (users + waiting)
local most = tonumber(ARGV[5])
local least = begun == 0 and most or 0
local grant = math.floor(math.min(left, math.max(share, least, math.min(left - kept, users * most))))
redis.call('HINCRBY', KEYS[1], 'granted', grant)
redis.call('HINCRBY', KEYS[1], 'users', users)
redis.call('HINCRBY', KEYS[1], 'open', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return grant
`;
const LIFE_MS = 90 * 86_400_000;
/** A page or two of sessions, and a history for each. */
const MOST_OF_USER = LIMITS.sessionsPerUser + 2;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    jobvaultGrant(
      key: string,
      users: number,
      runUsers: number,
      runRequests: number,
      lifeMs: number,
      mostOfUser: number,
    ): Result<number, Context>;
  }
}

/** What the exports of a run have done with its budget. */
export interface SpentBudget {
  readonly requests: number;
  readonly checked: number;
  /** Left for later runs: users who were not listed, and listed sessions that were not checked. */
  readonly left: { readonly users: number; readonly sessions: number };
}

export class RedisBudget {
  readonly #redis: Redis;
  readonly #key: string;

  /** @param run its name */
  constructor(redis: Redis, queue: string, run: string) {
    redis.defineCommand('jobvaultGrant', { numberOfKeys: 1, lua: GRANT });
    this.#redis = redis;
    this.#key = `${queue}:budget:${run}`;
  }

  /** @returns how many requests an export of so many users may send */
  grant(
    users: number,
    run: { readonly users: number; readonly requests: number },
  ): Promise<number> {
    return this.#redis.jobvaultGrant(
      this.#key,
      users,
      run.users,
      run.requests,
      LIFE_MS,
      MOST_OF_USER,
    );
  }

  /**
   * Ends a grant. That of a worker that dies counts as spent.
   *
   * @param budget undefined if the export has failed: how many requests it has sent is not known
   * @param returned users that were not exported
   */
  async settle(grant: number, budget: BudgetSummary | undefined, returned: number): Promise<void> {
    const changes = {
      open: -1,
      granted: budget ? Math.min(0, budget.requests - grant) : 0,
      users: -returned,
      requests: budget?.requests ?? grant,
      checked: budget?.checked ?? 0,
      left_users: Math.max(0, (budget?.left.users ?? 0) - returned),
      left_sessions: budget?.left.sessions ?? 0,
      first: budget?.first ?? 0,
      listed: budget?.listed ?? 0,
    };
    const writing = this.#redis.pipeline();
    for (const [field, change] of Object.entries(changes)) {
      if (change !== 0) writing.hincrby(this.#key, field, change);
    }
    for (const [error] of (await writing.exec()) ?? []) if (error) throw error;
  }

  /** Waits for exports that have committed their users and not settled yet; that of a worker that died never will. */
  async settled(clock: Clock, settlingMs: number): Promise<void> {
    const until = clock.now() + settlingMs;
    while (Number(await this.#redis.hget(this.#key, 'open')) > 0 && clock.now() < until) {
      await clock.sleep(settlingMs / 100);
    }
  }

  /** Null if the run has no budget. */
  async spent(): Promise<SpentBudget | null> {
    const fields = await this.#redis.hgetall(this.#key);
    if (Object.keys(fields).length === 0) return null;
    const count = (name: string): number => Math.max(0, Math.trunc(Number(fields[name] ?? 0)) || 0);
    return {
      requests: count('requests'),
      checked: count('checked'),
      left: { users: count('left_users'), sessions: count('left_sessions') },
    };
  }
}
