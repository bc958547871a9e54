/** Redacts a commit: removes everything that identifies the erased. Pure. */
import { isRewrite } from '../log/commit-kinds.js';
import type {
  BegunErasure,
  Commit,
  AcceptedEntry,
  CommitScope,
  FileEntry,
  GapEntry,
  HoldEntry,
  RequestEntry,
  SessionEntry,
} from '../log/commit.js';
import { namesAny } from './named-in.js';
import type { ErasureTarget } from './erasure-target.js';
import { asJobId, asSessionId, asUserId } from '../../model/ids.js';
import { ERASED } from '../../model/ids.js';
import type { Json } from '../../base/text/canonical-json.js';

/** Where a text of people stood that became `[erased]`; never what it said. */
export interface ErasedText {
  /** `run`: the words that an export looked for. `receipt`: of an earlier erasure. */
  readonly kind:
    'request' | 'hold' | 'gap' | 'image' | 'retention' | 'suppression' | 'receipt' | 'run';
  /** The id of the request, hold, acceptance, entry, receipt or run; a retention has the number of its commit. */
  readonly id: string;
  /** Its key in the log, after the action of an entry that does not begin the record: `reason`, `close.reason`. */
  readonly field: string;
}

type Tell = (text: ErasedText) => void;

export interface Redaction {
  readonly target: ErasureTarget;
  /** Called for each text that becomes `[erased]`. Default: nobody is told. */
  readonly tell?: Tell | undefined;
  /** Paths of part files that lose rows. Default: none. */
  readonly removed?: readonly string[];
  /** Whether bounds of a file of a commit may tell of the erased, if the commit is about them or a rewrite. */
  readonly bounds?: (commit: number, file: FileEntry) => boolean;
}

/**
 * Undefined if nothing has to be removed. The manifests are not changed here: see `LogRedaction`.
 *
 * @param listsErased whether the users manifest names the erased
 */
export function redactCommit(
  commit: Commit,
  { target, bounds, tell = NOBODY }: Redaction,
  listsErased: boolean,
): Commit | undefined {
  const { ids } = target;
  const kept = {
    sessions: commit.sessions
      .filter((entry) => !target.has(entry))
      .map((entry) => redactDoubts(entry, target)),
    deletions: commit.deletions.filter((entry) => !target.has(entry)),
    ...(commit.holds && { holds: redactHolds(commit.holds, target, tell) }),
    ...(commit.accepted && { accepted: redactAccepted(commit.accepted, target, tell) }),
    ...(commit.accepted_images && {
      accepted_images: commit.accepted_images.map((entry) =>
        withMaskedTexts(entry, ids, placesOf('image', entry, tell)),
      ),
    }),
    ...(commit.requests && { requests: redactRequests(commit.requests, target, tell) }),
    ...(commit.retention && {
      retention: withMaskedTexts(commit.retention, ids, (field) => {
        tell({ kind: 'retention', id: String(commit.number), field });
      }),
    }),
    ...(commit.suppressions && {
      suppressions: commit.suppressions.map((entry) =>
        entry.action === 'back'
          ? entry
          : withMaskedTexts(entry, ids, placesOf('suppression', entry, tell)),
      ),
    }),
  };
  const isAbout =
    listsErased ||
    kept.sessions.length < commit.sessions.length ||
    kept.deletions.length < commit.deletions.length ||
    commit.holds?.some((hold) => target.hasHold(hold)) === true ||
    (kept.accepted?.length ?? 0) < (commit.accepted?.length ?? 0);
  const files =
    isAbout || isRewrite(commit)
      ? commit.files.map((file) => (bounds?.(commit.number, file) ? withoutBounds(file) : file))
      : commit.files;
  const scope = redactScope(commit.scope, ids, {
    isAbout,
    tell: (field) => {
      tell({ kind: 'run', id: commit.run, field });
    },
  });
  const { erasure } = commit;
  const isTextChanged =
    kept.holds?.some((hold) => commit.holds?.includes(hold) !== true) === true ||
    kept.accepted?.some((gap) => commit.accepted?.includes(gap) !== true) === true ||
    kept.accepted_images?.some((entry) => commit.accepted_images?.includes(entry) !== true) ===
      true ||
    kept.requests?.some((entry) => commit.requests?.includes(entry) !== true) === true ||
    kept.retention !== commit.retention ||
    kept.suppressions?.some((entry) => commit.suppressions?.includes(entry) !== true) === true;
  const receipt = erasure?.stage === 'begun' ? redactReceipt(erasure, ids, tell) : erasure;
  const isDoubtChanged = kept.sessions.some((entry) => !commit.sessions.includes(entry));
  const isSame =
    !isAbout &&
    !isDoubtChanged &&
    receipt === erasure &&
    !isTextChanged &&
    scope === commit.scope &&
    files.every((file, at) => file === commit.files[at]);
  if (isSame) return undefined;
  return {
    ...commit,
    ...kept,
    files,
    scope,
    ...(receipt !== erasure && { erasure: receipt }),
  };
}

