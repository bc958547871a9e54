/** Splits a batch on which a worker has died: the log says which of its users are done, and smaller batches have the others. */
import { entriesOfRun, isDone } from '../archive/runs/queued-runs.js';
import { UsageError } from '../base/error.js';
import type { SessionOptions } from './worker-options.js';
import { type RunRecord, decodeRunRecord } from './queue-records.js';
import { BatchTally, type BatchResult } from './batch-tally.js';
import { putParts } from './put-on-queue.js';
import { chunks, readable, runJobId, runQueue, type BatchJob } from './queues.js';
import { openArchiveIn } from '../archive/open-archive.js';
import { openStorage } from '../storage/open-storage.js';

/** A batch becomes at most this many: who kills the workers of a batch of 500 is alone after two more deaths. */
const PARTS = 16;

type SplitOptions = Pick<SessionOptions, 'redis' | 'queue' | 'out' | 'storage' | 'logger'>;

/**
 * Puts the parts on the queue. If this worker dies in between, the next one puts the same parts there again.
 *
 * @returns what came of the users that the log has as complete
 * @throws {IntegrityError} a commit of the run is damaged
 */
export async function splitBatch(job: BatchJob, options: SplitOptions): Promise<BatchResult> {
  const { redis, queue, out, logger } = options;
  const { run, done, users } = job.data;
  const runJob = await readable(runQueue(redis, queue).getJob(runJobId(run)));
  const record = runJob && decodedOrUndefined(run, runJob.data);
  const tally = new BatchTally();
  if (done) tally.add(done);
  const remaining: string[] = [];
  const storage = await openStorage(out, options.storage, logger);
  try {
    const since = { run, since: record?.since ?? 0 };
    const entries = await entriesOfRun(
      await openArchiveIn(storage, { logger }),
      since,
      new Set(users),
    );
    for (const user of users) {
      const entry = entries.get(user);
      if (entry && isDone(entry)) tally.addEntry(entry);
      else remaining.push(user);
    }
  } finally {
    await storage.close();
  }
  await putParts(redis, queue, job, chunks(remaining, Math.ceil(remaining.length / PARTS)));
  logger.info(
    { run, done: users.length - remaining.length, left: remaining.length },
    'a worker has died on a batch of users; it is split',
  );
  return tally.result();
}

/** A worker refuses the users of a run without a valid record. */
function decodedOrUndefined(run: string, data: unknown): RunRecord | undefined {
  try {
    return decodeRunRecord(run, data);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
