/** The projection of the log: what its commits say together. */
import type { RunId, UserId } from '../../model/ids.js';
import { eachSessionOnce } from '../../model/user-spelling.js';
import { isRewrite, type CommitKind } from './commit-kinds.js';
import {
  wasFoundGone,
  type ArtifactCounts,
  type Commit,
  type ErasureEntry,
  type FileEntry,
  type SnapshotEntry,
} from './commit.js';
import type { CommitRef } from './commit-log.js';
import { HoldHistory, type HoldRecord } from './notes.js';
import { RequestHistory, type RequestRecord } from './request-history.js';
import { AcceptedGaps, type AcceptedImage, type AcceptedGap } from './accepted-gaps.js';
import { DrillHistory } from './drill-history.js';
import type { RetentionFloor } from './retention-floor.js';
import { Suppressions, type SuppressionRecord } from './suppressions.js';
import { partitionOf } from '../paths.js';
import { ContentsBuilder, type Contents, type FileChanges } from './contents.js';
import { TableHistories, type DeltaFile, type TableHead } from '../delta/table-history.js';
import { NewestListings, type ListingsOfUser } from './newest-listings.js';

/** A commit without its sessions and manifests. */
export interface CommitFacts {
  readonly number: number;
  readonly digest: string;
  readonly kind: CommitKind;
  readonly run: RunId;
  /** Number of the first commit of the same run. */
  readonly runBegan: number;
  /** The time of the commit, but never before an earlier commit: clocks may be set back. */
  readonly atMs: number;
  /** Paths of the files that it names, also if they have left the archive since. */
  readonly files: readonly string[];
  /** How many sessions, deletions and listings of users it has. */
  readonly entries: number;
  /** Number of the receipt that vouches for this redacted commit; 0 if it is not redacted. */
  readonly redactedBy: number;
  readonly counts: CountsOfCommit;
}

/** What a commit tells of its run. */
export interface CountsOfCommit {
  /** When the commit was made; ISO 8601. */
  readonly at: string;
  /** Whom its run was for, as in the metrics of runs: `all` of what is no export. */
  readonly scope: 'all' | 'named' | 'part';
  /** Users of its run; null if it does not say that, as those of a fleet. */
  readonly of: number | null;
  /** How many people these are: spellings of one id are one. */
  readonly people: number | null;
  /** Users of these who may not be read: they were erased, and are not to come back. */
  readonly suppressed: number;
  /** People of the run on a queue that ended with it; null of any other commit. */
  readonly queued: number | null;
  /** The shard of all users that its run was for (`3/16`), and the run on a queue that it is of; null of none. */
  readonly shard: string | null;
  readonly queue: string | null;
  /** Gaps of datasets (`--with-datasets`) that its run had until then: its summary names them, and no commit. */
  readonly dataset_gaps: number;
  /** Open gaps, when its run began, of users whom that was not to read: it ends with exit code 3 for these, too. */
  readonly gaps_of_unread_users: number;
  /** Whether the list of users of its run could not be right. */
  readonly doubtful_list: boolean;
  /** Users whose listings it has, and those of them that were archived without a gap. */
  readonly users: number;
  readonly complete: number;
  /** Users who lack only what was erased, or what somebody has accepted: these are in no other count but `users`. */
  readonly by_decision: number;
  /** Users of whom its budget left listed sessions unchecked: these are in no other count but `users`. */
  readonly left: number;
  readonly sessions: number;
  /** Job versions written: none by a rewrite. */
  readonly jobs: number;
  /** Sessions that a DELETE of ours has taken. */
  readonly deletions: number;
  /** Sessions that a receipt has erased; null of any other commit. */
  readonly erased: number | null;
  /** Sessions that an erasure has left though they had jobs of what it took. */
  readonly still_there: number;
}

/** An erasure that is begun and not finished. */
interface OpenErasure {
  /** The number of the receipt's commit. */
  readonly number: number;
  readonly commits: readonly number[];
}

/** What the log says of one user. */
export interface UserInLog {
  readonly user: UserId;
  /** Numbers of the commits that change sessions of the user, in order. */
  readonly commits: readonly number[];
  /** Undefined if no run has listed the user. */
  readonly listings: ListingsOfUser | undefined;
}

/** The projection as of a commit, while no erasure is open. */
export interface LogProjection {
  /** In order. */
  readonly commits: readonly CommitFacts[];
  readonly contents: Contents;
  readonly artifacts: ArtifactCounts;
  /** The heads of the tables that have Parquet files, or had. */
  readonly deltas: readonly TableHead[];
  readonly abandonedRuns: Iterable<RunId>;
  /** Numbers of the commits about erasures, in order. */
  readonly erasures: readonly number[];
  /** The snapshots that count, as in the view. */
  readonly snapshots: readonly SnapshotEntry[];
  readonly holds: readonly HoldRecord[];
  readonly acceptedGaps: readonly AcceptedGap[];
  readonly acceptedImages: readonly AcceptedImage[];
  readonly requests: readonly RequestRecord[];
  readonly drills: Pick<DrillHistory, 'last' | 'failed'>;
  readonly suppressions: readonly SuppressionRecord[];
  readonly retention: RetentionFloor | undefined;
  /** In the order of their first change, then those who have none. */
  readonly users: Iterable<UserInLog>;
}