const NOBODY: Tell = () => undefined;

/** Tells of a field of a record that consists of entries. */
function placesOf(
  kind: ErasedText['kind'],
  { id, action }: { readonly id: string; readonly action: string },
  tell: Tell,
): (field: string) => void {
  const prefix = BEGINNINGS.has(action) ? '' : `${action}.`;
  return (field) => {
    tell({ kind, id, field: `${prefix}${field}` });
  };
}

/** Actions of entries that begin a record. */
const BEGINNINGS: ReadonlySet<string> = new Set(['new', 'add', 'accept']);

/** What people wrote in an earlier receipt. Returns the same object if it names nobody. */
function redactReceipt(erasure: BegunErasure, ids: ReadonlySet<string>, tell: Tell): BegunErasure {
  return withMaskedTexts(erasure, ids, (field) => {
    tell({ kind: 'receipt', id: erasure.id, field });
  });
}

/** Returns the same object if nothing has to be removed. */
function withoutBounds(file: FileEntry): FileEntry {
  return file.created ? { ...file, created: null } : file;
}

/** The reason of a doubt about jobs that an erased session had as well. */
export const SHARED_WITH_ERASED =
  'its history has jobs of a session that was erased: nothing shows any more which of the two they are of';

/** A session in doubt names the one whose jobs it has. Returns the same object if nothing has to be removed. */
function redactDoubts(entry: SessionEntry, { ids }: ErasureTarget): SessionEntry {
  if (!entry.gaps.some((gap) => isShared(gap, ids))) return entry;
  const gaps = entry.gaps.map((gap) =>
    isShared(gap, ids)
      ? { ...gap, reason: SHARED_WITH_ERASED, shared_with: asSessionId(ERASED) }
      : gap,
  );
  return { ...entry, gaps };
}

function isShared({ shared_with: other }: GapEntry, ids: ReadonlySet<string>): boolean {
  return other !== undefined && ids.has(other);
}

/**
 * That somebody was on hold, from when to when, stays without saying who. Holds of others stay in force. Returns the same
 * objects if nothing has to be removed.
 */
function redactHolds(
  holds: readonly HoldEntry[],
  target: ErasureTarget,
  tell: Tell,
): readonly HoldEntry[] {
  return holds.map((hold) => {
    const masked = withMaskedTexts(hold, target.idsFor(hold), placesOf('hold', hold, tell));
    if (masked.action === 'release' || !target.hasHold(hold)) return masked;
    const user = masked.user === null ? null : asUserId(ERASED);
    const session = masked.session === null ? null : asSessionId(ERASED);
    return { ...masked, user, session };
  });
}

/** Accepted gaps of others stay. Returns the same objects if nothing has to be removed. */
function redactAccepted(
  accepted: readonly AcceptedEntry[],
  target: ErasureTarget,
  tell: Tell,
): readonly AcceptedEntry[] {
  return accepted
    .filter((entry) => !target.has(entry))
    .map((entry) =>
      isShared(entry, target.ids) ? { ...entry, shared_with: asSessionId(ERASED) } : entry,
    )
    .map((entry) => withMaskedTexts(entry, target.ids, placesOf('gap', entry, tell)));
}

