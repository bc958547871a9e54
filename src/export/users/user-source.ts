/** Users who come one by one while a run is under way: from a queue that other machines take from, too. */
import type { UserId } from '../../model/ids.js';
import type { UserOutcome } from './user-export.js';

export interface UserSource {
  /** So many users may be claimed before what is done is committed; more than are worked on at a time. */
  readonly mostClaimed: number;
  /**
   * The next user, or undefined when the run is to come to its end. Each is given once; a run that
   * begins again, after another's commit, knows those that it has claimed.
   *
   * @param isIdle whether nobody is being worked on: then the run may as well end, and commit
   */
  next(signal: AbortSignal, isIdle: () => boolean): Promise<UserId | undefined>;
  /**
   * A user is done: a commit holds what came of it. Quick, and never throws.
   *
   * @param outcome undefined of a user of whom nothing had to be checked
   */
  settled(user: UserId, outcome: UserOutcome | undefined): void;
}
