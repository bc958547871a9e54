/** Finds what other runs have committed since a draft was planned, and what it therefore may not say any more (I-16 in FORMAT.md). */
import { sessionKey } from '../../model/ids.js';
import { CommitConflictError, type SessionKey } from './commit-conflict-error.js';
import type { Commit } from './commit.js';

/** What of a draft others may have overtaken. */
export interface Overtakable extends Pick<
  Commit,
  'files' | 'artifacts' | 'users' | 'sessions' | 'deletions' | 'removed'
> {
  readonly isOutdatedBy?: (commit: Commit) => boolean;
}

export class ConflictSearch {
  readonly #touched: ReadonlySet<string>;
  readonly #removed: ReadonlySet<string>;
  readonly #found = new Map<string, SessionKey>();
  #isRewritten = false;
  readonly #draft: Overtakable;

  constructor(draft: Overtakable) {
    this.#draft = draft;

    this.#touched = new Set(
      [...draft.sessions, ...draft.deletions].map(({ user, session }) => sessionKey(user, session)),
    );
    this.#removed = new Set(draft.removed);
  }

  /** Commits of others, each once. */
  look(commit: Commit): void {
    for (const { user, session } of [...commit.sessions, ...commit.deletions]) {
      const key = sessionKey(user, session);
      if (this.#touched.has(key)) this.#found.set(key, { user, session });
    }
    // of two that rewrite a file the second would bring back what the first has left out
    this.#isRewritten ||= commit.removed.some((path) => this.#removed.has(path));
    // what was planned before may be about what is erased, and must not come back
    this.#isRewritten ||= commit.erasure !== undefined && !isEmpty(this.#draft);
    this.#isRewritten ||= this.#draft.isOutdatedBy?.(commit) === true;
  }

  /** @throws {CommitConflictError} */
  assertNone(newest: number): void {
    if (this.#found.size === 0 && !this.#isRewritten) return;
    throw new CommitConflictError([...this.#found.values()], newest);
  }
}

function isEmpty({ files, artifacts, users, sessions, deletions }: Overtakable): boolean {
  return [files, artifacts, users, sessions, deletions].every((list) => list.length === 0);
}
