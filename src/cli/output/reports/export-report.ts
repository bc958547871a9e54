/** Formats the summary of an export for people. */
import { type NextStep, onArchive, step } from '../../../base/next-step.js';
import { formatDuration } from '../../../base/units.js';
import { formatByteSize } from '../../../base/byte-size.js';
import {
  type BudgetSummary,
  erasedBeforeText,
  type ExportSummary,
  hasGaps,
  leftIn,
} from '../../../export/export-summary.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { onlyElsewhere } from '../../../archive/reading/caveats/told-apart.js';
import { COMPLETENESS_WORDS } from '../../../archive/reading/caveats/completeness.js';
import { countGaps, filesNotArchived, type Gap } from '../../../export/jobs/gap.js';
import { gapCountTexts, isDoubted } from '../../../model/gap-counts.js';
import type { Fact } from '../aligned.js';
import { totalRows, parts } from '../tally.js';
import { visibleLine } from '../../../base/text/visible.js';
import { suppressedText, commitsText } from '../texts/archive-texts.js';
import { gapFacts, suspiciousText } from '../texts/gap-texts.js';
import { sharedSessionsText } from '../texts/shared-sessions-text.js';
import { atTheCapStep, neverSeenText, notRecordedText, vanishedText } from '../texts/user-texts.js';
import { versionsOfQuestions } from '../../../model/question-versions.js';
import { leftByBudgetText } from '../../../model/left-by-budget.js';
import { LAP_OVERDUE, lapText } from '../texts/lap-texts.js';
import { afterOpenGaps } from '../next-step.js';
import type { View } from '../view.js';
import { clockGapText } from '../../../service/clock-gap.js';
import type { ExportPlan } from '../../../export/plan-export.js';

/**
 * @param ending.reason what ended the run early
 * @param ending.isNextStepShown what to do is told with the error, which comes after this
 */
export function exportView(
  summary: ExportSummary,
  {
    reason = '',
    isNextStepShown = false,
  }: { readonly reason?: string; readonly isNextStepShown?: boolean } = {},
): View {
  const { users, sessions, jobs, artifacts, requests, budget, gaps } = summary;
  const { vanished = [], at_the_cap: capped = [] } = summary;
  const { listed, ...looks } = sessions;
  const checked = Object.values(looks).reduce((sum, count) => sum + count, 0);
  const unchecked = Math.max(0, listed - checked);
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
  const notArchived = filesNotArchived(gaps).length;
  const facts: readonly Fact[] = [
    ['shard', '', summary.shard ?? null],
    ['users', users.total, usersOf(summary)],
    ['never seen', summary.never_seen.length, neverSeen],
    ['vanished', vanished.length, vanishedText(vanished)],
    ['at the cap', '', atTheCapStep(capped.length, capped)],
    [
      'conversations',
      listed,
      parts({ ...looks, 'not checked': unchecked, 'gone from the service': gone }),
    ],
    // one session each: job and file rows of both are the same
    ['listed twice', '', sharedText(summary)],
    ['versions', jobs.archived, rowsOf(summary)],
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
    ['clock', '', off === undefined ? null : `${off}: set it (NTP)`],
    ...(budget ? budgetFacts(budget) : []),
    ...factsOfGaps(summary),
    ['erased before', '', erasedBeforeText(summary)],
    ['skipped', '', suppressedText(summary.suppressed)],
  ];
  return {
    ...headline(summary, reason),
    sections: [
      { facts },
      { facts: gaps.length === 0 ? [] : gapFacts(gaps) },
      ...suspiciousSections(summary),
      { lines: wholeList(summary) },
    ],
    next: nextOf(summary, isNextStepShown),
  };
}

function sharedText({ shared_sessions: shared, only_other_spelling: only }: ExportSummary) {
  const text = sharedSessionsText(shared);
  const elsewhere = only && onlyElsewhere(only);
  return text !== null && elsewhere ? `${text}; ${elsewhere} not counted` : text;
}

