/** Reads from the queue how a run stands. */
import { messageOf } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import type { FleetRun } from './fleet-run.js';
import { runJobId, type RunJob } from './queues.js';
import { toldFailure } from './run-failure.js';
import { decodeRunRecord, type RunRecord } from './run-record.js';
import { decodeRunSummary } from './run-summary.js';

export async function runOf(job: RunJob): Promise<FleetRun> {
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
    const failure = state === 'failed' ? toldFailure(job) : null;
    return { ...known(run, record), state: stateOf(state), users, summary: null, error, failure };
  }
  const summary = decodeRunSummary(job.returnvalue);
  if (!summary) return failed(`the queue's summary of run ${run} cannot be used`, record);
  return { ...known(run, record), state: 'finished', users, summary, error: null, failure: null };
}

function known(run: string, record: RunRecord | undefined) {
  return { run, archive: record?.out ?? null, enqueued_at: record?.enqueued_at ?? null };
}

function stateOf(state: string): FleetRun['state'] {
  if (state === 'failed') return 'failed';
  return state === 'waiting-children' ? 'running' : 'finishing';
}
