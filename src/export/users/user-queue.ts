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
  /** Aborted with the first failure, before the other users end. */
  readonly stop: AbortController;
  /** Aborted when waiting for another run is useless. */
  readonly timeUp: AbortSignal;
  /** Called with the user's lease held, unless the wait for it failed. */
  readonly work: (user: UserId) => Promise<void>;
  /** Commits finished work if anything has changed, and releases leases that other runs may wait for. */
  readonly yieldLeases: () => Promise<void>;
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
  const { leases, width, signal, stop, timeUp, work, yieldLeases } = options;
  const taken: UserId[] = [];
  const takeOrLeave = async (user: UserId): Promise<void> => {
    signal.throwIfAborted();
    if (await leases.tryTake(user, signal)) await work(user);
    else taken.push(user);
  };
  await concurrently(users, width, takeOrLeave, stop);
  if (taken.length === 0) return;
  await yieldLeases();
  let heldByOther: LeaseHeldError | undefined;
  const waitFor = async (user: UserId): Promise<void> => {
    signal.throwIfAborted();
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
  };
  await concurrently(taken, width, waitFor, stop);
  if (heldByOther) throw heldByOther;
}
