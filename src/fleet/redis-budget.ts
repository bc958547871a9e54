/** The requests that all workers may send for a run. Redis keeps what is granted; each export gets the share of its users. */
import type { Redis, Result } from 'ioredis';
import type { Clock } from '../base/runtime.js';
import type { BudgetSummary } from '../export/export-summary.js';

/**
 * ARGV: users of the export, users of the run, requests of the run, milliseconds until the key expires. The share of
 * what is left: an export that needs less leaves the rest to the others.
 */
const GRANT = `
local state = redis.call('HMGET', KEYS[1], 'granted', 'users')
local granted, begun = tonumber(state[1]) or 0, tonumber(state[2]) or 0
local users = tonumber(ARGV[1])
local waiting = math.max(users, tonumber(ARGV[2]) - begun)
local grant = math.floor(math.max(0, tonumber(ARGV[3]) - granted) * users / waiting)
redis.call('HINCRBY', KEYS[1], 'granted', grant)
redis.call('HINCRBY', KEYS[1], 'users', users)
redis.call('HINCRBY', KEYS[1], 'open', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return grant
`;
const LIFE_MS = 90 * 86_400_000;
const SETTLING_MS = 10_000;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    jobvaultGrant(
      key: string,
      users: number,
      runUsers: number,
      runRequests: number,
      lifeMs: number,
    ): Result<number, Context>;
  }
}

/** What the exports of a run have done with its budget. */
export interface SpentBudget {
  readonly requests: number;
  readonly checked: number;
  /** Left for later runs: users who were not listed, and listed sessions that were not checked. */
  readonly left: { readonly users: number; readonly sessions: number };
  /** Of these, who have waited for longer than `maxStaleness`. */
  readonly overdue: { readonly users: number; readonly sessions: number };
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
    return this.#redis.jobvaultGrant(this.#key, users, run.users, run.requests, LIFE_MS);
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
      overdue_users: budget?.overdue.users ?? 0,
      overdue_sessions: budget?.overdue.sessions ?? 0,
    };
    const writing = this.#redis.pipeline();
    for (const [field, change] of Object.entries(changes)) {
      if (change !== 0) writing.hincrby(this.#key, field, change);
    }
    for (const [error] of (await writing.exec()) ?? []) if (error) throw error;
  }

  /** Waits for exports that have committed their users and not settled yet; that of a worker that died never will. */
  async settled(clock: Clock): Promise<void> {
    const until = clock.now() + SETTLING_MS;
    while (Number(await this.#redis.hget(this.#key, 'open')) > 0 && clock.now() < until) {
      await clock.sleep(SETTLING_MS / 100);
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
      overdue: { users: count('overdue_users'), sessions: count('overdue_sessions') },
    };
  }
}
