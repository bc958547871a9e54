/** Processes users, many at a time: first those that no other run works on, then the others. Keeps those whose work is not committed yet. */
import { LeaseHeldError } from '../../archive/archive-errors.js';
import { concurrently } from '../../base/concurrently.js';
import type { UserId } from '../../model/ids.js';
import type { UserLeases } from './user-leases.js';

export interface UserQueueOptions {
  readonly leases: UserLeases;
  /** Users at a time. */
  readonly width: number;
  readonly signal: AbortSignal;
  /** Aborted when waiting for another run is useless. */
  readonly timeUp: AbortSignal;
  /** Called with the user's lease held, unless the wait for it failed. */
  readonly work: (user: UserId) => Promise<void>;
  /** Commits finished work if anything has changed, and releases leases that other runs may wait for. */
  readonly yieldLeases: () => Promise<void>;
  /** Called with a fatal failure at once, before the other users end. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * A run never waits while it holds leases of finished users: they are released before the first wait, and after each
 * user from then on. So two runs cannot block each other.
 *
 * @throws {LeaseHeldError} after all other users are done: another run works on a user, with `noWait`
 */
export async function processUsers(
  users: AsyncIterable<UserId>,
  options: UserQueueOptions,
): Promise<void> {
  const { leases, signal, timeUp, work, yieldLeases } = options;
  const taken: UserId[] = [];
  await forEach(users, options, async (user) => {
    if (await leases.tryTake(user, signal)) await work(user);
    else taken.push(user);
  });
  if (taken.length === 0) return;
  await yieldLeases();
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
    await yieldLeases();
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
  signal.throwIfAborted(); // also if the last user did not notice the abort
}
