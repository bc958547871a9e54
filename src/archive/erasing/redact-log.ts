/** Prepares redacted commits and their manifests under `_erasures/`. */
import type { Archive } from '../archive.js';
import { encodeRedacted } from '../log/commit-reader.js';
import {
  type BegunErasure,
  type Commit,
  type JobLine,
  type JobsEntry,
  type UserEntry,
  type UsersEntry,
  type AcceptedEntry,
  type CommitScope,
  type FileEntry,
  type GapEntry,
  type HoldEntry,
  type RequestEntry,
  type SessionEntry,
  isRewrite,
} from '../log/commit.js';
import { readManifest, StagedManifest, type Lines } from '../log/manifest.js';
import { partitionOf, redactedManifestPath, redactedPath } from '../paths.js';
import { namesAny } from './named-in.js';
import type { ErasurePlan, ErasureTarget } from './erasure-target.js';
import { readAhead } from '../../base/concurrently.js';
import { sha256Hex } from '../../base/digest.js';
import { type RunId, asSessionId, asUserId, ERASED } from '../../model/ids.js';
import type { Json } from '../../base/text/parse-json.js';

export interface RedactedLog {
  readonly vouched: BegunErasure['commits'];
  readonly plan: ErasurePlan['commits'];
}

/** Users manifests read at a time. */
const READ_AHEAD = 8;

export class LogRedaction {
  /** Redacted manifests by commit number: they do not depend on the receipt. */
  readonly #jobs = new Map<number, JobsEntry | null>();
  readonly #users = new Map<number, UsersEntry | null>();
  readonly #archive: Archive;
  readonly #id: RunId;
  readonly #redaction: Redaction;

  constructor(archive: Archive, id: RunId, redaction: Redaction) {
    this.#archive = archive;
    this.#id = id;
    this.#redaction = redaction;
  }

