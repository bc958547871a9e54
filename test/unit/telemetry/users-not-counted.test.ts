/** A run that ended early, or whose list of users is doubtful, does not know how many users are at the cap: what the run before counted stays. */
import { expect, it } from 'vitest';
import { countsOfExport, countsOfNobody } from '../../../src/cli/output/run-counts.js';
import { metricsText } from '../../../src/telemetry/metrics.js';
import type { RunCounts, RunReport } from '../../../src/telemetry/run-report.js';
import { summaryOf } from '../../support/tables/export-summaries.js';

const { users: none } = summaryOf();
const NO_FILE = { job: null, role: null, block_index: null, file_index: null, kind: null } as const;

function reportOf(exitCode: number, counts: RunCounts): RunReport {
  return {
    ...{ command: 'export', archive: '/srv/archive', config: null, host: 'vm', scope: 'all' },
    ...{ run: '01', exitCode, error: null, startedAtMs: 0, durationMs: 1000, version: '0.1.0' },
    outcome: exitCode === 0 ? 'complete' : exitCode === 3 ? 'gaps' : 'failed',
    counts,
  };
}

function statesIn(text: string): Record<string, number> {
  const samples = text.matchAll(/^jobvault_run_users\{.*state="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...samples].map(([, state = '', count]) => [state, Number(count)]));
}

const night = metricsText(
  reportOf(
    0,
    countsOfExport(
      summaryOf({
        users: { ...none, total: 3, complete: 3 },
        at_the_cap: ['ada', 'ben'],
        vanished: ['eve'],
      }),
    ),
  ),
);

it.each([
  [
    'whose list is doubtful',
    3,
    countsOfExport(summaryOf({ users: { ...none, total: 1, failed: 1 }, doubtful_list: 'a page' })),
  ],
  [
    'that ended early',
    5,
    countsOfExport(summaryOf({ users: { ...none, total: 3, complete: 1, not_finished: 2 } })),
  ],
  ['that read nobody', 4, countsOfNobody(3)],
])('a night %s', (_what, exitCode, counts) => {
  const text = metricsText(reportOf(exitCode, counts), night);
  expect(statesIn(text)).toMatchObject({
    at_the_cap: 2,
    vanished: 1,
    complete: counts.users?.['complete'],
  });
  expect(text.match(/state="at_the_cap"/g)).toHaveLength(1);
  const after = metricsText(
    reportOf(0, countsOfExport(summaryOf({ users: { ...none, total: 3, complete: 3 } }))),
    metricsText(reportOf(exitCode, counts), text),
  );
  expect(statesIn(after)).toMatchObject({ at_the_cap: 0, vanished: 0 });
});

it.each([
  ['counts the gap of a history that the service failed for, once it is done with all', 0, 1],
  ['leaves the gaps that were counted before, while some users are not finished', 1, 0],
])('a night with exit code 5 %s', (_what, left, counted) => {
  const gap = {
    ...NO_FILE,
    user: 'ada',
    session: 's',
    status: 'failed',
    reason: 'HTTP 500',
  } as const;
  const users = { ...none, total: 3, complete: 2 - left, with_gaps: 1, not_finished: left };
  const counts = countsOfExport(summaryOf({ users, gaps: [gap] }));
  expect(metricsText(reportOf(5, counts), night)).toMatch(
    new RegExp(`^jobvault_gaps\\{.*reason="failed"\\} ${counted}$`, 'm'),
  );
});

it('a night that archived nothing leaves no rows of the night before it beside its jobs', () => {
  const jobs = { archived: 5, unchanged: 0 };
  const before = metricsText(reportOf(0, countsOfExport(summaryOf({ jobs, rows: { jobs: 5 } }))));
  expect(before).toMatch(/run_rows\{.*table="jobs"\} 5/);
  const nothing = { jobs: { archived: 0, unchanged: 0 }, rows: {} };
  const text = metricsText(reportOf(5, countsOfExport(summaryOf(nothing))), before);
  expect(text).toMatch(/run_jobs\{.*\} 0/);
  expect(text).not.toContain('run_rows');
  // one that failed before it counted anything says nothing of either
  const kept = metricsText(reportOf(4, countsOfNobody(3)), before);
  expect(kept).toMatch(/run_jobs\{.*\} 5/);
  expect(kept).toMatch(/run_rows\{.*table="jobs"\} 5/);
});