/**
 * What was done for a request is in counts, and stays. In its list of users, one whom nobody has any more stands for the
 * erased: an empty list would mean everybody. The words go with the persons whom they were about.
 */
function redactRequests(
  requests: readonly RequestEntry[],
  target: ErasureTarget,
  tell: Tell,
): readonly RequestEntry[] {
  return requests.map((entry) => {
    const redacted = redactedRequest(entry, target, tell);
    return JSON.stringify(redacted) === JSON.stringify(entry) ? entry : redacted;
  });
}

/** A request as it stands in the log after an erasure. */
export function redactedRequest(
  entry: RequestEntry,
  target: ErasureTarget,
  tell: Tell = NOBODY,
): RequestEntry {
  const place = placesOf('request', entry, tell);
  const words = (text: string | null): string | null => {
    if (text === null) return null;
    const tellOfWords = () => {
      place('match');
    };
    return target.isRequestAbout(entry)
      ? erasedText(text, tellOfWords)
      : maskedText(text, target.ids, tellOfWords);
  };
  const masked = withMaskedTexts(entry, target.ids, place);
  if (masked.action === 'pack' || masked.action === 'close') return masked;
  if (masked.action === 'search') return { ...masked, match: words(masked.match) };
  if (masked.action === 'decide') {
    if (!target.ids.has(masked.session)) return masked;
    const job = masked.job === null ? null : asJobId(ERASED);
    return { ...masked, session: asSessionId(ERASED), job };
  }
  const users = redactedIds(masked.users, (user) => target.hasUser(user), asUserId(ERASED));
  const isGone = (session: string) => target.ids.has(session);
  const sessions = redactedIds(masked.sessions, isGone, asSessionId(ERASED));
  return { ...masked, users, sessions, match: words(masked.match) };
}

/** One `[erased]` stands for all that go: an empty list would mean everybody. */
function redactedIds<Id extends string>(
  ids: readonly Id[],
  isGone: (id: Id) => boolean,
  erased: Id,
): readonly Id[] {
  const kept = ids.filter((id) => !isGone(id));
  // one for each, so that it is seen how many there were
  const gone = ids.filter(isGone).map(() => erased);
  return gone.length === 0 ? ids : [...kept, ...gone];
}

/** Keys under which people write, but for words to search for. */
const TEXTS = ['name', 'reason', 'by', 'set_by'] as const;

/** Returns the same object if its texts name nobody. @param tell called with each field that does */
function withMaskedTexts<
  T extends { readonly [Field in (typeof TEXTS)[number]]?: string | null | undefined },
>(entry: T, ids: ReadonlySet<string>, tell: (field: string) => void): T {
  const changed = TEXTS.flatMap((field) => {
    const text = entry[field];
    if (text == null) return [];
    const masked = maskedText(text, ids, () => {
      tell(field);
    });
    return masked === text ? [] : [[field, masked] as const];
  });
  return changed.length === 0 ? entry : { ...entry, ...Object.fromEntries(changed) };
}

/** The text, or `[erased]` where it names one of the ids; then `tell` is called. */
function maskedText(text: string, ids: ReadonlySet<string>, tell: () => void): string {
  return namesAny(text, ids) ? erasedText(text, tell) : text;
}

/** One that an earlier erasure has taken is not told again. */
function erasedText(text: string, tell: () => void): string {
  if (text !== ERASED) tell();
  return ERASED;
}

interface ScopeChoice {
  readonly isAbout: boolean;
  readonly tell: (field: string) => void;
}

/** Returns the same object if nothing has to be removed. A search phrase is removed with the sessions that it found. */
function redactScope(
  scope: CommitScope,
  ids: ReadonlySet<string>,
  { isAbout, tell }: ScopeChoice,
): CommitScope {
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
      const words = erasedText(value, () => {
        tell(name);
      });
      return [name, words];
    }),
  );
  return found.isSame ? scope : kept;
}
