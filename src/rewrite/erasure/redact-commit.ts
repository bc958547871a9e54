/** What an erasure leaves of a commit: everything but what tells of whom it is about. Pure. */
import type { Json } from '../../base/canonical-json.js';
import type { Commit, CommitScope, HoldEntry } from '../../archive/log/commit.js';
import type { Subject } from './subject.js';

const ERASED = '[erased]';

export interface Redaction {
  readonly subject: Subject;
  /** Paths of artifacts that go: their names are digests of what was in them. */
  readonly artifacts: ReadonlySet<string>;
}

/** Undefined where nothing has to go. The list of jobs is left as it is named: see `redactJobs`. */
export function redactCommit(commit: Commit, redaction: Redaction): Commit | undefined {
  const { subject, artifacts: doomed } = redaction;
  const left = {
    sessions: commit.sessions.filter((entry) => !subject.has(entry)),
    deletions: commit.deletions.filter((entry) => !subject.has(entry)),
    users: commit.users.filter(({ user }) => !subject.hasUser(user)),
    artifacts: commit.artifacts.filter(({ path }) => !doomed.has(path)),
    removed: commit.removed.filter((path) => !doomed.has(path)),
    ...(commit.holds && { holds: holdsLeft(commit.holds, subject) }),
  };
  const isTold =
    left.sessions.length < commit.sessions.length ||
    left.deletions.length < commit.deletions.length ||
    left.users.length < commit.users.length ||
    (left.holds?.length ?? 0) < (commit.holds?.length ?? 0);
  const scope = scopeLeft(commit.scope, subject.ids, isTold);
  const { erasure } = commit;
  const isHoldTold = left.holds?.some((hold) => commit.holds?.includes(hold) !== true) === true;
  const isReasonTold = erasure?.stage === 'begun' && namesAny(erasure.reason, subject.ids);
  const isSame =
    !isTold &&
    !isReasonTold &&
    !isHoldTold &&
    scope === commit.scope &&
    left.artifacts.length === commit.artifacts.length &&
    left.removed.length === commit.removed.length;
  if (isSame) return undefined;
  return {
    ...commit,
    ...left,
    scope,
    ...(isReasonTold ? { erasure: { ...erasure, reason: ERASED } } : {}),
  };
}

/** Those of others stay in force; the same object where nothing has to go. */
function holdsLeft(holds: readonly HoldEntry[], subject: Subject): readonly HoldEntry[] {
  const left = (text: string): string => (namesAny(text, subject.ids) ? ERASED : text);
  return holds
    .filter((hold) => !subject.hasHold(hold))
    .map((hold) => {
      const [reason, by] = [left(hold.reason), left(hold.by)];
      return reason === hold.reason && by === hold.by ? hold : { ...hold, reason, by };
    });
}

/** Whether a text contains any of the ids. */
export function namesAny(text: string | null, ids: Iterable<string>): boolean {
  return text !== null && [...ids].some((id) => text.includes(id));
}

/** The same object where nothing has to go. A search is somebody's words: it goes with whom it has found. */
function scopeLeft(scope: CommitScope, ids: ReadonlySet<string>, isTold: boolean): CommitScope {
  const found = { isSame: true };
  const leftOf = (value: Json): Json => {
    if (typeof value === 'string' && ids.has(value)) {
      found.isSame = false;
      return ERASED;
    }
    if (Array.isArray(value)) {
      const kept = value.filter((item) => typeof item !== 'string' || !ids.has(item)).map(leftOf);
      if (kept.length === value.length) return kept;
      found.isSame = false;
      // an empty list of sessions would mean all of them
      return [...kept, ERASED];
    }
    return value;
  };
  const kept = Object.fromEntries(
    Object.entries(scope).map(([name, value]) => {
      if (name !== 'search' || typeof value !== 'string') return [name, leftOf(value)];
      if (!isTold && !namesAny(value, ids)) return [name, value];
      found.isSame = false;
      return [name, ERASED];
    }),
  );
  return found.isSame ? scope : kept;
}
