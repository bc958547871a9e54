/** Finishes a queued run: writes its summary to the queue and to the archive's log. */
import type { Redis } from 'ioredis';
import type { CommitSigner } from '../archive/log/signing.js';
import type { Archive } from '../archive/archive.js';
import { forgetQueued, openRuns } from '../archive/runs/queued-runs.js';
import { openArchive, readIdentity } from '../archive/open-archive.js';
import type { Clock, Random } from '../base/runtime.js';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/text/redact.js';
import { ulid } from '../base/digest.js';
import { TOOL } from '../base/version.js';
import { parseJson } from '../base/text/parse-json.js';
import { beginRun } from '../export/begin-run.js';
import { asRunId } from '../model/ids.js';
import { asObject } from '../model/records.js';
import { openStorage } from '../storage/open-storage.js';
import { systemProcesses } from '../base/process-identity.js';
import { type ArchiveLocation, authorizeRun } from './authorize-run.js';
import {
  userJobId,
  type RunJob,
  jobTaker,
  LOCK_MS,
  readable,
  runJobId,
  RUNS_QUEUE,
  SHUTDOWN_MS,
  recordFailure,
} from './queues.js';
import { summarise, type RunSummary } from './run-summary.js';
import { UsersLostError } from './fleet-errors.js';
import { decodeUserResult, emptyResult, lostResult, type UserResult } from './user-result.js';
import { type RunRecord, decodeRunRecord } from './run-record.js';
import { UnrecoverableError, type Worker } from './bullmq.js';
import { SigningKeyError } from '../archive/archive-errors.js';
import { messageOf, UsageError } from '../base/error.js';
import { abortable, abortableAfter } from '../base/concurrently.js';
import type { SessionOptions } from './worker-options.js';

export interface FinishOptions {
  readonly redis: Redis;
  readonly record: RunRecord;
  readonly location: ArchiveLocation;
  readonly signer: CommitSigner | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Also abandons the archive runs of workers that died, so that none is left when the queued run is over.
 * If this worker dies here, another one writes the same summary.
 */
async function finishRun(job: RunJob, options: FinishOptions): Promise<RunSummary> {
  const { record, location, signer, clock, random, logger } = options;
  const { results, ids } = await resultsOf(job, options);
  const storage = openStorage(location.out, location.storage, logger);
  try {
    const archive = (await readIdentity(storage))
      ? await openArchive(storage, { clock, random, signer })
      : undefined;
    if (archive) results.push(...(await resultsInLog(archive, record.name, ids)));
    const summary = summarise(record, results, clock.now());
    return { ...summary, commit: archive ? await recordEnd(summary, archive, options) : null };
  } finally {
    await storage.close();
  }
}

/**
 * Results of users whose result the queue does not have. The log proves these users complete; how much was new is
 * not known.
 *
 * @throws {UsersLostError} the log does not prove all of them complete
 */
async function resultsInLog(
  archive: Archive,
  name: string,
  ids: ReadonlySet<string>,
): Promise<UserResult[]> {
  const run = (await openRuns(archive)).find((open) => open.run === name);
  if (!run) return [];
  const isUnknown = (user: string) => !ids.has(userJobId(name, user));
  const lost = run.left.filter(isUnknown);
  if (lost.length > 0) {
    throw new UsersLostError(
      `the queue has lost ${lost.length} of ${run.users.size} users of the run ${name}; enqueue --resume ${name} puts them back`,
    );
  }
  return [...run.users].filter(isUnknown).map(emptyResult);
}

async function resultsOf(
  job: RunJob,
  { redis, record, logger }: FinishOptions,
): Promise<{ readonly results: UserResult[]; readonly ids: ReadonlySet<string> }> {
  const lost = Object.entries(await job.getIgnoredChildrenFailures());
  const results: UserResult[] = [];
  const ids = new Set<string>();
  for (const [key, value] of Object.entries(await job.getChildrenValues<unknown>())) {
    ids.add(idOfKey(key));
    const result = decodeUserResult(value);
    if (result && key.endsWith(`:${userJobId(record.name, result.user)}`)) results.push(result);
    else lost.push([key, "the queue's result of this user is invalid"]);
  }
  for (const [key, reason] of lost) {
    logger.warn({ run: record.name, job: key, reason: redactText(reason) }, 'a user is lost');
    ids.add(idOfKey(key));
    results.push(lostResult(await userOfKey(redis, key), redactText(reason)));
  }
  return { results, ids };
}

/** The job id in a key of the queue. */
function idOfKey(key: string): string {
  return key.slice(key.lastIndexOf(':') + 1);
}

/** Reads the user from the failed job in Redis: the job id is only a hash. */
async function userOfKey(redis: Redis, key: string): Promise<string> {
  try {
    const data: unknown = parseJson((await redis.hget(key, 'data')) ?? 'null');
    const { user } = asObject(data) ?? {};
    return typeof user === 'string' && user !== '' ? user : key;
  } catch (error) {
    if (error instanceof SyntaxError) return key;
    throw error;
  }
}

/** @returns the commit */
async function recordEnd(
  summary: Omit<RunSummary, 'commit'>,
  archive: Archive,
  { record, clock, random, logger }: FinishOptions,
): Promise<number> {
  await archive.log.assertMayAppend();
  const run = asRunId(ulid(clock, random));
  const leases = { processes: systemProcesses, noWait: true };
  const archiveRun = await beginRun({ archive, leases, clock, random, logger, tool: TOOL }, run);
  try {
    await archive.index.refresh();
    const { users, sessions, jobs, gap_count: gaps, status, enqueued_at: since } = summary;
    const scope = { queue: record.name, enqueued_at: since, status, users, sessions, jobs, gaps };
    const { number } = await archive.log.append({
      kind: 'export',
      run,
      checkpoint: archiveRun.commits.length + 1,
      tool: TOOL,
      base: archive.index.through,
      scope,
    });
    await forgetQueued(archive.storage, record.name, number);
    return number;
  } finally {
    await archiveRun.end();
  }
}

/** Finishes runs whose users are all done: takes a run from the queue, keeps it locked, and records its summary or failure. */

export class RunFinisher {
  readonly #options: SessionOptions;
  readonly #taker: Worker<RunRecord, RunSummary>;
  #taken = 0;
  #finished = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#taker = jobTaker(RUNS_QUEUE, options);
  }

