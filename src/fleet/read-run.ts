/** Reads the state of a queued run from the queue. Apart from its type, which is public: the queue's types are not. */
import { z } from 'zod';
import { FAILURE_KINDS, failureOf, messageOf, type FailureKind } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { type FleetRun, decodeRunSummary } from './run-summary.js';
import { runJobId, type RunJob } from './queues.js';
import { decodeRunRecord, type RunRecord } from './run-record.js';

const failureSchema = z.strictObject({ failure: z.enum(FAILURE_KINDS) });

/** Stores the kind of failure with the run's job, so that commands that wait for the run exit with its code. */
export async function recordFailure(job: RunJob, error: unknown): Promise<void> {
  await job.updateProgress({ failure: failureOf(error) });
}

export async function readFleetRun(job: RunJob): Promise<FleetRun> {
  const run = (job.id ?? '').slice(runJobId('').length);
  const state = await job.getState();
  const { processed = 0, ignored = 0, unprocessed = 0 } = await job.getDependenciesCount();
  const users = { done: processed + ignored, left: unprocessed };
  const failed = (error: string, record?: RunRecord): FleetRun => ({
    ...known(run, record),
    state: 'failed',
    users,
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
    const error = job.failedReason ? redactText(job.failedReason) : null;
    const failure = state === 'failed' ? recordedFailure(job) : null;
    return { ...known(run, record), state: stateOf(state), users, summary: null, error, failure };
  }
  const summary = decodeRunSummary(job.returnvalue);
  if (!summary) return failed(`the queue's summary of run ${run} is invalid`, record);
  return { ...known(run, record), state: 'finished', users, summary, error: null, failure: null };
}

function known(run: string, record: RunRecord | undefined) {
  return { run, archive: record?.out ?? null, enqueued_at: record?.enqueued_at ?? null };
}

function stateOf(state: string): FleetRun['state'] {
  if (state === 'failed') return 'failed';
  return state === 'waiting-children' ? 'running' : 'finishing';
}

/** `unexpected` if none is recorded: other programs may write to Redis. */
function recordedFailure({ progress }: RunJob): FailureKind {
  return failureSchema.safeParse(progress).data?.failure ?? 'unexpected';
}
