/** What a run asks the log to append, and what a log is opened with. */
import type { Clock } from '../../base/clock.js';
import type { Random } from '../../base/random.js';
import type { Storage } from '../../storage/storage.js';
import type { ArchiveIdentity } from '../identity.js';
import type { CommitSigner } from './commit-signer.js';
import type { Commit, ErasureEntry, Unsealed } from './commit.js';
import type { JobLines } from './jobs-companion.js';

type Drafted = 'run' | 'checkpoint' | 'tool' | 'scope' | 'files' | 'removed' | 'artifacts';
type DraftedChanges = 'sessions' | 'deletions' | 'abandoned' | 'users';

/** A commit before it has its place in the log. */
export interface CommitDraft extends Pick<Unsealed, Drafted | DraftedChanges> {
  /**
   * The newest commit that was read before the oldest part of this draft was planned, 0 for none: the
   * smallest `through` of the states behind it. What this very log has appended for the same run
   * since then is no conflict, so a run may keep its first base as long as it goes.
   */
  readonly base: number;
  /** Gone through once. Their sessions must be among `sessions`: that is how a conflict is noticed. */
  readonly jobs: JobLines;
  /** 32 hexadecimal digits; default: random ones. The same again recognises a commit that was made already. */
  readonly nonce?: string;
  /** Whether another run's commit since `base` makes the draft wrong, beside what is found by itself. */
  readonly isOutdatedBy?: (commit: Commit) => boolean;
  /** An erasure, made anew for each number that is tried. */
  readonly erasure?: (number: number) => Promise<ErasureEntry>;
  /** Called before each try to put the commit: after an error without a call it surely does not stand. */
  readonly onPut?: () => void;
}

export interface CommitLogOptions {
  readonly storage: Storage;
  /** Stands in every commit that is appended; one that says otherwise is refused when it is read. */
  readonly identity: ArchiveIdentity;
  readonly clock: Clock;
  readonly random: Random;
  /** Signs what is appended; default: nobody does. */
  readonly signer?: CommitSigner | undefined;
}
