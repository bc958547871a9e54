/** What a run asks the log to append, and what a log is opened with. */
import type { Clock } from '../../base/clock.js';
import type { Random } from '../../base/random.js';
import type { Storage } from '../../storage/storage.js';
import type { ArchiveIdentity } from '../identity.js';
import { sessionKey } from '../../model/ids.js';
import type { CommitSigner } from './commit-signer.js';
import type { Commit, ErasureEntry, HoldEntry, JobLine, Unsealed } from './commit.js';
import type { JobLines } from './jobs-manifest.js';

type Named = 'kind' | 'run' | 'checkpoint' | 'tool' | 'scope';
type Changes = 'files' | 'removed' | 'artifacts' | 'sessions' | 'deletions' | 'abandoned' | 'users';

/** A commit before it has its place in the log. Changes that are left out are none. */
export interface CommitDraft extends Pick<Unsealed, Named>, Partial<Pick<Unsealed, Changes>> {
  /**
   * The newest commit that was read before the oldest part of this draft was planned, 0 for none: the
   * smallest `through` of the states behind it. What this very log has appended for the same run
   * since then is no conflict, so a run may keep its first base as long as it goes.
   */
  readonly base: number;
  /** Gone through once. Their sessions must be among `sessions`: that is how a conflict is noticed. */
  readonly jobs?: JobLines;
  readonly holds?: readonly HoldEntry[];
  /** 32 hexadecimal digits; default: random ones. The same again recognises a commit that was made already. */
  readonly nonce?: string;
  /** Whether another run's commit since `base` makes the draft wrong, beside what is found by itself. */
  readonly isOutdatedBy?: (commit: Commit) => boolean;
  /** An erasure; made again for each commit number that is tried. */
  readonly erasure?: (number: number) => Promise<ErasureEntry>;
  /** Called before each try to put the commit: after an error without a call it surely does not stand. */
  readonly onPut?: () => void;
}

/** A draft with every change spelled out. */
export type WholeDraft = CommitDraft & Required<Pick<CommitDraft, Changes | 'jobs'>>;

export function wholeDraft(draft: CommitDraft): WholeDraft {
  return {
    files: [],
    removed: [],
    artifacts: [],
    sessions: [],
    jobs: [],
    deletions: [],
    abandoned: [],
    users: [],
    ...draft,
  };
}

/** A job whose session is not in the draft could conflict unseen: that would be a bug of the caller. */
export async function* linesOf({ jobs, sessions }: WholeDraft): AsyncGenerator<JobLine> {
  const named = new Set(sessions.map(({ user, session }) => sessionKey(user, session)));
  for await (const line of jobs) {
    if (!named.has(sessionKey(line.user, line.session)))
      throw new Error(`job ${line.job} comes without its session`);
    yield line;
  }
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
