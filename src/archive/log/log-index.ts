/** Reads the log: keeps a small projection of it, and yields the commits themselves to callers that need all of them. */
import type { RunId, UserId } from '../../model/ids.js';
import { assertFollows } from './commit-chain.js';
import type { CommitLog, CommitRef } from './commit-log.js';
import { isOnlyNote } from './commit-kinds.js';
import type { ArtifactCounts, Commit } from './commit.js';
import type { Contents, FileChanges } from './contents.js';
import type { HoldRecord } from './notes.js';
import { requestName, type RequestRecord } from './request-history.js';
import type { AcceptedGaps } from './accepted-gaps.js';
import type { DrillHistory } from './drill-history.js';
import type { RetentionFloor } from './retention-floor.js';
import type { Suppressions } from './suppressions.js';
import { LogView, type CommitFacts } from './log-view.js';
import type { TableHistories } from '../delta/table-history.js';
import type { ListingsOfUser } from './newest-listings.js';
import type { KnownSnapshot, LogSnapshot } from '../snapshots/snapshot.js';
import type { KnownUser } from '../snapshots/snapshot-users.js';
import type { Storage } from '../../storage/storage.js';

/** What the index begins with instead of the commits that it takes into account. */
interface SnapshotSource {
  /** The newest commit that a stored snapshot takes into account, whether it counts or not; 0 if there is none. */
  through(): Promise<number>;
  /**
   * @param head the newest commit that is known
   * @param since the newest commit about an erasure that is known
   */
  newest(head: number, since: number): Promise<LogSnapshot | undefined>;
}

export interface WalkOptions {
  /** The first commit that is yielded. Default: 1. */
  readonly from?: number;
  /** The last commit that is yielded. Default: the newest. */
  readonly through?: number;
  readonly signal?: AbortSignal | undefined;
}

export class LogIndex {
  readonly #log: CommitLog;
  readonly #storage: Storage;
  readonly #snapshots: SnapshotSource | undefined;
  #view = new LogView();
  #snapshot: KnownSnapshot | undefined;
  /** Never rejects. */
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;

  /** @param snapshots default: every commit is read */
  constructor(storage: Storage, log: CommitLog, snapshots?: SnapshotSource) {
    this.#storage = storage;
    this.#log = log;
    this.#snapshots = snapshots;
  }

  /** What the index began with; undefined if it has read every commit. */
  get snapshot(): KnownSnapshot | undefined {
    return this.#snapshot;
  }

  /** The first commit that is not in the snapshot. */
  get walkFrom(): number {
    return (this.#snapshot?.head.number ?? 0) + 1;
  }

  /** The projection as it is now: callers must not change it, and it may change after a refresh. */
  get view(): LogView {
    return this.#view;
  }

  /** What the snapshot has of a user with sessions, if it is all that there is. */
  inSnapshot(user: UserId): KnownUser | undefined {
    const known = this.#snapshot?.users.get(user);
    return known?.commits.length === this.commitsTouching(user).length ? known : undefined;
  }

  /** Number of the newest commit that the index knows. */
  get through(): number {
    return this.#view.newest?.number ?? 0;
  }

  /** That commit; null if the index knows none. */
  get head(): CommitRef | null {
    const { newest } = this.#view;
    return newest ? { number: newest.number, digest: newest.digest } : null;
  }

  get contents(): Contents {
    return this.#view.contents;
  }

  /** About how many artifacts there are. */
  get artifacts(): ArtifactCounts {
    return this.#view.artifacts;
  }

  /** The changes of files of each commit that has any, in order. */
  get fileChanges(): readonly FileChanges[] {
    return this.#view.fileChanges;
  }

  /** The versions of each table as a Delta table; those before the snapshot as a whole. */
  get tables(): TableHistories {
    return this.#view.tables;
  }

  /** In order. */
  get commits(): Iterable<CommitFacts> {
    return this.#view.commits.values();
  }

  /** Users with sessions or deletions in the log, in the order of their first commit. */
  get users(): UserId[] {
    return [...this.#view.users.keys()];
  }

  /** All users with sessions, and those of whom nothing could be archived. @throws {IntegrityError} as `listings` */
  async allUsers(): Promise<UserId[]> {
    const view = this.#view;
    const first = new Map<UserId, number>();
    for (const [user, [commit = 0]] of view.users) first.set(user, commit);
    for (const [user, { since }] of await this.#listingsIn(view)) {
      first.set(user, Math.min(first.get(user) ?? since, since));
    }
    return [...first].sort(([, a], [, b]) => a - b).map(([user]) => user);
  }

  /**
   * The newest listings of every user that was listed. Reads the users manifests that were not read before.
   *
   * @throws {IntegrityError} one of them is missing or damaged
   */
  listings(): Promise<ReadonlyMap<UserId, ListingsOfUser>> {
    return this.#listingsIn(this.#view);
  }

  /** Runs that another run has declared dead. */
  get abandonedRuns(): ReadonlySet<RunId> {
    return this.#view.abandonedRuns;
  }

  /** Number of the newest commit about an erasure; 0 if there is none. */
  get lastErasure(): number {
    return this.erasures.at(-1) ?? 0;
  }

  /** Numbers of the commits about erasures, in order. */
  get erasures(): readonly number[] {
    return this.#view.erasures;
  }

  /** Receipts of erasures that are not finished: commit number by id. */
  get openErasures(): ReadonlyMap<string, { readonly number: number }> {
    return this.#view.openErasures;
  }

  /** All holds, also released ones, in the order in which they were set. */
  get holds(): readonly HoldRecord[] {
    return this.#view.holds.records;
  }

  /** Gaps that somebody has seen and accepts. */
  get acceptedGaps(): AcceptedGaps {
    return this.#view.acceptedGaps;
  }

  /** All requests, also closed ones, in the order in which they came. */
  get requests(): readonly RequestRecord[] {
    const { requests, suppressions } = this.#view;
    return requests.records.map((record) => {
      const request = { ...record, name: requestName(record) };
      const told = record.erasures?.map((erasure) => {
        return { ...erasure, ...suppressions.sinceCommit(erasure.commit) };
      });
      return told === undefined ? request : { ...request, erasures: told };
    });
  }

  get drills(): DrillHistory {
    return this.#view.drills;
  }

  /** How long everything is kept at least; undefined: nobody has said. */
  get retention(): RetentionFloor | undefined {
    return this.#view.retention;
  }

  /** Whom exports skip. */
  get suppressions(): Suppressions {
    return this.#view.suppressions;
  }

  /** Undefined if the index does not know the commit. */
  commit(number: number): CommitFacts | undefined {
    return this.#view.commits.get(number);
  }

  /**
   * The newest commit that is more than a note, of those up to a commit: what is made of the archive names it, so that all
   * that is made of the same data names the same. Null if there is none.
   */
  asOf(through: number): CommitRef | null {
    for (let number = through; number > 0; number--) {
      const commit = this.commit(number);
      if (commit && !isOnlyNote(commit)) return { number, digest: commit.digest };
    }
    return null;
  }

  /** The digest of a commit; null for 0, before the first commit. */
  digestOf(number: number): string | null {
    return this.commit(number)?.digest ?? null;
  }

  /** Numbers of the commits that change a user's sessions, in order. */
  commitsTouching(user: UserId): readonly number[] {
    return this.#view.users.get(user) ?? [];
  }

  /**
   * Reads what was appended since the last call. Every commit is read once. After the receipt of an erasure,
   * all are read again, because it redacts some of them.
   *
   * @throws {IntegrityError}
   */
  refresh(): Promise<void> {
    // A running refresh may have read the log before the caller's own append.
    this.#queued ??= this.#running.then(() => {
      this.#queued = undefined;
      const extending = this.#extend();
      this.#running = extending.catch(() => undefined);
      return extending;
    });
    return this.#queued;
  }

