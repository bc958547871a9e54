/** What every rewrite does around its work: shows that it lives, tidies up after the dead, numbers its files. */
import type { Archive } from '../archive/archive.js';
import { buryDeadRuns } from '../archive/runs/dead-runs.js';
import { acquireLease, type Lease } from '../archive/runs/lease.js';
import { REWRITE_LEASE_PATH, runLeasePath } from '../archive/paths.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import { ulid } from '../base/ulid.js';
import { asRunId, type RunId } from '../model/ids.js';
import { finishErasures } from './erasure/finish-erasure.js';
import type { Processes } from '../base/process-identity.js';

export interface RewriteOptions {
  readonly archive: Archive;
  /** Tells which runs are dead. */
  readonly processes: Processes;
  /** Name and version, as commits record it. */
  readonly tool: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Aborted to stop before the next file; what is committed stays. */
  readonly signal: AbortSignal;
}

export class Rewriting {
  readonly run: RunId;
  /** Numbers of the commits made. */
  readonly commits: number[] = [];
  readonly #leases: Lease[] = [];
  #parts = 0;

  private constructor(readonly options: RewriteOptions) {
    this.run = asRunId(ulid(options.clock, options.random));
  }

  /** @throws {IntegrityError} the log is damaged */
  static async begin(options: RewriteOptions): Promise<Rewriting> {
    const rewriting = new Rewriting(options);
    await rewriting.#begin();
    return rewriting;
  }

  /** Counts the files of the run, from 1. */
  nextPart(): number {
    return ++this.#parts;
  }

  get nextCheckpoint(): number {
    return this.commits.length + 1;
  }

  /** When nothing of the run is under way any more. Never fails. */
  async end(): Promise<void> {
    for (const lease of this.#leases.splice(0).reverse()) await lease.release();
  }

  async #begin(): Promise<void> {
    const { archive, processes, tool, clock, random, logger, signal } = this.options;
    const { storage } = archive;
    const { run } = this;
    const common = { storage, run, processes, clock, random, logger };
    await storage.sweep();
    // without it, what is published right before the commit looks as if a dead run had left it
    const own = { path: runLeasePath(run), subject: `run ${run}`, patience: 'none' } as const;
    this.#leases.push(await acquireLease({ ...common, ...own }));
    try {
      // two at a time would be right, too: the log refuses the second, whose work is lost
      const lease = await acquireLease({
        ...common,
        path: REWRITE_LEASE_PATH,
        subject: 'the archive',
        signal,
        patience: 'endless',
        onWait: (holder) => {
          logger.info({ run: holder?.run }, 'another run writes the archive anew; waiting for it');
        },
      });
      this.#leases.push(lease);
      const buried = await buryDeadRuns({
        archive,
        run,
        tool,
        processes,
        clock,
        logger,
        finishErasures,
      });
      this.commits.push(...buried.commits);
    } catch (error) {
      await this.end();
      throw error;
    }
  }
}
