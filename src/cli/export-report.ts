/** The closing summary of an export, for people. */
import { formatByteSize } from '../base/byte-size.js';
import { formatDuration } from '../base/duration.js';
import { isPromiseBroken, type BudgetSummary } from '../export/budget/budget-summary.js';
import type { ExportSummary } from '../export/export-summary.js';
import type { Gap } from '../export/gap.js';
import { aligned, counted } from './aligned.js';
import { visible } from './visible.js';

/** Gaps that are told one by one; the rest is counted. `--json` and the commit have them all. */
const TOLD_GAPS = 10;

export function exportReport(summary: ExportSummary): string {
  const { users, sessions, jobs, artifacts, requests, budget } = summary;
  const commits = summary.commits.length === 0 ? 'nothing committed' : commitsOf(summary.commits);
  return [
    `${headline(summary)}: ${counted(jobs.archived, 'job')} archived in ${summary.archive} (${commits})\n`,
    aligned([
      ...(summary.shard === undefined ? [] : [['shard', summary.shard] as const]),
      ['users', `${users.total} asked for, ${users.complete} complete, ${users.failed} failed`],
      [
        'sessions',
        `${sessions.listed} listed: ${sessions.new} new, ${sessions.changed} changed, ` +
          `${sessions.unchanged} unchanged, ${sessions.failed} failed`,
      ],
      ['rows', rowsOf(summary)],
      [
        'files',
        `${artifacts.stored} stored (${formatByteSize(artifacts.bytes)}), ${artifacts.reused} reused`,
      ],
      [
        'requests',
        `${requests.api} to the service, ${requests.files} to file hosts, ` +
          `${requests.retries} retries, ${requests.rate_limited} rate limited`,
      ],
      ...(budget ? budgetLines(budget) : []),
      ['time', formatDuration(summary.duration_ms)],
      ['gaps', summary.gaps.length === 0 ? 'none' : `${summary.gaps.length}:`],
    ]),
    ...summary.gaps.slice(0, TOLD_GAPS).map((gap) => `    ${gapLine(gap)}\n`),
    ...(summary.gaps.length > TOLD_GAPS
      ? [`    … and ${summary.gaps.length - TOLD_GAPS} more: --json lists them all\n`]
      : []),
    ...nextStep(summary),
  ].join('');
}

function headline({ status }: ExportSummary): string {
  switch (status) {
    case 'complete':
      return 'Complete';
    case 'gaps':
      return 'Finished with gaps';
    case 'interrupted':
      return 'Interrupted, what was ready is saved';
    case 'failed':
      return 'Failed, what was ready is saved';
  }
}

function nextStep({ status, archive }: ExportSummary): string[] {
  switch (status) {
    case 'complete':
      return [];
    case 'gaps':
      return ['The next export tries again what is missing.\n'];
    case 'interrupted':
    case 'failed':
      return [
        `The same command goes on where this one ended; jobvault verify ${archive} checks.\n`,
      ];
  }
}

function commitsOf(commits: readonly number[]): string {
  const [first] = commits;
  const last = commits.at(-1);
  return commits.length === 1 ? `commit ${first}` : `commits ${first} to ${last}`;
}

function rowsOf({ rows }: ExportSummary): string {
  const told = Object.entries(rows).map(([table, count]) => `${count} ${table}`);
  return told.length === 0 ? 'nothing new' : told.join(', ');
}

function budgetLines(budget: BudgetSummary): [string, string][] {
  const { left, overdue, oldest_look: oldest } = budget;
  const told = (count: typeof left): string =>
    `${counted(count.users, 'user')} not listed, ${counted(count.sessions, 'session')} not looked at`;
  const limits = [
    ...(budget.max_requests === null ? [] : [counted(budget.max_requests, 'request')]),
    ...(budget.max_duration_ms === null ? [] : [formatDuration(budget.max_duration_ms)]),
  ];
  return [
    ['budget', `${limits.join(', ')}: ${counted(budget.looked, 'session')} looked at`],
    [
      'for later',
      oldest === null ? 'nothing' : `${told(left)}, waiting since ${oldest.slice(0, 19)}Z`,
    ],
    ...(isPromiseBroken(budget)
      ? [
          [
            'overdue',
            `${told(overdue)} for more than the promised ${formatDuration(budget.max_staleness_ms)}`,
          ] as [string, string],
        ]
      : []),
  ];
}

function gapLine({ user, session, job, block_index: block, kind, status, reason }: Gap): string {
  const place = [
    `user ${user}`,
    ...(session === null ? [] : [`session ${session}`]),
    ...(job === null ? [] : [`job ${job}`]),
    ...(block === null ? [] : [`block ${block}${kind === null ? '' : ` (${kind})`}`]),
  ];
  return visible(`${place.join(', ')}: ${status}: ${reason}`);
}
