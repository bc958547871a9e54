/** Reads the state of a queued run from the queue. Apart from its type, which is public: the queue's types are not. */
import type { Queue } from './bullmq.js';
import { FAILURE_KINDS, failureOf, messageOf, type FailureKind } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { decodeRunRecord, type RunRecord } from './queue-records.js';
import { decodeBatchResult } from './batch-tally.js';
import { decodeRunSummary, type FleetRun, type RunSummary } from './run-summary.js';
import { readable, runJobId, type RunJob } from './queues.js';
import { z } from 'zod';

const failureSchema = z.strictObject({ failure: z.enum(FAILURE_KINDS) });

/** Stores the kind of failure with the run's job, so that commands that wait for the run exit with its code. */
export async function recordFailure(job: RunJob, error: unknown): Promise<void> {
  await job.updateProgress({ failure: failureOf(error) });
}

/** @returns `undefined` if the queue has no such run */
export async function readFleetRun(
  runs: Queue<RunRecord, RunSummary>,
  run: string,
): Promise<FleetRun | undefined> {
  // the state first: a run that ends meanwhile is never "failed" without its reason
  const state = await runs.getJobState(runJobId(run));
  const job = await readable<RunJob | undefined>(runs.getJob(runJobId(run)));
  if (!job) return undefined;
  const failed = (error: string, record?: RunRecord): FleetRun => ({
    ...known(run, record),
    state: 'failed',
    users: { done: 0, left: record?.users ?? 0 },
    summary: null,
    error,
    failure: 'unexpected',
  });
  let record: RunRecord;
  try {
    record = decodeRunRecord(run, job.data);
  } catch (error) {
    return failed(messageOf(error));
  }
  if (state !== 'completed') {
    const done = Math.min(record.users, await usersDone(job));
    const users = { done, left: record.users - done };
    const error = job.failedReason ? redactText(job.failedReason) : null;
    const failure = state === 'failed' ? recordedFailure(job) : null;
    return { ...known(run, record), state: stateOf(state), users, summary: null, error, failure };
  }
  const summary = decodeRunSummary(job.returnvalue);
  if (!summary) return failed(`the queue's summary of run ${run} is invalid`, record);
  const users = { done: summary.users.total, left: 0 };
  return { ...known(run, record), state: 'finished', users, summary, error: null, failure: null };
}

/** Users of batches that are done or given up. */
async function usersDone(job: RunJob): Promise<number> {
  let done = 0;
  for (const value of Object.values(await job.getChildrenValues<unknown>())) {
    const result = decodeBatchResult(value);
    if (!result) continue;
    done += result.complete + [...result.failed, ...result.incomplete, ...result.left].length;
  }
  return done + Object.keys(await job.getIgnoredChildrenFailures()).length;
}

function known(run: string, record: RunRecord | undefined) {
  return { run, archive: record?.location ?? null, enqueued_at: record?.enqueued_at ?? null };
}

function stateOf(state: string): FleetRun['state'] {
  if (state === 'failed') return 'failed';
  return state === 'waiting-children' ? 'running' : 'finishing';
}

/** `unexpected` if none is recorded: other programs may write to Redis. */
function recordedFailure({ progress }: RunJob): FailureKind {
  return failureSchema.safeParse(progress).data?.failure ?? 'unexpected';
}
