/** Verifies the log: no number is missing, each commit is sound, follows the one before, and is signed where it should be. */
import { createHash } from 'node:crypto';
import { MIN_OBJECTS_FOR_THREADS, type HashThreads } from '../../storage/local/hash-threads.js';
import type { Storage, StorageReading } from '../../storage/storage.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import type { Commit, SnapshotEntry, BegunErasure } from '../log/commit.js';
import { MANIFESTS, type ManifestEntry } from '../log/manifest.js';
import { CommitReader, commitNumbers, assertFollows } from '../log/commit-chain.js';
import type { CommitVerifier } from '../log/commit-verifier.js';
import type { CommitLog } from '../log/commit-log.js';
import { type ArchiveIdentity, identityDifference, REDACTED_FORMAT } from '../identity.js';
import { IntegrityError } from '../archive-errors.js';
import { LogIndex } from '../log/log-index.js';
import { LogView } from '../log/log-view.js';
import { storedSnapshots } from '../snapshots/snapshot-reader.js';
import { commitNumberOf, commitPath, COMMITS_PREFIX, IDENTITY_PATH } from '../paths.js';
import { readAhead } from '../../base/concurrently.js';
import { inGroups } from '../../base/group-by.js';
import type { Findings, VerifyProblem } from './findings.js';
import { type SignatureReport, SignatureCheck } from './signature-report.js';

export interface LogFindings {
  readonly commits: number;
  /** The highest commit number, sound or not. */
  readonly newest: number;
  /** The numbers of all commits, sound or not; ascending. */
  readonly numbers: readonly number[];
  /** Whether every commit is there and sound, so that states can be replayed from it. */
  readonly isSound: boolean;
  /** The index of the sound commits. */
  readonly index: LogIndex;
  /** The manifests that commits name, by path. */
  readonly manifests: ReadonlyMap<string, ManifestEntry>;
  /** When each path was last named by a commit, including paths that have left the archive; in ms since 1970. */
  readonly lastNamedAtMs: ReadonlyMap<string, number>;
  /** What has left the archive since the last erasure: it may stay for those who read it. */
  readonly replaced: ReadonlySet<string>;
  /** Snapshots that commits name, by path. */
  readonly snapshots: ReadonlyMap<string, SnapshotEntry>;
  /** The log as far as the newest stored snapshots take it into account, by their `through`; empty unless they are compared. */
  readonly folded: ReadonlyMap<number, LogView>;
  /** The rewrites among the sound commits. */
  readonly rewrites: Rewrites;
  readonly signatures: SignatureReport;
  /** The newest sound commit. */
  readonly last: Commit | undefined;
  /** Fingerprint of the log; equal means unchanged. */
  readonly view: string;
}

interface LogOptions extends StorageReading {
  /** Reads jobvault.json, after the log: its format changes before an erasure. Undefined if it is missing or damaged. */
  readonly readIdentity: () => Promise<ArchiveIdentity | undefined>;
  /** For the index. */
  readonly log: CommitLog;
  /** Keys whose signatures count; if empty, signatures are not checked. */
  readonly publicKeys: readonly CommitVerifier[];
  /** A commit that must be in the log. */
  readonly expectedHead: ExpectedHead | undefined;
  /** Undefined where objects are no files of this machine. */
  readonly threads: HashThreads | undefined;
  /** Whether snapshots are to be compared with the log; otherwise it is not folded for them. */
  readonly comparesSnapshots: boolean;
}

const READ_AHEAD = 8;
/** Commits of which a thread is asked at a time, and how many times ahead. */
const COMMITS_TOGETHER = 32;
const ASKED_AHEAD = 2;
/** Larger ones are read one by one: those of a night are a few kilobytes. */
const MOST_BYTES_TOGETHER = 64 * 1024;
/** Stored snapshots that are compared with the log, if it names them: readers try as many. */
const FOLDED = 4;
/** Commits that are named one by one where several in a row are missing. */
const MOST_MISSING = 100;