/** `Complete after 3.2 s: 240 versions of questions archived`, or `Nothing new`, and what is missing by decision; what ended a run early comes first. */
function headline(summary: ExportSummary, reason: string): Pick<View, 'headline' | 'tone'> {
  const { jobs, duration_ms: ms, deletions, doubtful_list: doubt } = summary;
  const { max_delete: limit } = summary;
  const done = `${versionsOfQuestions(jobs.archived)} archived ${locationText(summary)}`;
  const after = `after ${formatDuration(ms)}`;
  if (doubt !== undefined)
    return { tone: 'bad', headline: `FAILED ${after}: ${visibleLine(doubt)}\n${done}` };
  switch (summary.status) {
    case 'complete':
    case 'incomplete-by-decision':
    case 'not_all_read':
    case 'gaps': {
      const isWhole = summary.status !== 'gaps' && !hasGaps(summary);
      const leftByBudget = leftByBudgetText(leftIn(summary));
      const leftTexts = [
        ...(leftByBudget === '' ? [] : [leftByBudget]),
        ...(deletions.left > 0 && limit === undefined
          ? [`${counted(deletions.left, 'conversation')} not deleted`]
          : []),
      ];
      if (leftTexts.length === 0 && summary.part === 'gaps') {
        const { total, not_read: notRead } = summary.users;
        const word = isWhole ? 'Gaps read again' : 'Finished with gaps';
        return {
          tone: isWhole ? 'good' : 'warn',
          headline: `${word} ${after}: ${total - notRead} of ${counted(total, 'user')} read, ${done}`,
        };
      }
      const isSame =
        summary.part === undefined && jobs.unchanged > 0 && totalRows(summary.rows) === 0;
      if (leftTexts.length === 0 && isWhole && isSame) {
        // the jobs of the sessions that were listed: the archive may have more users, and sessions that are gone
        const { total, not_read: notRead } = summary.users;
        const whose = `of ${counted(total - notRead, 'user')} unchanged`;
        const kept = `${counted(jobs.unchanged, 'question')} ${whose} ${locationText(summary)}`;
        return summary.status === 'complete'
          ? { tone: 'good', headline: `Nothing new ${after}: ${kept}` }
          : { headline: `${wholeWord(summary)} and nothing new ${after}: ${kept}` };
      }
      if (leftTexts.length === 0) {
        if (!isWhole) return { tone: 'warn', headline: `Finished with gaps ${after}: ${done}` };
        const isDecided = summary.part === undefined && summary.status !== 'complete';
        return {
          tone: isDecided ? undefined : 'good',
          headline: `${wholeWord(summary)} ${after}: ${done}`,
        };
      }
      const word = `Stopped by its budget${isWhole ? '' : ', with gaps,'}`;
      return { tone: 'warn', headline: `${word} ${after}: ${leftTexts.join(', ')}\n${done}` };
    }
    case 'interrupted':
      return { tone: 'warn', headline: `Interrupted ${after}${reasonText(reason)}\n${done}` };
    case 'failed':
      return { tone: 'bad', headline: `Failed ${after}${reasonText(reason)}\n${done}` };
  }
}

/** The first word about a run without open gaps that has read everything. */
function wholeWord({ part, status }: ExportSummary): string {
  if (part !== undefined) return 'Read in part';
  return status === 'complete' ? 'Complete' : 'Not complete, by decision,';
}

function reasonText(reason: string): string {
  return reason === '' ? '' : `: ${visibleLine(reason)}`;
}

/** Only a run that checked everything can say that nothing is missing. */
function noGaps(summary: ExportSummary): string {
  const hasRead = summary.status === 'complete' || summary.status === 'incomplete-by-decision';
  if (!hasRead || summary.part !== undefined)
    return 'none so far; the run did not check everything';
  if (summary.status !== 'complete') return 'what is missing was erased, or is accepted';
  if (summary.gaps.length > 0) return 'nothing is missing of the users whom it reads';
  return summary.never_seen.length === 0
    ? 'nothing is missing'
    : 'nothing is missing of the users who have conversations';
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
  const saved = commits.length === 0 ? 'nothing committed' : commitsText(commits);
  return `in ${archive} (${saved})`;
}