  /** How many runs it has finished. */
  get finished(): number {
    return this.#finished;
  }

  /**
   * @param onBegin called with the run's name
   * @returns whether there was one
   * @throws {SigningKeyError} the archive is signed: another worker may have the key
   */
  async finishOne(onBegin: (run: string) => void): Promise<boolean> {
    const options = this.#options;
    const { redis, clock, random, logger, signer, worker } = options;
    const token = `${worker}:run:${++this.#taken}`;
    const job = await this.#next(token);
    if (!job) return false;
    const ended = new AbortController();
    const locking = this.#keepLocked(job, token, ended.signal);
    const soon = <T>(work: Promise<T>) => abortableAfter(SHUTDOWN_MS, work, options);
    try {
      const record = decodeRunRecord((job.id ?? '').slice(runJobId('').length), job.data);
      const location = authorizeRun(record, options);
      onBegin(record.name);
      const summary = await soon(
        finishRun(job, { redis, record, location, signer, clock, random, logger }),
      );
      await soon(job.moveToCompleted(summary, token, false));
      this.#finished++;
      logger.info({ run: record.name, status: summary.status, ...summary.users }, 'run finished');
    } catch (error) {
      if (error instanceof SigningKeyError) {
        await soon(job.moveToWait(token)).catch(() => undefined);
        throw error;
      }
      logger.error({ run: job.id, reason: messageOf(error) }, 'a run could not be finished');
      const isRefused = error instanceof UsageError || error instanceof UsersLostError;
      const reason = isRefused
        ? new UnrecoverableError(error.message)
        : new Error(messageOf(error));
      const failing = recordFailure(job, error).then(() => job.moveToFailed(reason, token, false));
      await soon(failing).catch(() => undefined);
    } finally {
      ended.abort();
      await locking;
    }
    return true;
  }

  async close(): Promise<void> {
    await this.#taker.close(true);
  }

  async #next(token: string): Promise<RunJob | undefined> {
    const { signal, logger } = this.#options;
    try {
      return await abortable(readable(this.#taker.getNextJob(token, { block: false })), signal);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      logger.error({ reason: error.message }, 'a run cannot be finished');
      return undefined;
    }
  }

  async #keepLocked(job: RunJob, token: string, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#options.clock.sleep(LOCK_MS / 3, signal);
        job.extendLock(token, LOCK_MS).catch(() => undefined);
      }
    } catch {
      return; // aborted: the run has ended
    }
  }
}