/** Reads every commit from the storage itself. */
export async function verifyLog(options: LogOptions, findings: Findings): Promise<LogFindings> {
  const { storage, readIdentity, log, publicKeys, expectedHead, threads, signal } = options;
  const many = await threadsForMany(storage, threads);
  const listed = await commitNumbers(many ? listingIn(many) : storage);
  const newest = listed.at(-1) ?? 0;
  const index = new LogIndex(storage, log);
  const manifests = new Map<string, ManifestEntry>();
  const lastNamedAtMs = new Map<string, number>();
  const replaced = new Set<string>();
  const snapshots = new Map<string, SnapshotEntry>();
  const folded = new Map<number, LogView>();
  for (const { through } of (await storedSnapshots(storage)).slice(0, FOLDED)) {
    if (through <= newest) folded.set(through, new LogView());
  }
  const rewrites = new RewritesBuilder();
  const signatures = new SignatureCheck(publicKeys);
  const identities = new IdentityCheck(findings);
  const view = createHash('sha256');
  let last: Commit | undefined;
  let before: Commit | undefined;
  let commits = 0;
  let isSound = true;
  const reader = new CommitReader(storage);
  const numbers = readNumbers(listed, findings);
  for await (const commit of readCommits(numbers, reader, many)) {
    signal?.throwIfAborted();
    const broken = commit instanceof IntegrityError ? commit : chainError(commit, before);
    if (broken) {
      isSound = false;
      findings.add(broken);
    } else if (!(commit instanceof IntegrityError)) log.keep(commit);
    before = commit instanceof IntegrityError ? undefined : commit;
    view.update(commit instanceof IntegrityError ? commit.message : fingerprintOf(commit));
    if (commit instanceof IntegrityError) continue;
    commits++;
    index.add(commit);
    rewrites.add(commit);
    if (commit.snapshot) snapshots.set(commit.snapshot.path, commit.snapshot);
    for (const [through, view] of options.comparesSnapshots ? folded : []) {
      if (commit.number <= through) view.add(commit);
    }
    last = commit;
    findings.addAny(signatures.check(commit));
    identities.check(commit);
    for (const name of MANIFESTS) {
      const entry = commit[name];
      if (entry) manifests.set(entry.path, entry);
    }
    if (commit.erasure?.stage === 'begun')
      replaced.clear(); // what has left by then goes at once
    else for (const path of commit.removed) replaced.add(path);
    const namedAtMs = Date.parse(commit.created_at);
    for (const path of pathsNamedBy(commit)) lastNamedAtMs.set(path, namedAtMs);
  }
  findings.addAny(signatures.end(newest));
  identities.end(await readIdentity());
  if (expectedHead) findings.addAny(headProblem(expectedHead, newest, index));
  return {
    commits,
    newest,
    numbers: listed,
    isSound,
    index,
    manifests,
    lastNamedAtMs,
    replaced,
    last,
    snapshots,
    folded,
    rewrites: rewrites.list,
    signatures: signatures.report,
    view: view.digest('hex'),
  };
}

/** Undefined where there are few commits. */
async function threadsForMany(
  storage: Storage,
  threads: HashThreads | undefined,
): Promise<HashThreads | undefined> {
  let commits = 0;
  for await (const { path } of threads ? storage.list(COMMITS_PREFIX) : []) {
    if (commitNumberOf(path) !== undefined) commits++;
    if (commits >= MIN_OBJECTS_FOR_THREADS) return threads;
  }
  return undefined;
}

function listingIn(threads: HashThreads): Pick<Storage, 'list'> {
  return { list: (prefix, options) => threads.list(() => false, { prefix, ...options }) };
}

/**
 * The numbers to read: those that are listed, and of the missing ones the first of each gap. The number in a name
 * may be any, and a log is not read up to it.
 */
function* readNumbers(listed: readonly number[], findings: Findings): Generator<number> {
  let next = 1;
  for (const number of listed) {
    for (let listed = 0; next < number && listed < MOST_MISSING; listed++) yield next++;
    const more = number - next;
    if (more > 0) {
      const detail = `is missing from the log, and so are ${more - 1} commits after it`;
      findings.add({ path: commitPath(next), problem: 'missing', detail });
    }
    yield number;
    next = number + 1;
  }
}

function fingerprintOf({ number, digest, redacted_by: redactedBy = 0 }: Commit): string {
  return `${number} ${digest} ${redactedBy}\n`;
}

function* pathsNamedBy({ files, removed }: Commit): Generator<string> {
  for (const { path } of files) yield path;
  yield* removed;
}

/** Reads the commits in order. Threads read many in a fifth of the CPU; what they do not get is read as everything else. */
async function* readCommits(
  numbers: Iterable<number>,
  reader: CommitReader,
  threads: HashThreads | undefined,
): AsyncGenerator<Commit | IntegrityError> {
  const read = (number: number, bytes?: Uint8Array): Promise<Commit | IntegrityError> =>
    tryRead(number, () => (bytes ? reader.check(number, bytes) : reader.read(number)));
  if (!threads) {
    yield* readAhead(numbers, READ_AHEAD, (number) => read(number));
    return;
  }
  const contentsOf = async (group: readonly number[]) => {
    const contents = await threads.contents(group.map(commitPath), MOST_BYTES_TOGETHER);
    return group.map((number, at) => ({ number, bytes: contents[at] }));
  };
  const groups = inGroups(numbers, COMMITS_TOGETHER);
  for await (const group of readAhead(groups, ASKED_AHEAD, contentsOf)) {
    for (const { number, bytes } of group) yield await read(number, bytes);
  }
}

async function tryRead(
  number: number,
  read: () => Promise<Commit>,
): Promise<Commit | IntegrityError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof IntegrityError) return error;
    if (!(error instanceof ObjectNotFoundError)) throw error;
    return new IntegrityError(commitPath(number), 'missing', 'is missing from the log');
  }
}

function chainError(commit: Commit, before: Commit | undefined): IntegrityError | undefined {
  try {
    assertFollows(commit, before);
    return undefined;
  } catch (error) {
    if (error instanceof IntegrityError) return error;
    throw error;
  }
}

