/** Redacts a commit: removes everything that identifies the erased. Pure. */
import type { Json } from '../../base/text/canonical-json.js';
import { asSessionId } from '../../model/ids.js';
import type {
  AcceptedEntry,
  Commit,
  CommitScope,
  GapEntry,
  HoldEntry,
  SessionEntry,
} from '../../archive/log/commit.js';
import type { ErasureTarget } from './erasure-target.js';

const ERASED = '[erased]';

export interface Redaction {
  readonly target: ErasureTarget;
  /** Paths of artifacts that are deleted: they contain digests of erased content. */
  readonly artifacts: ReadonlySet<string>;
}

/**
 * Undefined if nothing has to be removed. The manifests are not changed here: see `LogRedaction`.
 *
 * @param listsErased whether the users manifest names the erased
 */
export function redactCommit(
  commit: Commit,
  { target, artifacts: doomed }: Redaction,
  listsErased: boolean,
): Commit | undefined {
  const kept = {
    sessions: commit.sessions
      .filter((entry) => !target.has(entry))
      .map((entry) => redactDoubts(entry, target)),
    deletions: commit.deletions.filter((entry) => !target.has(entry)),
    artifacts: commit.artifacts.filter(({ path }) => !doomed.has(path)),
    removed: commit.removed.filter((path) => !doomed.has(path)),
    ...(commit.holds && { holds: redactHolds(commit.holds, target) }),
    ...(commit.accepted && { accepted: redactAccepted(commit.accepted, target) }),
  };
  const isAbout =
    listsErased ||
    kept.sessions.length < commit.sessions.length ||
    kept.deletions.length < commit.deletions.length ||
    (kept.holds?.length ?? 0) < (commit.holds?.length ?? 0) ||
    (kept.accepted?.length ?? 0) < (commit.accepted?.length ?? 0);
  const scope = redactScope(commit.scope, target.ids, isAbout);
  const { erasure } = commit;
  const isTextChanged =
    kept.holds?.some((hold) => commit.holds?.includes(hold) !== true) === true ||
    kept.accepted?.some((gap) => commit.accepted?.includes(gap) !== true) === true;
  const isReasonChanged = erasure?.stage === 'begun' && namesAny(erasure.reason, target.ids);
  const isDoubtChanged = kept.sessions.some((entry) => !commit.sessions.includes(entry));
  const isSame =
    !isAbout &&
    !isDoubtChanged &&
    !isReasonChanged &&
    !isTextChanged &&
    scope === commit.scope &&
    kept.artifacts.length === commit.artifacts.length &&
    kept.removed.length === commit.removed.length;
  if (isSame) return undefined;
  return {
    ...commit,
    ...kept,
    scope,
    ...(isReasonChanged ? { erasure: { ...erasure, reason: ERASED } } : {}),
  };
}

/** A session in doubt names the one whose jobs it has. Returns the same object if nothing has to be removed. */
function redactDoubts(entry: SessionEntry, { ids }: ErasureTarget): SessionEntry {
  if (!entry.gaps.some((gap) => isShared(gap, ids))) return entry;
  const gaps = entry.gaps.map((gap) =>
    isShared(gap, ids) ? { ...gap, reason: ERASED, shared_with: asSessionId(ERASED) } : gap,
  );
  return { ...entry, gaps };
}

function isShared(
  { shared_with: other }: Pick<GapEntry, 'shared_with'>,
  ids: ReadonlySet<string>,
): boolean {
  return other !== undefined && ids.has(other);
}

/** Holds of others stay in force. Returns the same objects if nothing has to be removed. */
function redactHolds(holds: readonly HoldEntry[], target: ErasureTarget): readonly HoldEntry[] {
  return holds.filter((hold) => !target.hasHold(hold)).map((hold) => withMaskedTexts(hold, target));
}

/** Accepted gaps of others stay. Returns the same objects if nothing has to be removed. */
function redactAccepted(
  accepted: readonly AcceptedEntry[],
  target: ErasureTarget,
): readonly AcceptedEntry[] {
  return accepted
    .filter((entry) => !target.has(entry))
    .map((entry) =>
      isShared(entry, target.ids) ? { ...entry, shared_with: asSessionId(ERASED) } : entry,
    )
    .map((entry) => withMaskedTexts(entry, target));
}

/** Returns the same object if its texts name nobody. */
function withMaskedTexts<T extends { readonly reason: string; readonly by: string }>(
  entry: T,
  { ids }: ErasureTarget,
): T {
  const masked = (text: string): string => (namesAny(text, ids) ? ERASED : text);
  const [reason, by] = [masked(entry.reason), masked(entry.by)];
  return reason === entry.reason && by === entry.by ? entry : { ...entry, reason, by };
}

/** Whether a text contains any of the ids. */
export function namesAny(text: string | null, ids: Iterable<string>): boolean {
  return text !== null && [...ids].some((id) => text.includes(id));
}

/** Returns the same object if nothing has to be removed. A search phrase is removed with the sessions that it found. */
function redactScope(scope: CommitScope, ids: ReadonlySet<string>, isAbout: boolean): CommitScope {
  const found = { isSame: true };
  const redacted = (value: Json): Json => {
    if (typeof value === 'string' && ids.has(value)) {
      found.isSame = false;
      return ERASED;
    }
    if (Array.isArray(value)) {
      const kept = value.filter((item) => typeof item !== 'string' || !ids.has(item)).map(redacted);
      if (kept.length === value.length) return kept;
      found.isSame = false;
      // an empty list of sessions would mean all of them
      return [...kept, ERASED];
    }
    return value;
  };
  const kept = Object.fromEntries(
    Object.entries(scope).map(([name, value]) => {
      if (name !== 'search' || typeof value !== 'string') return [name, redacted(value)];
      if (!isAbout && !namesAny(value, ids)) return [name, value];
      found.isSame = false;
      return [name, ERASED];
    }),
  );
  return found.isSame ? scope : kept;
}
