/** Goes through users, many at a time: first those that no other run is at work on, then the others. */
import { LeaseHeldError } from '../../archive/runs/lease-held-error.js';
import { concurrently } from '../../base/concurrently.js';
import type { UserId } from '../../model/ids.js';
import type { UserLeases } from './user-leases.js';

export interface UserQueueOptions {
  readonly leases: UserLeases;
  /** Users at a time. */
  readonly width: number;
  readonly signal: AbortSignal;
  /** Aborted when there is no use in waiting for another run any more. */
  readonly timeUp: AbortSignal;
  /** Called with the user's lease held, but for those who were waited for in vain. */
  readonly work: (user: UserId) => Promise<void>;
  /** Commits what is ready, and so lets go of what other runs may be waiting for. */
  readonly commit: () => Promise<void>;
  /** A failure that ends the run, before the others have come to their end. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Nobody waits while holding what others wait for: all that is done is committed, and its leases
 * released, before the first wait and after each user from then on. So two runs cannot block each other.
 *
 * @throws {LeaseHeldError} after all that could be done: a user is another run's, and is not waited for
 */
export async function processUsers(
  users: AsyncIterable<UserId>,
  options: UserQueueOptions,
): Promise<void> {
  const { leases, signal, timeUp, work, commit } = options;
  const taken: UserId[] = [];
  await forEach(users, options, async (user) => {
    if (await leases.tryTake(user, signal)) await work(user);
    else taken.push(user);
  });
  if (taken.length === 0) return;
  await commit();
  let heldByOther: LeaseHeldError | undefined;
  await forEach(taken, options, async (user) => {
    try {
      await leases.take(user, AbortSignal.any([signal, timeUp]));
    } catch (error) {
      if (error instanceof LeaseHeldError) {
        heldByOther ??= error;
        return;
      }
      if (signal.aborted || !timeUp.aborted) throw error;
    }
    await work(user);
    await commit();
  });
  if (heldByOther) throw heldByOther;
}

/** Reports the first failure at once: other users may take long. */
async function forEach(
  users: AsyncIterable<UserId> | Iterable<UserId>,
  { width, signal, onFailure }: UserQueueOptions,
  work: (user: UserId) => Promise<void>,
): Promise<void> {
  async function* untilFailure(): AsyncGenerator<UserId> {
    try {
      for await (const user of users) {
        signal.throwIfAborted();
        yield user;
      }
    } catch (error) {
      onFailure(error);
      throw error;
    }
  }
  await concurrently(untilFailure(), width, async (user) => {
    try {
      await work(user);
    } catch (error) {
      onFailure(error);
      throw error;
    }
  });
  signal.throwIfAborted(); // also where the last of them did not notice
}