/** A reader may be about to read the older one. */
const KEPT_SNAPSHOTS = 2;

/** Commits are added in order, from the first one on, or from the first one that is not in the given facts. */
export class LogView {
  readonly contents: ContentsBuilder;
  /** About how many there are: what runs have put, without what receipts say they have taken. */
  artifacts: ArtifactCounts;
  /** By number. */
  readonly commits = new Map<number, CommitFacts>();
  /** The versions of each table as a Delta table. */
  readonly tables: TableHistories;
  /** The changes of files of each commit that has any, in order. */
  readonly fileChanges: FileChanges[] = [];
  /** Numbers of the commits that change sessions of each user, in order; users in the order of the first of them. */
  readonly users = new Map<UserId, number[]>();
  readonly listings: NewestListings;
  /** Number of the first commit of each run, in this order. */
  readonly runs = new Map<RunId, number>();
  readonly abandonedRuns: Set<RunId>;
  /** By their ids. */
  readonly openErasures = new Map<string, OpenErasure>();
  readonly holds: HoldHistory;
  readonly acceptedGaps: AcceptedGaps;
  readonly requests: RequestHistory;
  readonly drills: DrillHistory;
  readonly suppressions: Suppressions;
  /** Undefined: nobody has set one. */
  retention: RetentionFloor | undefined;
  newest: CommitRef | undefined;
  /** Numbers of the commits about erasures, in order. */
  readonly erasures: number[];
  /**
   * The snapshots that commits name and that count since the last erasure: the two that take most commits into account,
   * the newest first.
   */
  snapshots: readonly SnapshotEntry[];
  /** Whether a commit was added as it was before an erasure that has its receipt, or the facts are from before one. */
  isOutdated = false;
  readonly #isFromFacts: boolean;
  #atMs = 0;

  constructor(facts?: LogProjection) {
    this.#isFromFacts = facts !== undefined;
    this.contents = new ContentsBuilder(facts?.contents);
    this.artifacts = facts?.artifacts ?? { count: 0, bytes: 0 };
    this.tables = facts
      ? TableHistories.from(facts.deltas, filesWithTimes(facts))
      : new TableHistories();
    this.abandonedRuns = new Set(facts?.abandonedRuns);
    this.holds = new HoldHistory(facts?.holds);
    this.acceptedGaps = new AcceptedGaps(facts?.acceptedGaps, facts?.acceptedImages);
    this.requests = new RequestHistory(facts?.requests);
    this.drills = new DrillHistory(facts?.drills);
    this.suppressions = new Suppressions(facts?.suppressions);
    this.retention = facts?.retention;
    this.erasures = [...(facts?.erasures ?? [])];
    this.snapshots = facts?.snapshots ?? [];
    for (const commit of facts?.commits ?? []) {
      this.commits.set(commit.number, commit);
      this.runs.set(commit.run, commit.runBegan);
      this.#atMs = commit.atMs;
      this.newest = { number: commit.number, digest: commit.digest };
    }
    const listings = new Map<UserId, ListingsOfUser>();
    for (const { user, commits, listings: userListings } of facts?.users ?? []) {
      if (commits.length > 0) this.users.set(user, [...commits]);
      if (userListings) listings.set(user, userListings);
    }
    this.listings = new NewestListings(listings);
  }

  add(commit: Commit): void {
    const { number, digest, kind, run, files, removed, created_at: at } = commit;
    const runBegan = this.runs.get(run) ?? number;
    this.runs.set(run, runBegan);
    this.#atMs = Math.max(this.#atMs, Date.parse(at));
    const { sessions, deletions, users } = commit;
    this.commits.set(number, {
      number,
      digest,
      kind,
      run,
      runBegan,
      atMs: this.#atMs,
      files: files.map(({ path }) => path),
      entries: sessions.length + deletions.length + (users?.rows ?? 0),
      redactedBy: commit.redacted_by ?? 0,
      counts: countsOf(commit),
    });
    if (files.length + removed.length > 0) {
      const changes = { number, kind, atMs: this.#atMs, files, removed };
      this.fileChanges.push(changes);
      this.tables.add(changes);
    }
    this.contents.add(commit);
    this.#countArtifacts(commit);
    this.#addUsers(commit);
    this.listings.add(commit);
    for (const abandoned of commit.abandoned) this.abandonedRuns.add(abandoned);
    if (commit.erasure) this.#addErasure(number, commit.erasure);
    this.holds.add(commit);
    this.acceptedGaps.add(commit);
    this.requests.add(commit);
    this.drills.add(commit);
    this.suppressions.add(commit);
    if (commit.retention) this.retention = { ...commit.retention, since: at, commit: number };
    if (commit.snapshot) {
      const all = [commit.snapshot, ...this.snapshots];
      this.snapshots = all.sort((a, b) => b.through - a.through).slice(0, KEPT_SNAPSHOTS);
    }
    this.newest = { number, digest };
  }

  #countArtifacts({ artifacts: put = { count: 0, bytes: 0 }, erasure }: Commit): void {
    const erased = erasure?.stage === 'begun' ? erasure.erased : undefined;
    const { artifacts: goneCount = 0, artifact_bytes: goneBytes = 0 } = erased ?? {};
    const { count, bytes } = this.artifacts;
    this.artifacts = {
      count: Math.max(0, count + put.count - goneCount),
      bytes: Math.max(0, bytes + put.bytes - goneBytes),
    };
  }

