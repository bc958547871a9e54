/** A commit as a run asks the log to append it, what the log makes of it and what conflicts with it, and the options of the log. */
import type { Runtime } from '../../base/runtime.js';
import type { Storage } from '../../storage/storage.js';
import { CommitConflictError, type SessionKey } from '../archive-errors.js';
import type { ArchiveIdentity } from '../identity.js';
import { sessionKey } from '../../model/ids.js';
import type { CommitSigner } from './signing.js';
import type { Commit, ErasureEntry, JobLine, Unsealed, UserEntry } from './commit.js';
import type { Lines } from './manifest.js';

type Named = 'kind' | 'run' | 'checkpoint' | 'tool' | 'scope';
type Changes = 'files' | 'removed' | 'sessions' | 'deletions' | 'abandoned';

/** What few commits have: it stands in a commit as in its draft. */
const ENTRIES = [
  'holds',
  'accepted',
  'accepted_images',
  'requests',
  'drill',
  'suppressions',
  'retention',
  'snapshot',
] as const;

type Entries = Pick<Unsealed, (typeof ENTRIES)[number]>;

/** A commit without a number. Lists that are left out are empty. */
export interface CommitDraft
  extends
    Pick<Unsealed, Named | 'artifacts' | 'clock_confirmed'>,
    Partial<Pick<Unsealed, Changes>>,
    Entries {
  /**
   * Number of the newest commit that was read before planning of this draft began, 0 for none: the
   * smallest `through` of the states that it is based on. Later commits of the same run by the same
   * `CommitLog` are no conflict, so a run may keep its first base.
   */
  readonly base: number;
  /** Read once. Their sessions must be in `sessions`: conflicts are noticed by session. */
  readonly jobs?: Lines<JobLine>;
  readonly users?: readonly UserEntry[];
  /** 32 hexadecimal digits; default: random. A commit with the same nonce is not made twice. */
  readonly nonce?: string;
  /** A further conflict, beside those of I-16: whether another run's commit since `base` makes the draft wrong. */
  readonly isOutdatedBy?: (commit: Commit) => boolean;
  /** Makes the entry of an erasure for the commit number that is tried. */
  readonly erasure?: (number: number) => Promise<ErasureEntry>;
  /** Called before each attempt to put the commit. If it was never called, the commit is surely not in the log. */
  readonly onPut?: () => void;
}

/** A draft with all its lists. */
export type WholeDraft = CommitDraft & Required<Pick<CommitDraft, Changes | 'jobs' | 'users'>>;

export function wholeDraft(draft: CommitDraft): WholeDraft {
  return {
    files: [],
    removed: [],
    sessions: [],
    jobs: [],
    deletions: [],
    abandoned: [],
    users: [],
    ...draft,
  };
}

type Added =
  'archive' | 'number' | 'nonce' | 'previous' | 'created_at' | 'jobs' | 'users' | 'erasure';

/** @param added what the log adds to a draft, to put it under a number */
export function unsealedOf(draft: WholeDraft, added: Pick<Unsealed, Added>): Unsealed {
  const { archive, number, nonce, previous, created_at, jobs, users, ...erasure } = added;
  return {
    archive,
    number,
    kind: draft.kind,
    run: draft.run,
    checkpoint: draft.checkpoint,
    nonce,
    base: draft.base,
    previous,
    created_at,
    ...(draft.clock_confirmed && { clock_confirmed: true as const }),
    tool: draft.tool,
    scope: draft.scope,
    files: draft.files,
    removed: draft.removed,
    ...(draft.artifacts && { artifacts: draft.artifacts }),
    sessions: draft.sessions,
    jobs,
    deletions: draft.deletions,
    abandoned: draft.abandoned,
    users,
    ...erasure,
    ...entriesOf(draft),
  };
}

function entriesOf(draft: Entries): Entries {
  const given = ENTRIES.filter((name) => draft[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, draft[name]]));
}

/** Yields the jobs. Throws on a job whose session is not in the draft: its conflicts would not be noticed. */
export async function* checkedJobs({ jobs, sessions }: WholeDraft): AsyncGenerator<JobLine> {
  const named = new Set(sessions.map(({ user, session }) => sessionKey(user, session)));
  for await (const line of jobs) {
    if (!named.has(sessionKey(line.user, line.session)))
      throw new Error(`the session of job ${line.job} is not in the draft`);
    yield line;
  }
}

export interface CommitLogOptions extends Pick<Runtime, 'clock' | 'random'> {
  readonly storage: Storage;
  /** Repeated in every commit that is appended. A commit with another identity is refused when it is read. */
  readonly identity: ArchiveIdentity;
  /** Signs what is appended; default: commits are not signed. */
  readonly signer?: CommitSigner | undefined;
}

/** The part of a draft that can conflict. */
export type ConflictingParts = Pick<
  WholeDraft,
  'files' | 'sessions' | 'deletions' | 'removed' | 'users' | 'snapshot' | 'isOutdatedBy'
>;

/**
 * How the commits of two runs meet: what another run has committed since a draft was planned conflicts with it where both
 * touch a session, rewrite a file, or one erases (I-16 in FORMAT.md). `CommitLog.append` asks; `runs/plan-again.ts` plans again.
 */
export class ConflictSearch {
  readonly #touched: ReadonlySet<string>;
  readonly #removed: ReadonlySet<string>;
  readonly #found = new Map<string, SessionKey>();
  #isRewritten = false;
  readonly #draft: ConflictingParts;

  constructor(draft: ConflictingParts) {
    this.#draft = draft;

    this.#touched = new Set(
      [...draft.sessions, ...draft.deletions].map(({ user, session }) => sessionKey(user, session)),
    );
    this.#removed = new Set(draft.removed);
  }

  /** Compares a commit of another run with the draft. Each commit once. */
  check(commit: Commit): void {
    for (const { user, session } of [...commit.sessions, ...commit.deletions]) {
      const key = sessionKey(user, session);
      if (this.#touched.has(key)) this.#found.set(key, { user, session });
    }
    // if two runs rewrite a file, the second would bring back what the first has left out
    this.#isRewritten ||= commit.removed.some((path) => this.#removed.has(path));
    // the draft may contain what was erased since, which must not come back
    this.#isRewritten ||= commit.erasure !== undefined && !isEmpty(this.#draft);
    this.#isRewritten ||= this.#draft.isOutdatedBy?.(commit) === true;
  }

  /** @throws {CommitConflictError} */
  assertNone(newest: number): void {
    if (this.#found.size === 0 && !this.#isRewritten) return;
    throw new CommitConflictError([...this.#found.values()], newest);
  }
}

function isEmpty(draft: ConflictingParts): boolean {
  const { files, users, sessions, deletions, snapshot } = draft;
  return (
    snapshot === undefined && [files, users, sessions, deletions].every((list) => list.length === 0)
  );
}
