/** Lists the sessions of a first user before a new archive is made, because an archive is bound to its service for good. */
import type { UserId } from '../model/ids.js';
import type { ServiceClient } from '../service/service-client.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { failureBehindGap } from './jobs/gap.js';
import { failedUser, type UserOutcome } from './users/user-export.js';
import type { UserSource } from './users/user-source.js';

export interface PreflightOptions {
  readonly service: Pick<ServiceClient, 'listSessions'>;
  /** Users of all shards. */
  readonly users: Iterable<UserId>;
  readonly source: UserSource | undefined;
  readonly signal: AbortSignal;
}

export interface Preflight {
  /** The first user whose sessions could be listed; undefined if there was none. */
  readonly listed: UserId | undefined;
  /** The users before. */
  readonly refused: readonly UserOutcome[];
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
      return { listed: userId, refused };
    } catch (error) {
      if (signal.aborted || failures.isFatal(error)) throw error;
      if (failureBehindGap(error) === 'unreachable') {
        // a user source tries its users one by one
        if (source) throw error;
        unreachable = { error };
      }
      const outcome = failedUser(userId, error);
      refused.push(outcome);
      source?.settled(userId, outcome);
    }
  }
  if (unreachable) throw unreachable.error;
  return { listed: undefined, refused };
}

async function* usersOf({ users, source, signal }: PreflightOptions): AsyncGenerator<UserId> {
  yield* users;
  for (;;) {
    const user = await source?.next(signal, () => true);
    if (user === undefined) return;
    yield user;
  }
}
