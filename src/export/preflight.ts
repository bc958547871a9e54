/** Lists the sessions of a first user before a new archive is made, because an archive is bound to its service for good. */
import { type Runtime } from '../base/runtime.js';
import { type UserId } from '../model/ids.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';
import { emptyBudgetSummary, type BudgetSummary, type RunBudget } from './export-summary.js';
import type { ServiceClient } from '../service/service-client.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { failureBehindGap } from './jobs/gap.js';
import { failedUser } from './users/user-export.js';
import type { UserOutcome } from './users/user-outcome.js';
import type { UserSource } from './users/user-source.js';

export interface PreflightOptions extends Pick<Runtime, 'clock' | 'signal'> {
  readonly service: Pick<ServiceClient, 'listSessions'>;
  /** Users of all shards. */
  readonly users: Iterable<UserId>;
  readonly source: UserSource | undefined;
}

export interface Preflight {
  /** The first user whose sessions could be listed; undefined if there was none. */
  readonly listed: UserId | undefined;
  /** The users before. */
  readonly refused: readonly UserOutcome[];
  /** Before anybody was listed. */
  readonly isBudgetSpent: boolean;
}

/** The summary of a run whose budget ended before it had begun an archive. */
export function budgetLeft(budget: RunBudget, users: number): BudgetSummary {
  return {
    ...emptyBudgetSummary(budget),
    requests: budget.requests.spent,
    left: { users, sessions: 0 },
  };
}

/** @throws {JobvaultError} the service refuses the key, or no user could be listed and it may be unreachable */
export async function preflight(options: PreflightOptions): Promise<Preflight> {
  const { service, source, signal } = options;
  const failures = new CircuitBreaker();
  const refused: UserOutcome[] = [];
  let unreachable: { readonly error: unknown } | undefined;
  for await (const userId of usersOf(options)) {
    try {
      await service.listSessions({ userId, pageSize: 10, signal });
      return { listed: userId, refused, isBudgetSpent: false };
    } catch (error) {
      if (error instanceof BudgetSpentError && !source) {
        return { listed: undefined, refused, isBudgetSpent: true };
      }
      if (signal.aborted || failures.isFatal(error)) throw error;
      if (failureBehindGap(error) === 'unreachable') {
        // a user source tries its users one by one
        if (source) throw error;
        unreachable = { error };
      }
      const outcome = failedUser(options.clock, userId, error);
      refused.push(outcome);
      source?.settled(userId, outcome);
    }
  }
  if (unreachable) throw unreachable.error;
  return { listed: undefined, refused, isBudgetSpent: false };
}

async function* usersOf({ users, source, signal }: PreflightOptions): AsyncGenerator<UserId> {
  yield* users;
  for (;;) {
    const user = await source?.next(signal, () => true);
    if (user === undefined) return;
    yield user;
  }
}
