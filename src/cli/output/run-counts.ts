/** Reduces the summary of a command to the counts that monitors get. */
import { groupBy } from '../../base/group-by.js';
import type { ExportSummary } from '../../export/export-summary.js';
import type { WorkerSummary } from '../../fleet/worker-options.js';
import type { PruneSummary } from '../../prune/prune-summary.js';
import type { RunCounts } from '../../telemetry/run-report.js';
import type { Verified } from './reports/verify-report.js';

export function countsOfExport(summary: ExportSummary): RunCounts {
  const { sessions, jobs, rows, artifacts, gaps, deletions, requests } = summary;
  const users = { ...summary.users, never_seen: summary.never_seen.length };
  const { bytes, suspicious, ...files } = artifacts;
  const open = gaps.filter(({ accepted }) => accepted !== true);
  return {
    users,
    sessions,
    jobs: jobs.archived,
    rows,
    files,
    suspicious,
    bytes,
    deletions,
    gaps: Object.fromEntries(
      [...groupBy(open, ({ status }) => status)].map(([status, of]) => [status, of.length]),
    ),
    acceptedGaps: gaps.length - open.length,
    requests: { service: requests.api, files: requests.files },
    retries: requests.retries,
    rateLimited: requests.rate_limited,
  };
}

export function countsOfWorker({ users, lost, jobs, requests }: WorkerSummary): RunCounts {
  return {
    users: { ...users, lost: lost.users },
    jobs: jobs.archived,
    requests: { service: requests.api, files: requests.files },
    retries: requests.retries,
    rateLimited: requests.rate_limited,
  };
}

export function countsOfPrune({ deletions, gone, kept, requests }: PruneSummary): RunCounts {
  return {
    deletions: { ...deletions, gone, kept },
    requests: { service: requests.api },
    retries: requests.retries,
    rateLimited: requests.rate_limited,
  };
}

export function countsOfVerify({ report, repair, comparison }: Verified): RunCounts {
  const { tableRows: rows, files, artifacts, bytes } = report;
  return {
    rows,
    bytes,
    files: { tables: files, artifacts },
    problems: (repair?.problems ?? report.problems).length,
    ...(comparison && { users: { compared: comparison.users } }),
  };
}
