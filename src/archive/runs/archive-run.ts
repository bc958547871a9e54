/** A run at work in an archive: shows that it lives, tidies up after the dead, and leases what it works on. */
import type { UserId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { REWRITE_LEASE_PATH, runLeasePath, userLeasePath } from '../paths.js';
import { abandonDeadRuns, type FinishErasures } from './dead-runs.js';
import { acquireLease, type AcquireOptions, type Lease, type LeaseOptions } from './lease.js';

export interface ArchiveRunOptions extends Omit<LeaseOptions, 'storage' | 'path'> {
  readonly archive: Archive;
  /** Name and version, as commits record it. */
  readonly tool: string;
}

export interface UserLeaseOptions extends Pick<AcquireOptions, 'wait' | 'signal'> {
  /** Whose name is not to be told. */
  readonly isSecret?: boolean;
}

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

  /** Without a lease, what it publishes right before a commit looks as if a dead run had left it (I-33 in FORMAT.md). */
  async begin(): Promise<void> {
    const { archive, run, logger } = this.options;
    const files = await archive.storage.sweep();
    if (files > 0) logger.info({ files }, 'removed what broken-off runs had staged');
    const path = runLeasePath(run);
    this.#leases.push(await this.#lease({ path, subject: `run ${run}`, wait: 'none' }));
  }

  /** Waits for other rewrites. Two at a time would be right, too: the log refuses the second, whose work is lost. */
  async leaseArchive(signal: AbortSignal): Promise<void> {
    const { logger } = this.options;
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

  /** After `begin`. @throws {IntegrityError} the log is damaged */
  async abandonDead(finishErasures: FinishErasures): Promise<void> {
    const { commits } = await abandonDeadRuns({ ...this.options, finishErasures });
    this.commits.push(...commits);
  }

  /**
   * So that no other run works on the user, as far as that can be had: the caller releases it.
   *
   * @throws {LeaseHeldError} another run is at work, and is not to be waited for
   */
  async leaseUser(user: UserId, options: UserLeaseOptions): Promise<Lease> {
    const { isSecret = false, ...patient } = options;
    const subject = isSecret ? 'one of the users' : `user ${user}`;
    return this.#lease({
      ...patient,
      path: userLeasePath(user),
      subject,
      onWait: (holder) => {
        const { run, host, pid } = holder ?? {};
        const told = isSecret ? {} : { user, run, host, pid };
        const whom = isSecret ? subject : 'this user';
        this.options.logger.info(told, `another run is at work on ${whom}; waiting for it`);
      },
    });
  }

  /** When nothing of the run is under way any more. Never fails. */
  async end(): Promise<void> {
    for (const lease of this.#leases.splice(0).reverse()) await lease.release();
  }

  #lease(wanted: Omit<AcquireOptions, keyof Omit<LeaseOptions, 'path'>>): Promise<Lease> {
    return acquireLease({ ...this.options, storage: this.options.archive.storage, ...wanted });
  }
}
