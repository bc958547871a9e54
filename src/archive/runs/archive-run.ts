/** A run in an archive: holds its run lease, cleans up after dead runs, and leases users. */
import type { UserId } from '../../model/ids.js';
import type { Row } from '../../model/table-schema.js';
import type { Archive } from '../archive.js';
import { REWRITE_LEASE_PATH, runLeasePath, userLeasePath } from '../paths.js';
import { writeSnapshotIfDue, type SnapshotPace } from '../snapshots/write-snapshot.js';
import { writePart, type PartTarget, type WrittenPart } from '../parts/part-files.js';
import { acquireLease, type AcquireOptions, type Lease, type LeaseOptions } from './lease.js';
import { StorageError } from '../../storage/storage-errors.js';
import { abandonDeadRuns } from './abandon-dead-runs.js';

export interface ArchiveRunOptions extends Pick<LeaseOptions, 'run'> {
  readonly archive: Archive;
}

export interface UserLeaseOptions extends Pick<AcquireOptions, 'wait' | 'signal'> {
  /** Whether the user must not be named in logs and errors. Default false. */
  readonly isSecret?: boolean;
}

/** A list that lacks what is there is asked for again. */
const PAUSES_BETWEEN_LISTS_MS = [100, 1000];

export class ArchiveRun {
  /** Numbers of the commits made. */
  readonly commits: number[] = [];
  readonly #leases: Lease[] = [];
  #parts = 0;

  constructor(readonly options: ArchiveRunOptions) {}

  get run() {
    return this.options.run;
  }

  get nextCheckpoint(): number {
    return this.commits.length + 1;
  }

  /** Counts the files of the run, from 1. */
  nextPart(): number {
    return ++this.#parts;
  }

  /** Writes a part file of the run without publishing it. */
  writePart(
    part: Omit<PartTarget, 'storage' | 'run' | 'n'>,
    rows: AsyncIterable<readonly Row[]>,
  ): Promise<WrittenPart> {
    const { storage } = this.options.archive;
    return writePart({ ...part, storage, run: this.run, n: this.nextPart() }, rows);
  }

  /**
   * Takes the run lease. Without it, files published before a commit would look like those of a dead run (I-33 in FORMAT.md).
   *
   * @throws {StorageError} trouble `lists`: the storage does not list what is there, so nothing may rest on its lists
   */
  async begin(): Promise<void> {
    const { archive, run } = this.options;
    const files = await archive.storage.sweep();
    if (files > 0) archive.logger.info({ files }, 'removed files that interrupted runs had staged');
    const path = runLeasePath(run);
    this.#leases.push(await this.#lease({ path, subject: `run ${run}`, wait: 'none' }));
    await this.#assertListed(path);
  }

  /**
   * What a run cleans up, erases or counts is what lists show. A file system may give names back in another case, and a
   * store, or a cache before it, may list what was there before. One list beside many changes proves nothing.
   */
  async #assertListed(path: string): Promise<void> {
    const { storage, clock } = this.options.archive;
    for (const pauseMs of [...PAUSES_BETWEEN_LISTS_MS, null]) {
      for await (const listed of storage.list(path)) if (listed.path === path) return;
      // somebody may have removed it meanwhile: nothing depends on a lease
      if (!(await storage.stat(path))) return;
      if (pauseMs !== null) await clock.sleep(pauseMs);
    }
    const text = `${path} was just written to ${storage.location} and is not in its list under that name`;
    throw new StorageError(text, { trouble: 'lists' });
  }

  /** Waits for other rewrites. Two at a time would be safe, but the log would refuse the second, and its work would be lost. */
  async leaseArchive(signal: AbortSignal): Promise<void> {
    const { logger } = this.options.archive;
    const lease = await this.#lease({
      path: REWRITE_LEASE_PATH,
      subject: 'the archive',
      wait: 'endless',
      signal,
      onWait: (holder) => {
        logger.info({ run: holder?.run }, 'another run is rewriting the archive; waiting for it');
      },
    });
    this.#leases.push(lease);
  }

  /**
   * Cleans up after dead runs; call it after `begin`.
   *
   * @param survey as `abandonDeadRuns` has it
   * @throws {IntegrityError} the log is damaged
   */
  async abandonDead(survey?: Archive): Promise<void> {
    const { commits } = await abandonDeadRuns({ ...this.options, survey });
    this.commits.push(...commits);
  }

  /**
   * Leases a user, so that no other run does the same work. The caller releases it.
   *
   * @throws {LeaseHeldError} another run works on the user, and `wait` says not to wait
   */
  async leaseUser(user: UserId, options: UserLeaseOptions): Promise<Lease> {
    const { isSecret = false, ...waiting } = options;
    const subject = isSecret ? 'one of the users' : `user ${user}`;
    return this.#lease({
      ...waiting,
      path: userLeasePath(user),
      subject,
      onWait: (holder) => {
        const { run, host, pid } = holder ?? {};
        const details = isSecret ? {} : { user, run, host, pid };
        const whom = isSecret ? subject : 'this user';
        this.options.archive.logger.info(
          details,
          `another run is at work on ${whom}; waiting for it`,
        );
      },
    });
  }

  /**
   * Leaves a snapshot for readers, where one is due; call it after the last commit.
   *
   * @param reading the archive with an index that may begin with a snapshot; default: as the run has it
   * @returns the number of the commit that names it; undefined if there is none
   */
  async leaveSnapshot(reading?: Archive, pace?: SnapshotPace): Promise<number | undefined> {
    return writeSnapshotIfDue({ archive: reading ?? this.options.archive, run: this.run, pace });
  }

  /** Releases all leases, after all work of the run has ended. Never fails. */
  async end(): Promise<void> {
    for (const lease of this.#leases.splice(0).reverse()) await lease.release();
  }

  #lease(lease: Omit<AcquireOptions, keyof Omit<LeaseOptions, 'path'>>): Promise<Lease> {
    const { archive, ...ofRun } = this.options;
    return acquireLease({ ...archive, ...ofRun, ...lease });
  }
}
