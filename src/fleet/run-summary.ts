/** The summary of a queued run, over all its users and workers. */
import type { Gap } from '../export/gap.js';
import type { RunRecord } from './run-record.js';
import type { UserResult } from './user-result.js';

export interface RunSummary {
  readonly status: 'complete' | 'gaps';
  readonly run: string;
  readonly archive: string;
  readonly users: { readonly total: number; readonly complete: number; readonly failed: number };
  readonly sessions: UserResult['sessions'];
  readonly jobs: { readonly archived: number };
  /** All of them. */
  readonly gap_count: number;
  /** The first thousand. */
  readonly gaps: readonly Gap[];
  readonly enqueued_at: string;
  readonly finished_at: string;
  /** The commit that records the end of the run; null where there is no archive. */
  readonly commit: number | null;
}

const KEPT_GAPS = 1000;

export function summarise(
  record: RunRecord,
  results: readonly UserResult[],
  finishedAtMs: number,
): Omit<RunSummary, 'commit'> {
  const sessions = { listed: 0, new: 0, changed: 0, unchanged: 0, failed: 0 };
  const users = { total: results.length, complete: 0, failed: 0 };
  let [archived, gapCount] = [0, 0];
  for (const result of results) {
    if (result.error !== null) users.failed++;
    else if (result.complete) users.complete++;
    for (const kind of Object.keys(sessions) as (keyof typeof sessions)[]) {
      sessions[kind] += result.sessions[kind];
    }
    archived += result.jobs;
    gapCount += result.gap_count;
  }
  const byUser = results.toSorted((a, b) => (a.user < b.user ? -1 : 1));
  return {
    status: gapCount > 0 ? 'gaps' : 'complete',
    ...{ run: record.name, archive: record.out, users, sessions, jobs: { archived } },
    gap_count: gapCount,
    gaps: byUser.flatMap(({ gaps }) => gaps).slice(0, KEPT_GAPS),
    enqueued_at: record.enqueued_at,
    finished_at: new Date(finishedAtMs).toISOString(),
  };
}