/** The files are those of the line of files; each gap is in one of the first three. */
function openGaps(gaps: readonly Gap[]): Gap[] {
  return gaps.filter(({ accepted }) => accepted !== true);
}

/** As `status` counts them. */
function factsOfGaps(summary: ExportSummary): Fact[] {
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
    ['gaps', missing.length, `${missing.length === 0 ? none : gapsNote(missing)}${left}`],
    ['doubts', doubts, doubts === 0 ? null : 'about what is archived; see below'],
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

/** Those of the archive, where the run has come so far that it knows them. */
function suspiciousSections({ artifacts, suspicious_files: all }: ExportSummary): View[] {
  const text = suspiciousText(all ?? artifacts.suspicious);
  const whose = all === undefined ? 'Suspicious, of this run' : 'Suspicious';
  return text === null ? [] : [{ lines: [step`${whose}: ${text}`] }];
}

/** Where all gaps are listed. */
function wholeList({ gaps }: ExportSummary): NextStep[] {
  const [example] = gaps;
  if (example === undefined) return [];
  return gaps.some(({ user }) => user !== example.user)
    ? [step`All gaps: ${onArchive('gap list')}`]
    : [step`All gaps of a user: ${onArchive('status', '--user', example.user)}`];
}

function nextOf(
  { status, gaps, doubtful_list: doubt }: ExportSummary,
  isNextStepShown: boolean,
): NextStep | undefined {
  if (doubt !== undefined) return step`mend the list of users, then run the same command again.`;
  switch (status) {
    case 'complete':
    case 'incomplete-by-decision':
    case 'not_all_read':
    case 'gaps': {
      const open = openGaps(gaps);
      return open.length === 0 ? undefined : afterOpenGaps(open);
    }
    case 'interrupted':
    case 'failed':
      return isNextStepShown ? undefined : AGAIN;
  }
}

const AGAIN = step`run the same command again, it continues where this one ended; ${onArchive('verify')} checks the archive.`;

function rowsOf({ rows }: ExportSummary): string {
  const total = totalRows(rows);
  return total === 0
    ? 'nothing new'
    : `${counted(total, 'row')} in ${counted(Object.keys(rows).length, 'table')}`;
}

function budgetFacts(budget: BudgetSummary): Fact[] {
  const { left, lap, overdue } = budget;
  const isAll = left.users + left.sessions === 0;
  const limits = [
    ...(budget.max_requests === null ? [] : [counted(budget.max_requests, 'request')]),
    ...(budget.max_duration_ms === null ? [] : [formatDuration(budget.max_duration_ms)]),
  ];
  return [
    ['budget', '', `${limits.join(', ')}: ${counted(budget.checked, 'conversation')} checked`],
    ['for later', '', isAll ? 'nothing' : leftByBudgetText(left)],
    ['lap', '', lap && lapText(lap)],
    ['overdue', '', overdue ? `${LAP_OVERDUE} ${formatDuration(budget.max_staleness_ms)}` : null],
  ];
}

/** Formats the result of a dry run for people. */
export function planView(plan: ExportPlan): View {
  const { users, sessions, jobs, failed, unproven, budget, never_seen: neverSeen } = plan;
  const { doubtful_list: doubt, suppressed } = plan;
  return {
    headline: `Dry run: nothing was written${doubt === undefined ? '' : `; a run would fail: ${doubt}`}`,
    facts: [
      [
        'users',
        `${users} requested, ${failed} failed${unproven > 0 ? `, ${unproven} not proven complete` : ''}`,
      ],
      [
        'never seen',
        neverSeen.length > 0 ? `${neverSeen.length}, ${neverSeenText(neverSeen)}` : null,
      ],
      ['skipped', suppressedText(suppressed)],
      ['conversations', `${sessions.listed} listed, ${sessions.archived} of them in the archive`],
      ['questions', `${jobs.announced} announced, ${jobs.archived} in the archive`],
      ['budget', budget ? budgetOf(budget) : null],
    ],
  };
}

function budgetOf({ checks, left }: NonNullable<ExportPlan['budget']>): string {
  return `${checks} conversations would be checked, ${left.sessions} and ${left.users} users left for later`;
}
