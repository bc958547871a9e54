/**
 * How the commits of two runs meet: what another run has committed since a draft was planned conflicts with it where both
 * touch a session, rewrite a file, or one erases (I-16 in FORMAT.md). `CommitLog.append` asks; `runs/plan-again.ts` plans again.
 */
import { sessionKey } from '../../model/ids.js';
import { CommitConflictError, type SessionKey } from '../archive-errors.js';
import type { Commit, SnapshotEntry, UserEntry } from './commit.js';

/** The part of a draft that can conflict. */
export interface ConflictingParts extends Pick<
  Commit,
  'files' | 'artifacts' | 'sessions' | 'deletions' | 'removed'
> {
  readonly users: readonly UserEntry[];
  readonly snapshot?: SnapshotEntry;
  readonly isOutdatedBy?: (commit: Commit) => boolean;
}

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
  const { files, artifacts, users, sessions, deletions, snapshot } = draft;
  return (
    snapshot === undefined &&
    [files, artifacts, users, sessions, deletions].every((list) => list.length === 0)
  );
}
