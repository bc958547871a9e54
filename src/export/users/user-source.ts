/** A source of users during a run: a queue that several machines share. */
import type { UserId } from '../../model/ids.js';
import type { Gap } from '../jobs/gap.js';
import type { UserOutcome } from './user-outcome.js';

export interface UserSource {
  /** The most users that may be claimed before finished ones are committed; more than are processed at a time. */
  readonly maxClaimed: number;
  /**
   * The next user, or undefined when the run should end. Each user is given once; a run that plans again after a
   * conflict remembers those that it has claimed.
   *
   * @param isIdle whether no user is being processed: then the run may as well end, and commit
   */
  next(signal: AbortSignal, isIdle: () => boolean): Promise<UserId | undefined>;
  /** Whether the service must have listed a session of the user: else that is a gap. */
  isExpected(user: UserId): boolean;
  /**
   * A user is done and committed. Quick, and never throws.
   *
   * @param outcome undefined for a user that needed no check
   */
  settled(user: UserId, outcome: UserOutcome | undefined): void;
  /**
   * Called where something is in doubt of a user who was settled before: found at the end, and committed. Quick, and
   * never throws.
   */
  doubted(user: UserId, gaps: readonly Gap[]): void;
}