  #addUsers(commit: Commit): void {
    for (const user of new Set(
      [...commit.sessions, ...commit.deletions].map((entry) => entry.user),
    )) {
      const commits = this.users.get(user);
      if (commits) commits.push(commit.number);
      else this.users.set(user, [commit.number]);
    }
  }

  #addErasure(number: number, erasure: ErasureEntry): void {
    this.erasures.push(number);
    this.snapshots = [];
    this.isOutdated ||= this.#isFromFacts;
    let begun = this.openErasures.get(erasure.id);
    if (erasure.stage === 'begun') {
      begun = { number, commits: erasure.commits.map((redacted) => redacted.number) };
      this.openErasures.set(erasure.id, begun);
    } else this.openErasures.delete(erasure.id);
    const receipt = begun?.number ?? 0;
    this.isOutdated ||=
      begun?.commits.some(
        (redactedNumber) => (this.commits.get(redactedNumber)?.redactedBy ?? 0) < receipt,
      ) === true;
  }
}

/** The files that are there, with the time of the last commit that has added each. */
function* filesWithTimes({ commits, contents }: LogProjection): Generator<DeltaFile> {
  const times = new Map<string, number>();
  for (const { files, atMs } of commits) for (const path of files) times.set(path, atMs);
  for (const file of contents.files.values()) yield { file, atMs: times.get(file.path) ?? 0 };
}

function countsOf(commit: Commit): CountsOfCommit {
  const {
    users,
    people,
    suppressed,
    sessions,
    search,
    retry_gaps: retries,
    named,
    shard,
    queue,
    dataset_gaps: ofDatasets,
    gaps_of_unread_users: ofUnread,
    doubtful_list: doubt,
  } = commit.scope;
  const isPart =
    retries === true ||
    (Array.isArray(sessions) && sessions.length > 0) ||
    typeof search === 'string';
  const receipt = commit.erasure?.stage === 'begun' ? commit.erasure : undefined;
  return {
    at: commit.created_at,
    scope: isPart ? 'part' : named === true ? 'named' : 'all',
    of: typeof users === 'number' ? users : null,
    people: typeof users === 'number' ? numberOr(people, users) : null,
    suppressed: typeof suppressed === 'number' ? suppressed : 0,
    queued: queuedIn(commit.scope),
    shard: typeof shard === 'string' ? shard : null,
    queue: typeof queue === 'string' ? queue : null,
    dataset_gaps: numberOr(ofDatasets, 0),
    gaps_of_unread_users: numberOr(ofUnread, 0),
    doubtful_list: doubt === true,
    users: commit.users?.rows ?? 0,
    complete: commit.users?.complete ?? 0,
    by_decision: commit.users?.by_decision ?? 0,
    left: commit.users?.left ?? 0,
    sessions: commit.sessions.length,
    jobs: isRewrite(commit) ? 0 : rowsOfJobs(commit.files),
    deletions: eachSessionOnce(commit.deletions.filter((entry) => !wasFoundGone(entry))).length,
    erased: receipt?.erased.sessions ?? null,
    still_there: receipt?.still_there?.sessions ?? 0,
  };
}

/** The commit that records the end of a run on a queue has its users by what came of them. */
function queuedIn({ queue, users, people }: Commit['scope']): number | null {
  if (typeof queue !== 'string' || typeof users !== 'object' || users === null) return null;
  const { total } = users as { readonly total?: unknown };
  return typeof total === 'number' ? numberOr(people, total) : null;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** Each format has the same rows. */
function rowsOfJobs(files: readonly FileEntry[]): number {
  const rows = new Map<string, number>();
  for (const { path, table, rows: more } of files) {
    const { extension } = partitionOf(path) ?? {};
    if (table !== 'jobs' || extension === undefined) continue;
    rows.set(extension, (rows.get(extension) ?? 0) + more);
  }
  return Math.max(0, ...rows.values());
}
