/** Formats the summary of an export for people. */
import {
  type CommandPlace,
  commandText,
  type NextStep,
  NO_PLACE,
  onArchive,
} from '../../../base/next-step.js';
import { formatDuration } from '../../../base/units.js';
import { formatByteSize } from '../../../base/byte-size.js';
import {
  type BudgetSummary,
  erasedBeforeText,
  type ExportSummary,
} from '../../../export/export-summary.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { COMPLETENESS_WORDS } from '../../../archive/reading/caveats/completeness.js';
import { countGaps, filesNotArchived, type Gap } from '../../../export/jobs/gap.js';
import { gapCountTexts, isDoubted } from '../../../model/gap-counts.js';
import { totalRows, aligned } from '../aligned.js';
import { visible, visibleLine } from '../visible.js';
import {
  gapsTable,
  sharedSessionsText,
  suppressedText,
  suspiciousText,
  neverSeenText,
  notRecordedText,
  vanishedText,
} from '../archive-texts.js';
import { parts, tallied, type TallyLine } from '../tally.js';
import { afterOpenGaps } from '../next-step.js';
import { plain, type Paint } from '../terminal.js';
import { clockGapText } from '../../../service/clock-gap.js';
import type { ExportPlan } from '../../../export/plan-export.js';

/**
 * @param paint colours for a terminal whose owner wants them
 * @param ending.reason what ended the run early
 * @param ending.isNextStepShown what to do is told with the error, which comes after this
 * @param ending.place completes the commands that are proposed
 */
export function exportReport(
  summary: ExportSummary,
  paint: Paint = plain,
  {
    reason = '',
    isNextStepShown = false,
    place = { ...NO_PLACE, archive: summary.archive },
  }: {
    readonly reason?: string;
    readonly isNextStepShown?: boolean;
    readonly place?: CommandPlace;
  } = {},
): string {
  const { users, sessions, jobs, artifacts, requests, budget, gaps } = summary;
  const { listed, ...looks } = sessions;
  const gone = summary.newly_gone_sessions ?? 0;
  const { stored, reused, suspicious, bytes } = artifacts;
  const { newly_never_seen: added } = summary;
  const off = clockGapText(summary.clock_gap_ms);
  const unseen = new Set(summary.never_seen);
  const areGaps = gaps.some(({ user, session }) => session === null && unseen.has(user));
  const neverSeen =
    summary.doubtful_list === undefined
      ? neverSeenText(summary.never_seen, added, areGaps)
      : notRecordedText(summary.never_seen);
  const back = erasedBeforeText(summary);
  const notArchived = filesNotArchived(gaps).length;
  return [
    `${headline(summary, paint, reason)}\n\n`,
    tallied([
      ['shard', '', summary.shard ?? null],
      ['users', users.total, usersOf(summary)],
      [
        'never seen',
        summary.never_seen.length,
        neverSeen && added.length > 0 ? paint.warn(neverSeen) : neverSeen,
      ],
      ['vanished', summary.vanished.length, vanishedText(summary.vanished)],
      ['conversations', listed, parts({ ...looks, 'gone from the service': gone })],
      ['listed twice', '', listedTwice(summary, paint)],
      ['questions', jobs.archived, rowsOf(summary)],
      [
        'files',
        stored + reused + notArchived,
        parts({
          [`stored (${formatByteSize(bytes)})`]: stored,
          reused,
          'of these suspicious': suspicious,
          'not archived': notArchived,
        }),
      ],
      [
        'requests',
        requests.api + requests.files,
        parts({
          'to the service': requests.api,
          'to file hosts': requests.files,
          'sent again': requests.retries,
          'rate limited': requests.rate_limited,
        }),
      ],
      ['clock', '', off === undefined ? null : paint.warn(`${off}: set it (NTP)`)],
      ...(budget ? budgetLines(budget) : []),
      ...gapLines(summary, paint),
      ['erased before', '', back === null ? null : paint.warn(back)],
      ['skipped', '', suppressedText(summary.suppressed)],
    ]),
    ...(gaps.length === 0 ? [] : ['\n', gapsTable(gaps)]),
    ...suspiciousLines(summary, place),
    ...nextStep(summary, isNextStepShown, place),
  ].join('');
}

