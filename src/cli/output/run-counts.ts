/** Reduces the summary of a command to the counts that monitors get. */
import { isContent } from '../../archive/paths.js';
import { countGaps, type Gap } from '../../export/jobs/gap.js';
import {
  hasListedAll,
  leftIn,
  usersNotFinished,
  type ExportSummary,
} from '../../export/export-summary.js';
import type { WorkerSummary } from '../../fleet/worker-options.js';
import type { PruneSummary } from '../../prune/prune-summary.js';
import type { DrillReport } from '../../restore/drill.js';
import type { RunCounts } from '../../telemetry/run-report.js';
import type { Verified } from './reports/verify-report.js';

/** A monitor can only tell 0 from "not counted" where 0 is sent. */
const NO_GAPS: Readonly<Record<Gap['status'], number>> = {
  expired: 0,
  forbidden: 0,
  missing: 0,
  rejected: 0,
  unresolved: 0,
  failed: 0,
  not_fetched: 0,
  doubtful: 0,
  refused: 0,
  incomplete: 0,
};

export function countsOfExport(summary: ExportSummary): RunCounts {
  const { sessions, jobs, rows, artifacts, gaps, deletions, requests, budget } = summary;
  const { clock_gap_ms: clockGapMs, newly_left_out: leftOut, left_gaps: leftGaps = 0 } = summary;
  const isOfAll = hasListedAll(summary);
  const users = {
    ...summary.users,
    never_seen: summary.never_seen.length,
    newly_never_seen: summary.newly_never_seen.length,
    ...(isOfAll && {
      at_the_cap: summary.at_the_cap?.length ?? 0,
      vanished: summary.vanished?.length ?? 0,
    }),
    newly_vanished: summary.newly_vanished.length,
    ...(leftOut && { newly_left_out: leftOut.length }),
  };
  const { bytes } = artifacts;
  const files = Object.fromEntries(
    Object.entries(artifacts).filter(([status]) => status !== 'bytes' && status !== 'suspicious'),
  );
  const open = gaps.filter(({ accepted }) => accepted !== true);
  const left = leftIn(summary);
  const hasLeft = Object.values(left).some((count) => count > 0);
  const counts = countGaps(gaps);
  return {
    users,
    ...(!isOfAll && { usersNotCounted: OF_EVERYBODY }),
    ...(leftOut && { doubtfulList: summary.doubtful_list === undefined ? 0 : 1 }),
    sessions,
    jobs: jobs.archived,
    rows,
    files,
    suspicious: summary.suspicious_files,
    bytes,
    deletions,
    ...countsOfGaps(open, leftGaps),
    leftGaps: hasLeft ? leftGaps : 0,
    acceptedGaps: counts.accepted_gaps,
    acceptedDoubts: counts.accepted_doubts,
    ...(budget && {
      left,
      overdue: budget.overdue ? 1 : 0,
      ...(budget.lap && { lapBeganMs: Date.parse(budget.lap.began_at) }),
    }),
    requests: { service: requests.api, files: requests.files },
    retries: requests.retries,
    rateLimited: requests.rate_limited,
    ...(clockGapMs !== null && { clockGapMs }),
  };
}

const NO_EMPTY = { never_seen: 0, newly_never_seen: 0, newly_vanished: 0 };

/** What only a run knows that has listed everybody. */
const OF_EVERYBODY = ['at_the_cap', 'vanished'];

/** The counts of a run that failed before it read anybody. */
export function countsOfNobody(users: number): RunCounts {
  return {
    users: { ...usersNotFinished(users), ...NO_EMPTY },
    usersNotCounted: OF_EVERYBODY,
  };
}

/**
 * As `gap list` has them.
 *
 * @param open without the accepted ones
 * @param left lists and histories that no run has read to their end yet
 */
function countsOfGaps(open: readonly Gap[], left: number) {
  const gaps = { ...NO_GAPS };
  for (const { status } of open) gaps[status]++;
  gaps.incomplete += left;
  return { gaps };
}

export function countsOfWorker(summary: WorkerSummary): RunCounts {
  const { users, lost, jobs, requests, last_run_at: lastRun } = summary;
  const {
    open_gaps: open,
    left_gaps: left,
    accepted,
    at_the_cap: capped,
    lap_began_at: lapBegan,
    overdue,
  } = summary;
  return {
    users: { ...users, lost: lost.users, ...(capped && { at_the_cap: capped.length }) },
    ...(!capped && { usersNotCounted: ['at_the_cap'] }),
    jobs: jobs.archived,
    ...(open && { gaps: { ...NO_GAPS, ...open } }),
    ...(left !== undefined && { leftGaps: left }),
    ...(accepted && {
      acceptedGaps: accepted.accepted_gaps,
      acceptedDoubts: accepted.accepted_doubts,
    }),
    ...(lapBegan !== undefined && {
      lapBeganMs: Date.parse(lapBegan),
      overdue: overdue ? 1 : 0,
    }),
    ...(lastRun !== undefined && { lastRunMs: lastRun === null ? null : Date.parse(lastRun) }),
    requests: { service: requests.api, files: requests.files },
    retries: requests.retries,
    rateLimited: requests.rate_limited,
  };
}

export function countsOfPrune(summary: PruneSummary): RunCounts {
  const { requests } = summary;
  return {
    ...countsOfDeletions(summary),
    requests: { service: requests.api },
    retries: requests.retries,
    rateLimited: requests.rate_limited,
  };
}

/** Of a prune, and of the deletions of an export. */
export function countsOfDeletions({
  status,
  deletions,
  gone,
  kept,
  planned,
}: PruneSummary): Pick<RunCounts, 'deletions' | 'declined'> {
  return {
    deletions: { ...deletions, gone, kept },
    ...(status === 'declined' && planned !== null && { declined: planned }),
  };
}

export function countsOfDrill(report: DrillReport): RunCounts {
  const { sessions, jobs, files, bytes, differences } = report;
  return {
    sessions: { restored: sessions },
    jobs,
    files: { restored: files },
    bytes,
    problems: differences,
  };
}

export function countsOfVerify({ report, repair, comparison }: Verified): RunCounts {
  const { tableRows: rows, files, artifacts, bytes, unread } = report;
  const missing = report.problems.filter(
    ({ path, problem }) => problem === 'missing' && isContent(path),
  ).length;
  return {
    rows,
    bytes,
    // a nightly check reads a part: the others it has only seen there, in their size
    files: { read_back: files + artifacts - unread - missing, not_read: unread, missing },
    problems: (repair?.problems ?? report.problems).length,
    ...(comparison && { users: { compared: comparison.users } }),
  };
}
