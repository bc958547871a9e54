/** The kind of failure that kept a run from being finished; the queue keeps it beside the reason. */
import { z } from 'zod';
import { FAILURE_KINDS, failureOf, type FailureKind } from '../base/error.js';
import type { RunJob } from './queues.js';

const noteSchema = z.strictObject({ failure: z.enum(FAILURE_KINDS) });

/** Called before the run is given up: commands that wait for it end with the exit code of the cause. */
export async function tellFailure(job: RunJob, error: unknown): Promise<void> {
  await job.updateProgress({ failure: failureOf(error) });
}

/** `unexpected` where none is recorded: other programs may write to Redis, too. */
export function toldFailure({ progress }: RunJob): FailureKind {
  return noteSchema.safeParse(progress).data?.failure ?? 'unexpected';
}
