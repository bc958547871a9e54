/** A real Redis, an emulator, an archive, and workers in this process or in others. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import {
  enqueueManyUsers,
  type Enqueued,
  type EnqueueOptions,
} from '../../../src/fleet/enqueue-run.js';
import { TextSet } from '../../../src/base/text/text-set.js';
import { fleetStatus, type FleetStatus } from '../../../src/fleet/fleet-status.js';
import { waitForRun } from '../../../src/fleet/wait-for-run.js';
import type { RunSummary } from '../../../src/fleet/run-summary.js';
import { runWorker } from '../../../src/fleet/run-worker.js';
import type { WorkerOptions, WorkerResult } from '../../../src/fleet/worker-options.js';
import type { Row } from '../../../src/model/table-schema.js';
import { SHORT_TERMS, TEST_TERMS } from '../base/short-terms.js';
import { RedisServer } from '../../services/redis.js';
import { type WorkerProcess, workerProcess } from '../programs/library-process.js';
import { CliProcess, type CliOptions } from '../programs/cli-process.js';
import { duckDbRows } from '../tables/duckdb-rows.js';
import { impatient } from './export-rig.js';

/** What a worker counts that has settled nobody. */
export const NOBODY_SETTLED = {
  complete: 0,
  incomplete_by_decision: 0,
  with_gaps: 0,
  failed: 0,
  left: 0,
  again: 0,
  returned: 0,
  vanished: 0,
  newly_vanished: 0,
} as const;

/** The queue of every rig. */
export const QUEUE = 'jobvault';

export class FleetRig implements AsyncDisposable {
  readonly out: string;

  private constructor(
    readonly redis: RedisServer,
    readonly emulator: Emulator,
    readonly directory: string,
  ) {
    this.out = join(directory, 'archive');
  }

  static async start(options: EmulatorOptions = {}): Promise<FleetRig> {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-fleet-'));
    const defaults = { sessions: 1, jobs: 1, artifactsPerJob: 0, rateLimit: 0 };
    return new FleetRig(
      await RedisServer.start(),
      await startEmulator({ ...defaults, ...options }),
      directory,
    );
  }

  get users(): string[] {
    return this.emulator.state.userIds();
  }

  /**
   * All users, tried again at once.
   *
   * @param options.batches that the users are put in
   */
  enqueue({
    users = this.users,
    ...options
  }: Partial<EnqueueOptions> & { readonly batches?: number } = {}): Promise<Enqueued> {
    return enqueueManyUsers({
      redis: this.redis.url,
      queue: QUEUE,
      baseUrl: this.emulator.baseUrl,
      out: this.out,
      retryDelayMs: 1,
      ...options,
      users: TextSet.of(users),
    });
  }

  /** In this process, at a rate that is no limit, until there has been nothing to do for a fifth of a second. */
  work(options: Partial<WorkerOptions> = {}): Promise<WorkerResult> {
    return runWorker({
      redis: this.redis.url,
      queue: QUEUE,
      baseUrl: this.emulator.baseUrl,
      apiKey: 'demo-key',
      exitWhenIdleMs: 200,
      random: impatient,
      terms: TEST_TERMS,
      out: this.out,
      rate: 10_000,
      ...options,
    });
  }

  /** In a process of its own, until there has been nothing to do for a second. */
  beginWorker(options: Partial<WorkerOptions> = {}): WorkerProcess {
    return workerProcess({
      redis: this.redis.url,
      queue: QUEUE,
      baseUrl: this.emulator.baseUrl,
      apiKey: 'demo-key',
      exitWhenIdleMs: 1000,
      terms: SHORT_TERMS,
      out: this.out,
      rate: 10_000,
      ...options,
    });
  }

  /** The built program as a worker, until it is stopped. */
  beginWorkerProgram(words: readonly string[] = [], options: CliOptions = {}): CliProcess {
    const place = ['--redis', this.redis.url, '--base-url', this.emulator.baseUrl];
    const rate = words.includes('--rate') ? [] : ['--rate', '10000'];
    const own = ['--out', this.out, '--queue', QUEUE];
    return this.begin(['worker', ...place, ...own, ...rate, ...words], options);
  }

  begin(words: readonly string[], options: CliOptions = {}): CliProcess {
    return new CliProcess(words, {
      directory: this.directory,
      ...options,
      environment: { JOBVAULT_API_KEY: 'demo-key', ...options.environment },
    });
  }

  async status(): Promise<FleetStatus> {
    const [status] = await fleetStatus({ redis: this.redis.url, queue: QUEUE });
    if (!status) throw new Error('there is no queue');
    return status;
  }

  /**
   * The summary of a run that comes to its end.
   *
   * @param workers when all of them have ended, a run that has not will not
   */
  async finished(
    run: string,
    workers: readonly Pick<CliProcess, 'ended'>[] = [],
  ): Promise<RunSummary> {
    const stop = new AbortController();
    const stopWhenNobodyWorks = async () => {
      const ends = await Promise.all(workers.map(({ ended }) => ended));
      const { runs } = await this.status();
      if (runs.some((known) => known.run === run && known.summary !== null)) return;
      const told = ends.map(({ exitCode, stdout, stderr }) => `${exitCode}: ${stdout}${stderr}`);
      stop.abort(new Error(`all workers have ended, and the run has not\n${told.join('\n')}`));
    };
    if (workers.length > 0) {
      stopWhenNobodyWorks().catch((error: unknown) => {
        stop.abort(error);
      });
    }
    const { summary, error } = await waitForRun({
      redis: this.redis.url,
      queue: QUEUE,
      run,
      terms: SHORT_TERMS,
      signal: stop.signal,
    });
    if (!summary) throw new Error(`the run failed: ${error ?? ''}`);
    return summary;
  }

  /** As DuckDB finds them in all files of the table. */
  select(table: string, columns: string, rest = ''): Promise<Row[]> {
    const files = `read_parquet('${this.out}/tables/${table}/dt=*/*.parquet', hive_partitioning = false)`;
    return duckDbRows(`SELECT ${columns} FROM ${files} ${rest}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.close();
    await this.redis[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
