/** The summary of a queued run, over all its users and workers. */
import { z } from 'zod';
import { runName, type RunRecord } from './run-record.js';
import { gapSchema, sessionCounts, type UserResult } from './user-result.js';
import type { FailureKind } from '../base/error.js';

const count = z.int().nonnegative();
const runSummarySchema = z.strictObject({
  status: z.enum(['complete', 'gaps']),
  run: runName,
  archive: z.string(),
  users: z.strictObject({ total: count, complete: count, failed: count }),
  /** Users without a session in any listing; the first thousand. */
  never_seen: z.array(z.string()),
  sessions: sessionCounts,
  jobs: z.strictObject({ archived: count }),
  /** The number of all gaps that are not accepted. */
  gap_count: count,
  accepted_gaps: count,
  /** The first thousand gaps. */
  gaps: z.array(gapSchema),
  enqueued_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  /** The commit that records the end of the run; null if there is no archive. */
  commit: count.nullable(),
});
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** Undefined if it is not a summary: other programs may write to Redis. */
export function decodeRunSummary(value: unknown): RunSummary | undefined {
  return runSummarySchema.safeParse(value).data;
}

const KEPT_GAPS = 1000;
const KEPT_USERS = 1000;

export function summarise(
  record: RunRecord,
  results: readonly UserResult[],
  finishedAtMs: number,
): Omit<RunSummary, 'commit'> {
  const sessions = { listed: 0, new: 0, changed: 0, unchanged: 0, failed: 0 };
  const users = { total: results.length, complete: 0, failed: 0 };
  let [archived, gapCount, acceptedCount] = [0, 0, 0];
  for (const result of results) {
    if (result.error !== null) users.failed++;
    else if (result.complete) users.complete++;
    for (const kind of Object.keys(sessions) as (keyof typeof sessions)[]) {
      sessions[kind] += result.sessions[kind];
    }
    archived += result.jobs;
    gapCount += result.gap_count;
    acceptedCount += result.accepted_gaps;
  }
  const byUser = results.toSorted((a, b) => (a.user < b.user ? -1 : 1));
  return {
    status: gapCount > 0 ? 'gaps' : 'complete',
    run: record.name,
    archive: record.out,
    users,
    sessions,
    jobs: { archived },
    never_seen: byUser
      .filter((result) => result.never_seen)
      .map(({ user }) => user)
      .slice(0, KEPT_USERS),
    gap_count: gapCount,
    accepted_gaps: acceptedCount,
    gaps: byUser.flatMap(({ gaps }) => gaps).slice(0, KEPT_GAPS),
    enqueued_at: record.enqueued_at,
    finished_at: new Date(finishedAtMs).toISOString(),
  };
}

/** The state of a queued run. */
export interface FleetRun {
  readonly run: string;
  /** Null if the queue's record of the run is invalid. */
  readonly archive: string | null;
  readonly state: 'running' | 'finishing' | 'finished' | 'failed';
  /** Null if the record is invalid. */
  readonly enqueued_at: string | null;
  readonly users: { readonly done: number; readonly left: number };
  /** Null until it is finished. */
  readonly summary: RunSummary | null;
  /** Why it could not be finished, or its record or summary is invalid. */
  readonly error: string | null;
  readonly failure: FailureKind | null;
}