/** Finds commits that belong to another archive than the first commit, or than jobvault.json, and a format that does not fit the log. */
class IdentityCheck {
  #first: Commit | undefined;
  /** The first that tells of an erasure. */
  #erasure: Commit | undefined;
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Commits come in order. */
  check(commit: Commit): void {
    this.#first ??= commit;
    if (commit.erasure) this.#erasure ??= commit;
    const difference = identityDifference(commit.archive, this.#first.archive);
    if (difference === undefined) return;
    const detail = `belongs to another archive than commit ${this.#first.number}: ${difference}`;
    this.#findings.add({ path: commitPath(commit.number), problem: 'identity', detail });
  }

  /** @param identity of jobvault.json; undefined if that is missing or damaged */
  end(identity: ArchiveIdentity | undefined): void {
    if (!identity || !this.#first) return;
    const difference = identityDifference(identity, this.#first.archive);
    if (difference !== undefined) this.#add(`is not the identity of this log: ${difference}`);
    const { format } = identity;
    if (this.#erasure && format !== REDACTED_FORMAT) {
      const { number } = this.#erasure;
      this.#add(
        `has format ${format} instead of ${REDACTED_FORMAT}: commit ${number} is about an erasure`,
      );
    }
    if (!this.#erasure && format === REDACTED_FORMAT) this.#findings.note(IDENTITY_PATH, UNUSED);
  }

  #add(detail: string): void {
    this.#findings.add({ path: IDENTITY_PATH, problem: 'identity', detail });
  }
}

/** The format is changed before the receipt of an erasure is put. */
const UNUSED = `has format ${REDACTED_FORMAT}, and the log has no erasure: one was prepared and not begun, or somebody has changed the format`;

/** Compares the log with a commit that somebody has noted elsewhere: a log that has lost or changed it was tampered with. */
export interface ExpectedHead {
  readonly number: number;
  /** Undefined if only the number was noted. */
  readonly digest: string | undefined;
}

/** The problem if the log does not contain the commit; later commits are allowed. */
function headProblem(
  { number, digest }: ExpectedHead,
  newest: number,
  index: LogIndex,
): VerifyProblem | undefined {
  const path = commitPath(number);
  if (number > newest) {
    return { path, problem: 'head', detail: 'is missing from the log, but was expected' };
  }
  const found = index.digestOf(number);
  // a commit that cannot be read is a problem already
  if (digest === undefined || found === null || found === digest) return undefined;
  const detail = `is not the commit that was expected: its digest is ${found}, and ${digest} was given`;
  return { path, problem: 'head', detail };
}

/** Undefined where none was expected. */
export interface HeadReport extends ExpectedHead {
  /** Whether the log has the commit, with the digest if one was given. */
  readonly isFound: boolean;
}

export function headReport(
  expected: ExpectedHead | undefined,
  { index }: LogFindings,
): HeadReport | undefined {
  if (!expected) return undefined;
  const { number, digest } = expected;
  const found = index.digestOf(number);
  return { number, digest, isFound: found !== null && (digest ?? found) === found };
}

/** Rewrites in the log: erasures, and compactions of small files. */
export interface ErasureNote {
  /** Number of the commit with the receipt. */
  readonly commit: number;
  /** ISO 8601. */
  readonly at: string;
  /** Id of the receipt. */
  readonly receipt: string;
  readonly reason: string | null;
  /** The person who did it; null where the receipt names nobody. */
  readonly by: string | null;
  readonly erased: BegunErasure['erased'];
  /** Number of the commit that finished it; null while it is not finished. */
  readonly finishedBy: number | null;
}

interface CompactionNote {
  readonly commit: number;
  /** ISO 8601. */
  readonly at: string;
  /** Files that were merged. */
  readonly merged: number;
  /** Files that were written instead. */
  readonly written: number;
}

export interface Rewrites {
  /** In the order of the log. */
  readonly erasures: readonly ErasureNote[];
  readonly compactions: readonly CompactionNote[];
}

/** Commits are added in order. */
class RewritesBuilder {
  readonly #erasures = new Map<string, ErasureNote>();
  readonly #compactions: CompactionNote[] = [];

  add({ number: commit, created_at: at, kind, removed, files, erasure }: Commit): void {
    if (kind === 'compact') {
      this.#compactions.push({ commit, at, merged: removed.length, written: files.length });
    }
    if (erasure?.stage === 'begun') {
      const { id: receipt, reason, by = null, erased } = erasure;
      this.#erasures.set(receipt, { commit, at, receipt, reason, by, erased, finishedBy: null });
    }
    if (erasure?.stage === 'finished') {
      const begun = this.#erasures.get(erasure.id);
      if (begun) this.#erasures.set(erasure.id, { ...begun, finishedBy: commit });
    }
  }

  get list(): Rewrites {
    return { erasures: [...this.#erasures.values()], compactions: this.#compactions };
  }
}