  /** @param receipt number of the commit that will vouch for them */
  async prepare(receipt: number): Promise<RedactedLog> {
    const { storage, index } = this.#archive;
    const bounds = this.#boundsBefore(receipt);
    const vouched: BegunErasure['commits'][number][] = [];
    const plan: ErasurePlan['commits'] = [];
    const walk = index.walk({ through: receipt - 1 });
    const read = async (commit: Commit) => ({ commit, users: await this.#redactUsers(commit) });
    for await (const { commit, users } of readAhead(walk, READ_AHEAD, read)) {
      const hasNewUsers = users?.path !== commit.users?.path;
      const redacted = redactCommit(commit, { ...this.#redaction, bounds }, hasNewUsers);
      if (!redacted) continue;
      const jobs = await this.#redactJobs(commit);
      const bytes = encodeRedacted({ ...redacted, jobs, users, redacted_by: receipt });
      const { number } = commit;
      await storage.put(redactedPath(this.#id, number), bytes);
      vouched.push({
        number,
        sha256: sha256Hex(bytes),
        jobs_sha256: jobs?.sha256 ?? null,
        users_sha256: users?.sha256 ?? null,
      });
      const hasNewJobs = jobs?.path !== commit.jobs?.path;
      plan.push({
        number,
        jobs: hasNewJobs ? (jobs?.path ?? null) : null,
        oldJobs: hasNewJobs ? (commit.jobs?.path ?? null) : null,
        users: hasNewUsers ? (users?.path ?? null) : null,
        oldUsers: hasNewUsers ? (commit.users?.path ?? null) : null,
      });
    }
    return { vouched, plan };
  }

  /**
   * Whose bounds may tell of the erased: files that were gone once this or an earlier erasure had taken rows of their
   * table. One that was there then has rows of others alone, and the Delta log tells its bounds, too.
   */
  #boundsBefore(receipt: number): NonNullable<Redaction['bounds']> {
    const { removed = [] } = this.#redaction;
    const removedAt = new Map<string, number>();
    const erasedAt = new Map<string, number>();
    const changes = this.#archive.index.fileChanges;
    for (const change of [...changes, { number: receipt, kind: 'erase', removed }]) {
      for (const path of change.removed) {
        removedAt.set(path, change.number);
        const place = change.kind === 'erase' ? partitionOf(path) : undefined;
        if (place?.extension === 'parquet') erasedAt.set(place.table, change.number);
      }
    }
    return (number, { path, table }) => {
      const erased = erasedAt.get(table) ?? 0;
      return number < erased && (removedAt.get(path) ?? Infinity) <= erased;
    };
  }

  /** The entry of the commit as it is, if its users manifest does not name the erased. */
  async #redactUsers({ number, users }: Commit): Promise<UsersEntry | null> {
    const known = this.#users.get(number);
    if (known !== undefined || !users) return known ?? null;
    const { target } = this.#redaction;
    const kept: UserEntry[] = [];
    for await (const line of readManifest(this.#archive.storage, 'users', users)) {
      if (!target.hasUser(line.user)) kept.push(line);
    }
    const entry = kept.length === users.rows ? users : await this.#publish('users', number, kept);
    this.#users.set(number, entry);
    return entry;
  }

  async #redactJobs({ number, jobs, sessions }: Commit): Promise<JobsEntry | null> {
    const { target } = this.#redaction;
    if (!jobs || !sessions.some((entry) => target.has(entry))) return jobs;
    const known = this.#jobs.get(number);
    if (known !== undefined) return known;
    const lines = readManifest(this.#archive.storage, 'jobs', jobs);
    async function* kept(): AsyncGenerator<JobLine> {
      for await (const line of lines) if (!target.has(line)) yield line;
    }
    const entry = await this.#publish('jobs', number, kept());
    this.#jobs.set(number, entry);
    return entry;
  }

  #publish(name: 'jobs', number: number, lines: Lines<JobLine>): Promise<JobsEntry | null>;
  #publish(name: 'users', number: number, lines: Lines<UserEntry>): Promise<UsersEntry | null>;
  async #publish(
    name: 'jobs' | 'users',
    number: number,
    lines: Lines<never>,
  ): Promise<JobsEntry | UsersEntry | null> {
    const staged = await StagedManifest.stage(this.#archive.storage, name, lines);
    if (!staged) return null;
    try {
      await staged.publish(redactedManifestPath(name, this.#id, number));
      return staged.entryFor(number);
    } finally {
      await staged.discard();
    }
  }
}

/** Redacts a commit: removes everything that identifies the erased. Pure. */

export interface Redaction {
  readonly target: ErasureTarget;
  /** Paths of artifacts that are deleted: they contain digests of erased content. */
  readonly artifacts: ReadonlySet<string>;
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
  { target, artifacts: doomed, bounds }: Redaction,
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
    ...(commit.accepted_images && {
      accepted_images: commit.accepted_images.map((entry) => withMaskedTexts(entry, target.ids)),
    }),
    ...(commit.requests && { requests: redactRequests(commit.requests, target) }),
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
  const scope = redactScope(commit.scope, target.ids, isAbout);
  const { erasure } = commit;
  const isTextChanged =
    kept.holds?.some((hold) => commit.holds?.includes(hold) !== true) === true ||
    kept.accepted?.some((gap) => commit.accepted?.includes(gap) !== true) === true ||
    kept.accepted_images?.some((entry) => commit.accepted_images?.includes(entry) !== true) ===
      true ||
    kept.requests?.some((entry) => commit.requests?.includes(entry) !== true) === true;
  const receipt = erasure?.stage === 'begun' ? redactReceipt(erasure, target) : erasure;
  const isDoubtChanged = kept.sessions.some((entry) => !commit.sessions.includes(entry));
  const isSame =
    !isAbout &&
    !isDoubtChanged &&
    receipt === erasure &&
    !isTextChanged &&
    scope === commit.scope &&
    files.every((file, at) => file === commit.files[at]) &&
    kept.artifacts.length === commit.artifacts.length &&
    kept.removed.length === commit.removed.length;
  if (isSame) return undefined;
  return {
    ...commit,
    ...kept,
    files,
    scope,
    ...(receipt !== erasure && { erasure: receipt }),
  };
}

/** What people wrote in an earlier receipt. Returns the same object if it names nobody. */
function redactReceipt(erasure: BegunErasure, { ids }: ErasureTarget): BegunErasure {
  const { reason, by = null } = erasure;
  const [isReason, isBy] = [namesAny(reason, ids), namesAny(by, ids)];
  if (!isReason && !isBy) return erasure;
  return { ...erasure, ...(isReason && { reason: ERASED }), ...(isBy && { by: ERASED }) };
}

/** Returns the same object if nothing has to be removed. */
function withoutBounds(file: FileEntry): FileEntry {
  return file.created ? { ...file, created: null } : file;
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

/**
 * That somebody was on hold, from when to when, stays without saying who. Holds of others stay in force. Returns the same
 * objects if nothing has to be removed.
 */
function redactHolds(holds: readonly HoldEntry[], target: ErasureTarget): readonly HoldEntry[] {
  return holds.map((hold) => {
    const masked = withMaskedTexts(hold, target.idsFor(hold));
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
): readonly AcceptedEntry[] {
  return accepted
    .filter((entry) => !target.has(entry))
    .map((entry) =>
      isShared(entry, target.ids) ? { ...entry, shared_with: asSessionId(ERASED) } : entry,
    )
    .map((entry) => withMaskedTexts(entry, target.ids));
}

/**
 * What was done for a request is in counts, and stays. In its list of users, one whom nobody has any more stands for the
 * erased: an empty list would mean everybody. The words go with the persons whom they were about.
 */
function redactRequests(
  requests: readonly RequestEntry[],
  target: ErasureTarget,
): readonly RequestEntry[] {
  return requests.map((entry) => {
    const redacted = redactedRequest(entry, target);
    return JSON.stringify(redacted) === JSON.stringify(entry) ? entry : redacted;
  });
}

function redactedRequest(entry: RequestEntry, target: ErasureTarget): RequestEntry {
  const isAbout = target.isRequestAbout(entry);
  const masked = (text: string): string => (namesAny(text, target.ids) ? ERASED : text);
  const words = (text: string | null): string | null =>
    text === null ? null : isAbout ? ERASED : masked(text);
  const by = masked(entry.by);
  if (entry.action === 'pack') return { ...entry, by };
  if (entry.action === 'search') return { ...entry, by, match: words(entry.match) };
  const reason = masked(entry.reason);
  if (entry.action === 'close') return { ...entry, reason, by };
  const kept = entry.users.filter((user) => !target.hasUser(user));
  const users = isAbout ? [...kept, asUserId(ERASED)] : entry.users;
  return { ...entry, name: masked(entry.name), reason, by, users, match: words(entry.match) };
}

/** Returns the same object if its texts name nobody. */
function withMaskedTexts<
  T extends { readonly reason: string; readonly by: string; readonly set_by?: string | undefined },
>(entry: T, ids: ReadonlySet<string>): T {
  const masked = (text: string): string => (namesAny(text, ids) ? ERASED : text);
  const [reason, by] = [masked(entry.reason), masked(entry.by)];
  const setter = entry.set_by === undefined ? undefined : masked(entry.set_by);
  if (reason === entry.reason && by === entry.by && setter === entry.set_by) return entry;
  return { ...entry, reason, by, ...(setter === undefined ? {} : { set_by: setter }) };
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
