/** Finishes a queued run: writes its summary to the queue and to the archive's log. */
import type { Redis } from 'ioredis';
import type { CommitSigner } from '../archive/log/commit-signer.js';
import { openArchive, readIdentity } from '../archive/open-archive.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Random } from '../base/random.js';
import { redactText } from '../base/text/redact.js';
import { ulid } from '../base/ulid.js';
import { TOOL } from '../base/version.js';
import { parseJson } from '../base/text/parse-json.js';
import { beginRun } from '../export/begin-run.js';
import { asRunId } from '../model/ids.js';
import { asObject } from '../model/records.js';
import { openStorage } from '../storage/open-storage.js';
import { systemProcesses } from '../base/process-identity.js';
import type { ArchiveLocation } from './authorize-run.js';
import { userJobId, type RunJob } from './queues.js';
import { summarise, type RunSummary } from './run-summary.js';
import { decodeUserResult, lostResult, type UserResult } from './user-result.js';
import type { RunRecord } from './run-record.js';

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
export async function finishRun(job: RunJob, options: FinishOptions): Promise<RunSummary> {
  const results = await resultsOf(job, options);
  const summary = summarise(options.record, results, options.clock.now());
  return { ...summary, commit: await recordEnd(summary, options) };
}

async function resultsOf(
  job: RunJob,
  { redis, record, logger }: FinishOptions,
): Promise<UserResult[]> {
  const lost = Object.entries(await job.getIgnoredChildrenFailures());
  const results: UserResult[] = [];
  for (const [key, value] of Object.entries(await job.getChildrenValues<unknown>())) {
    const result = decodeUserResult(value);
    if (result && key.endsWith(`:${userJobId(record.name, result.user)}`)) results.push(result);
    else lost.push([key, "the queue's result of this user is invalid"]);
  }
  for (const [key, reason] of lost) {
    logger.warn({ run: record.name, job: key, reason: redactText(reason) }, 'a user is lost');
    results.push(lostResult(await userOfKey(redis, key), redactText(reason)));
  }
  return results;
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

/** @returns the commit; null if there is no archive because no user got that far */
async function recordEnd(
  summary: Omit<RunSummary, 'commit'>,
  { record, location, signer, clock, random, logger }: FinishOptions,
): Promise<number | null> {
  const storage = openStorage(location.out, location.storage, logger);
  try {
    if (!(await readIdentity(storage))) return null;
    const archive = await openArchive(storage, { clock, random, signer });
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
      return number;
    } finally {
      await archiveRun.end();
    }
  } finally {
    await storage.close();
  }
}