  /** Reads every commit again. @throws {IntegrityError} */
  async readAgain(): Promise<void> {
    this.#view.isOutdated = true;
    await this.refresh();
  }

  /**
   * Yields every commit in order, for callers that need what the projection leaves out: the sessions of
   * each. The projection is updated on the way.
   *
   * @throws {IntegrityError}
   */
  async *walk({ from = 1, through, signal }: WalkOptions = {}): AsyncGenerator<Commit> {
    const newest = through ?? (await this.#log.head())?.number ?? 0;
    for await (const commit of this.#log.commits(from, newest)) {
      signal?.throwIfAborted();
      this.#learn(this.#view, commit);
      yield commit;
    }
    if (through === undefined) await this.refresh();
  }

  /** Adds the next commit; for verification, which reads even a damaged log to its end. */
  add(commit: Commit): void {
    this.#view.add(commit);
  }

  #listingsIn({ listings }: LogView): Promise<ReadonlyMap<UserId, ListingsOfUser>> {
    return listings.read({ storage: this.#storage, log: this.#log });
  }

  async #extend(): Promise<void> {
    const isFirst = !this.#view.newest;
    const head = await this.#log.head(isFirst ? await this.#snapshots?.through() : undefined);
    if (isFirst && this.#snapshots) {
      const snapshot = await this.#snapshots.newest(head?.number ?? 0, 0);
      this.#snapshot = withoutFacts(snapshot);
      this.#view = new LogView(snapshot?.facts);
    }
    await this.#readInto(this.#view, head?.number ?? 0);
    if (!this.#view.isOutdated) return;
    this.#log.forget();
    const snapshot = await this.#snapshots?.newest(this.through, this.lastErasure);
    const fresh = new LogView(snapshot?.facts);
    await this.#readInto(fresh, this.through);
    fresh.isOutdated = false; // if somebody put an old commit back, reading it again changes nothing
    this.#snapshot = withoutFacts(snapshot);
    this.#view = fresh;
  }

  async #readInto(view: LogView, through: number): Promise<void> {
    const from = (view.newest?.number ?? 0) + 1;
    for await (const commit of this.#log.commits(from, through)) this.#learn(view, commit);
  }

  /** A walk and a refresh may run at the same time: each commit is added once. */
  #learn(view: LogView, commit: Commit): void {
    if (commit.number !== (view.newest?.number ?? 0) + 1) return;
    assertFollows(commit, view.newest);
    view.add(commit);
  }
}

/** The view has them. */
function withoutFacts(snapshot: LogSnapshot | undefined): KnownSnapshot | undefined {
  return snapshot && { head: snapshot.head, users: snapshot.users, states: snapshot.states };
}
