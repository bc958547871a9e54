/** The closing summary of an export, for people. */
import { formatByteSize } from '../base/byte-size.js';
import { formatDuration } from '../base/duration.js';
import { isPromiseBroken, type BudgetSummary } from '../export/budget/budget-summary.js';
import type { ExportSummary } from '../export/export-summary.js';
import { counted } from './aligned.js';
import { gapsText } from './gaps-text.js';
import { plain, type Paint } from './paint.js';
import { parts, tallied, type TallyLine } from './tally.js';
import { visible } from './visible.js';

/** @param paint colours for a terminal whose owner wants them */
export function exportReport(summary: ExportSummary, paint: Paint = plain): string {
  const { users, sessions, jobs, artifacts, requests, budget, gaps } = summary;
  const { listed, ...looks } = sessions;
  const { stored, reused, bytes } = artifacts;
  const lost = gaps.filter(({ block_index: block }) => block !== null).length;
  return [
    `${headline(summary, paint)} ${placeOf(summary)}\n\n`,
    tallied([
      ...(summary.shard === undefined ? [] : [['shard', '', summary.shard] as const]),
      ['users', users.total, parts({ complete: users.complete, failed: users.failed })],
      ['sessions', listed, parts(looks)],
      ['jobs', jobs.archived, rowsOf(summary)],
      [
        'files',
        stored + reused + lost,
        parts({ [`stored (${formatByteSize(bytes)})`]: stored, reused, lost }),
      ],
      [
        'requests',
        requests.api + requests.files,
        parts({
          ...{ 'to the service': requests.api, 'to file hosts': requests.files },
          ...{ 'sent again': requests.retries, 'rate limited': requests.rate_limited },
        }),
      ],
      ...(budget ? budgetLines(budget) : []),
      ['gaps', gaps.length, gaps.length === 0 ? 'nothing is missing' : paint.warn('see below')],
    ]),
    ...(gaps.length === 0 ? [] : ['\n', gapsText(gaps)]),
    ...nextStep(summary),
  ].join('');
}

/** `Complete in 3.2 s: 240 jobs archived`. */
function headline(summary: ExportSummary, paint: Paint): string {
  const { jobs, duration_ms: ms } = summary;
  const [word, rest] = HEADLINES[summary.status];
  const colour = summary.status === 'complete' ? paint.good : paint.warn;
  const shown = summary.status === 'failed' ? paint.bad(word) : colour(word);
  return `${shown}${rest} after ${formatDuration(ms)}: ${counted(jobs.archived, 'job')} archived`;
}

const HEADLINES = {
  complete: ['Complete', ''],
  gaps: ['Finished with gaps', ''],
  interrupted: ['Interrupted', ', what was ready is saved,'],
  failed: ['Failed', ', what was ready is saved,'],
} as const satisfies Record<ExportSummary['status'], readonly [string, string]>;

function placeOf({ archive, commits }: ExportSummary): string {
  const saved = commits.length === 0 ? 'nothing committed' : commitsOf(commits);
  return `in ${archive} (${saved})`;
}

/** Where the rest is to be seen, and what to do. */
function nextStep({ status, archive, gaps }: ExportSummary): string[] {
  const [example] = gaps;
  const rest =
    example === undefined
      ? ''
      : `All gaps of a user: jobvault status ${archive} --user ${visible(example.user)}\n`;
  switch (status) {
    case 'complete':
      return [];
    case 'gaps':
      return [`\n${rest}The next export tries again what is missing.\n`];
    case 'interrupted':
    case 'failed':
      return [
        `\n${rest}The same command goes on where this one ended; jobvault verify ${archive} checks.\n`,
      ];
  }
}

function commitsOf(commits: readonly number[]): string {
  const [first] = commits;
  const last = commits.at(-1);
  return commits.length === 1 ? `commit ${first}` : `commits ${first} to ${last}`;
}

function rowsOf({ rows }: ExportSummary): string {
  const counts = Object.values(rows);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total === 0
    ? 'nothing new'
    : `${counted(total, 'row')} in ${counted(counts.length, 'table')}`;
}

function budgetLines(budget: BudgetSummary): TallyLine[] {
  const { left, overdue, oldest_look: oldest } = budget;
  const told = (count: typeof left): string =>
    `${counted(count.users, 'user')} not listed, ${counted(count.sessions, 'session')} not looked at`;
  const limits = [
    ...(budget.max_requests === null ? [] : [counted(budget.max_requests, 'request')]),
    ...(budget.max_duration_ms === null ? [] : [formatDuration(budget.max_duration_ms)]),
  ];
  return [
    ['budget', '', `${limits.join(', ')}: ${counted(budget.looked, 'session')} looked at`],
    [
      'for later',
      '',
      oldest === null ? 'nothing' : `${told(left)}, waiting since ${oldest.slice(0, 19)}Z`,
    ],
    ...(isPromiseBroken(budget)
      ? [
          [
            'overdue',
            '',
            `${told(overdue)} for more than the promised ${formatDuration(budget.max_staleness_ms)}`,
          ] as const,
        ]
      : []),
  ];
}