/** `Complete after 3.2 s: 240 questions archived`, or `Nothing new`; what ended a run early comes first. */
function headline(summary: ExportSummary, paint: Paint, reason: string): string {
  const { jobs, duration_ms: ms, budget, deletions, doubtful_list: doubt } = summary;
  const done = `${counted(jobs.archived, 'question')} archived ${locationText(summary)}`;
  const after = `after ${formatDuration(ms)}`;
  if (doubt !== undefined) return `${paint.bad('FAILED')} ${after}: ${visibleLine(doubt)}\n${done}`;
  switch (summary.status) {
    case 'complete':
    case 'incomplete-by-decision':
    case 'gaps': {
      const isWhole = summary.status !== 'gaps';
      const leftTexts = [
        ...(budget && isCutOff(summary) ? [leftText(budget.left)] : []),
        ...(budget?.datasets_left === true ? ['datasets not all read'] : []),
        ...(deletions.left > 0 ? [`${counted(deletions.left, 'conversation')} not deleted`] : []),
      ];
      if (leftTexts.length === 0 && summary.part === 'gaps') {
        const { total, not_read: notRead } = summary.users;
        const word = isWhole ? paint.good('Gaps read again') : paint.warn('Finished with gaps');
        return `${word} ${after}: ${total - notRead} of ${counted(total, 'user')} read, ${done}`;
      }
      const isSame =
        summary.part === undefined && jobs.unchanged > 0 && totalRows(summary.rows) === 0;
      if (leftTexts.length === 0 && isWhole && isSame) {
        // the jobs of the sessions that were listed: the archive may have more users, and sessions that are gone
        const whose = `of ${counted(summary.users.total, 'user')} unchanged`;
        const kept = `${counted(jobs.unchanged, 'question')} ${whose} ${locationText(summary)}`;
        return `${paint.good('Nothing new')} ${after}: ${kept}`;
      }
      if (leftTexts.length === 0) {
        const word = isWhole ? wholeWord(summary, paint) : paint.warn('Finished with gaps');
        return `${word} ${after}: ${done}`;
      }
      const word = paint.warn(`Stopped by its budget${isWhole ? '' : ', with gaps,'}`);
      return `${word} ${after}: ${leftTexts.join(', ')}\n${done}`;
    }
    case 'interrupted':
      return `${paint.warn('Interrupted')} ${after}${reasonText(reason)}\n${done}`;
    case 'failed':
      return `${paint.bad('Failed')} ${after}${reasonText(reason)}\n${done}`;
  }
}

/** The first word about a run without open gaps that has read everything. */
function wholeWord({ part, status }: ExportSummary, paint: Paint): string {
  if (part !== undefined) return paint.good('Read in part');
  return status === 'complete' ? paint.good('Complete') : 'Not complete, by decision,';
}

function reasonText(reason: string): string {
  return reason === '' ? '' : `: ${visibleLine(reason)}`;
}

/** Whether the budget ended the run before everything was checked. */
function isCutOff({ budget }: ExportSummary): boolean {
  return budget !== undefined && budget.left.users + budget.left.sessions > 0;
}

/** Only a run that checked everything can say that nothing is missing. */
function noGaps(summary: ExportSummary): string {
  const areDatasetsLeft = summary.budget?.datasets_left === true;
  const hasRead = summary.status === 'complete' || summary.status === 'incomplete-by-decision';
  const isWhole = hasRead && summary.part === undefined && !isCutOff(summary) && !areDatasetsLeft;
  if (!isWhole) return 'none so far; the run did not check everything';
  if (summary.status !== 'complete') return 'what is missing was erased, or is accepted';
  return summary.never_seen.length === 0
    ? 'nothing is missing'
    : 'nothing is missing of the users who have conversations';
}

/** It is one session: job and file rows of both are the same. */
function listedTwice({ shared_sessions: shared }: ExportSummary, paint: Paint): string | null {
  const text = sharedSessionsText(shared);
  return text === null ? null : paint.warn(text);
}

function usersOf({ users, part }: ExportSummary): string {
  const { complete, failed, partly, not_read: notRead } = users;
  const unread = part === 'gaps' ? 'not read, without a known gap' : 'not read';
  return parts({
    complete,
    [COMPLETENESS_WORDS['incomplete-by-decision']]: users.incomplete_by_decision,
    'with gaps': users.with_gaps,
    failed,
    'read in part': partly,
    [unread]: notRead,
    'not finished': users.not_finished,
  });
}

function locationText({ archive, commits }: ExportSummary): string {
  const saved = commits.length === 0 ? 'nothing committed' : commitsOf(commits);
  return `in ${archive} (${saved})`;
}

/** The files are those of the line of files; each gap is in one of the first three. */
function openGaps(gaps: readonly Gap[]): Gap[] {
  return gaps.filter(({ accepted }) => accepted !== true);
}

/** As `status` counts them. */
function gapLines(summary: ExportSummary, paint: Paint): TallyLine[] {
  const { gaps } = summary;
  const { left_gaps: leftGaps = 0 } = summary;
  const left =
    leftGaps === 0
      ? ''
      : `; ${counted(leftGaps, 'list or history is', 'lists and histories are')} left, and ${agreeing(leftGaps, 'a gap', 'gaps')} of the archive until an export reads on`;
  const open = openGaps(gaps);
  const missing = open.filter((gap) => !isDoubted(gap));
  const { doubts, ...counts } = countGaps(gaps);
  const accepted = gapCountTexts({ ...counts, doubts: 0, gaps: 0 }).join(', ');
  const none = open.length === 0 ? noGaps(summary) : 'none';
  return [
    [
      'gaps',
      missing.length,
      missing.length === 0 ? `${none}${left}` : paint.warn(gapsNote(missing) + left),
    ],
    ['doubts', doubts, doubts === 0 ? null : paint.warn('about what is archived; see below')],
    ['accepted', gaps.length - open.length, accepted === '' ? null : `${accepted}; see below`],
  ];
}

function gapsNote(gaps: readonly Gap[]): string {
  const files = filesNotArchived(gaps).length;
  const elsewhere = gaps.filter((gap) => gap.is_elsewhere).length;
  const kinds = parts({
    'of files': files,
    'of lists and histories': gaps.length - files - elsewhere,
    'that this run did not meet': elsewhere,
  });
  return `${kinds}; see below`;
}

/** Also those that an earlier run has stored. */
function suspiciousLines(
  { artifacts, suspicious_files: all = artifacts.suspicious }: ExportSummary,
  place: CommandPlace,
): string[] {
  const text = suspiciousText(all, place);
  return text === null ? [] : [`\nSuspicious: ${text}\n`];
}

/** What to do about those that nobody has accepted. */
export function afterGapsOf(gaps: ExportSummary['gaps']): NextStep {
  return afterOpenGaps(gaps.filter(({ accepted }) => accepted !== true));
}

/** Where all gaps are listed, and what to do. */
function nextStep(
  { status, gaps, doubtful_list: doubt }: ExportSummary,
  isNextStepShown: boolean,
  place: CommandPlace,
): string[] {
  const [example] = gaps;
  const rest =
    example === undefined
      ? ''
      : gaps.some(({ user }) => user !== example.user)
        ? `All gaps: ${commandText(onArchive('gap list'), place)}\n`
        : `All gaps of a user: ${visible(commandText(onArchive('status', '--user', example.user), place))}\n`;
  if (doubt !== undefined) {
    return [`\n${rest}Next: mend the list of users, then run the same command again.\n`];
  }
  switch (status) {
    case 'complete':
    case 'incomplete-by-decision':
      return [];
    case 'gaps':
      return gaps.length === 0 ? [] : [`\n${rest}Next: ${afterGapsOf(gaps).text(place)}\n`];
    case 'interrupted':
    case 'failed':
      if (isNextStepShown) return rest === '' ? [] : [`\n${rest}`];
      return [
        `\n${rest}Next: run the same command again, it continues where this one ended; ${commandText(onArchive('verify'), place)} checks the archive.\n`,
      ];
  }
}

function commitsOf(commits: readonly number[]): string {
  const [first] = commits;
  const last = commits.at(-1);
  return commits.length === 1 ? `commit ${first}` : `commits ${first} to ${last}`;
}

function rowsOf({ rows }: ExportSummary): string {
  const total = totalRows(rows);
  return total === 0
    ? 'nothing new'
    : `${counted(total, 'row')} in ${counted(Object.keys(rows).length, 'table')}`;
}

function leftText({ users, sessions }: BudgetSummary['left']): string {
  return `${counted(users, 'user')} not listed, ${counted(sessions, 'conversation')} not checked`;
}

function budgetLines(budget: BudgetSummary): TallyLine[] {
  const { left, lap, overdue } = budget;
  const isAll = left.users + left.sessions === 0;
  const limits = [
    ...(budget.max_requests === null ? [] : [counted(budget.max_requests, 'request')]),
    ...(budget.max_duration_ms === null ? [] : [formatDuration(budget.max_duration_ms)]),
  ];
  return [
    ['budget', '', `${limits.join(', ')}: ${counted(budget.checked, 'conversation')} checked`],
    ['for later', '', isAll ? 'nothing' : leftText(left)],
    [
      'lap',
      '',
      lap && `number ${lap.number} round all conversations since ${lap.began_at.slice(0, 19)}Z`,
    ],
    [
      'overdue',
      '',
      overdue
        ? `the lap takes longer than --max-staleness ${formatDuration(budget.max_staleness_ms)}`
        : null,
    ],
  ];
}

/** Formats the result of a dry run for people. */
export function planReport(plan: ExportPlan): string {
  const { users, sessions, jobs, failed, unproven, budget, never_seen: neverSeen } = plan;
  const { doubtful_list: doubt } = plan;
  return (
    `Dry run: nothing was written${doubt === undefined ? '' : `; a run would fail: ${doubt}`}\n` +
    aligned([
      [
        'users',
        `${users} requested, ${failed} failed${unproven > 0 ? `, ${unproven} not proven complete` : ''}`,
      ],
      [
        'never seen',
        neverSeen.length > 0 ? `${neverSeen.length}, ${neverSeenText(neverSeen)}` : null,
      ],
      ['conversations', `${sessions.listed} listed, ${sessions.archived} of them in the archive`],
      ['questions', `${jobs.announced} announced, ${jobs.archived} in the archive`],
      ['budget', budget ? budgetOf(budget) : null],
    ])
  );
}

function budgetOf({ checks, left }: NonNullable<ExportPlan['budget']>): string {
  return `${checks} conversations would be checked, ${left.sessions} and ${left.users} users left for later`;
}
