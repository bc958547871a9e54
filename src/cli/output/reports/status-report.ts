/** Formats the status of an archive for people. */
import { gapCountTexts } from '../../../model/gap-counts.js';
import {
  COMPLETENESS_WORDS,
  type Completeness,
} from '../../../archive/reading/caveats/completeness.js';
import { caveatsOfCopy } from '../../../archive/reading/caveats/caveat.js';
import { whatCopyLacks } from '../../../archive/reading/caveats/what-copy-lacks.js';
import { whereErasedIs } from '../../../archive/erasures.js';
import { floorText } from '../../../archive/notes/retention-text.js';
import type { ArchiveStatus, LapStatus } from '../../../completeness/archive-status.js';
import type { StatusOfSeveral } from '../../../completeness/status-of-several.js';
import { workText } from '../../../archive/notes/change-requests.js';
import { AGREEING_READS_MS, WITHOUT_RESPOND_MS } from '../../../archive/state/user-state.js';
import type { MayChange, UserStatus } from '../../../completeness/user-status.js';
import { exitCodeWords } from '../../exit-code.js';
import type { FailedRun } from '../../failed-run.js';
import { NO_PLACE, onArchive, step } from '../../../base/next-step.js';
import { formatDuration } from '../../../base/units.js';
import { formatByteSize } from '../../../base/byte-size.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { type Text, timeWithAge } from '../aligned.js';
import type { View } from '../view.js';
import { visibleLine } from '../visible.js';
import {
  atTheCapText,
  foreignText,
  lostText,
  sharedSessionsText,
  suspiciousText,
} from '../archive-texts.js';
import { caveatRows } from '../caveat-rows.js';
import { completeText, decidedText, runLine } from './run-line.js';

const NOT_GUARANTEED =
  '  The files, and the snapshot that these counts come from: verify compares both with the log.';
const NOT_GUARANTEED_BY_RUNS = '  That nothing is new on the service: the next export finds out.';
/** Nothing is exported to it, and it is made as a whole. */
const NOT_GUARANTEED_BY_COPIES =
  '  That the archive it was made of has nothing newer: make a new copy to have that, too.';
/** For those who delete from the service. */
const NOT_GUARANTEED_BY_DELETIONS =
  '  That no question is lost: between the final check of a session and its DELETE there is a moment in which one can be asked. The service cannot delete only what has not changed.';

const ROWS_OF_COPY =
  'run_id is that of the making of this copy, the same in every row; exported_at is the end of the day (UTC) of the export that wrote the row; created_at is that of the question';

const NOT_IN_LOG = '  A run that saved nothing is not in the log; its own log and metrics have it.';

type RunningNow = ArchiveStatus['running'][number];

interface StatusContext {
  /** Whether the configuration makes somebody delete from the service. */
  readonly hasRules: boolean;
  /** Runs that are not in the log. */
  readonly failedRuns: readonly FailedRun[];
  /** Ages are counted up to it. */
  readonly nowMs: number;
  /** What its queue has and has lost follows. */
  readonly hasQueue?: boolean;
  /** Whether artifacts were counted. */
  readonly isExact?: boolean;
}

export function statusView(
  status: ArchiveStatus,
  { hasRules, failedRuns, nowMs, hasQueue = false, isExact = false }: StatusContext,
): View {
  const deletes = hasRules || status.holds > 0 || hasDeleted(status);
  const { location, service, formats, head, users, sessions, size, runs } = status;
  const isCopy = status.pseudonymised !== null;
  const project = service.project === null ? '' : `, project ${service.project}`;
  return {
    headline: location,
    facts: [
      ['service', `${service.base_url}${project}`],
      ['formats', formats.join(', ')],
      ['pseudonymised copy', status.pseudonymised && whatCopyLacks(status.pseudonymised)],
      ['rows', isCopy ? ROWS_OF_COPY : null],
      ...caveatRows(caveatsOfCopy(status.pseudonymised?.lacks ?? [])),
      ['newest commit', head ? `${head.number}:${head.digest}` : 'none'],
      ['DAMAGED', lostCommitText(status)],
      ['size', sizeOf(size, isExact)],
      ...status.running.map((run) => ['running now', runningText(run)] as const),
      ...status.died.map((run) => ['died', diedText(run)] as const),
      ...status.open_deletions.map((open) => ['left open', openDeletionsText(open)] as const),
      ['last export', lastExportText(status)],
      ['last worker', lastWorkerText(status)],
      ['oldest listing', isCopy ? null : oldestListingText(status, nowMs)],
      ...failedRuns.map(
        (failedRun) => [`failed ${failedRun.command}`, failedRunText(failedRun, status)] as const,
      ),
      ['users', usersOf(users, status)],
      ['at the cap', atTheCapText(users.at_the_cap, status.at_the_cap)],
      ['conversations', sessionsOf(status, { deletes, isCopy })],
      ['questions', jobsOf(status, isCopy)],
      [
        'may still change',
        isCopy ? null : mayChangeText(status.may_change, status.may_change.users),
      ],
      ['suspicious', suspiciousText(status.suspicious_files, isCopy)],
      ['gaps', gapsOf(status)],
      ['listed twice', sharedSessionsText(status.shared_sessions)],
      ['erasures', erasuresOf(status)],
      ['kept at least', status.min_retention && floorText(status.min_retention)],
      ['on hold', status.holds > 0 ? holdsOf(status.holds) : null],
      ...status.open_requests.map((request) => ['open request', openRequestText(request)] as const),
      ...status.open_erasures.map((erasure) => ['not finished', openErasureText(erasure)] as const),
      ['foreign', foreignText(status.foreign)],
      ...status.laps.map((lap) => [lapName(lap), lapText(lap)] as const),
      ['checking everything takes', isCopy || sessions.total === 0 ? null : fullCheckOf(status)],
      ['last drill', isCopy ? null : drillOf(status)],
      ['files read back', readBackText(status.read_back)],
    ],
    sections: [
      ...(runs.length === 0
        ? []
        : [
            {
              headline: 'Last runs',
              facts: runs.map(runLine),
              lines: isCopy ? [] : [NOT_IN_LOG],
            },
          ]),
      ...openRunsOf(status.open_runs, hasQueue),
      {
        headline: 'What this does not prove',
        lines: [
          NOT_GUARANTEED,
          isCopy ? NOT_GUARANTEED_BY_COPIES : NOT_GUARANTEED_BY_RUNS,
          ...(deletes ? [NOT_GUARANTEED_BY_DELETIONS] : []),
        ],
      },
    ],
  };
}

interface SeveralContext {
  /** What an error says. */
  readonly sentence: (error: unknown) => string;
  /** Runs that are not in the log, by the location of their archive. */
  readonly failedRuns: ReadonlyMap<string, readonly FailedRun[]>;
  /** Whether artifacts were counted. */
  readonly isExact?: boolean;
}

export function severalView(
  status: StatusOfSeveral,
  { sentence, failedRuns, isExact = false }: SeveralContext,
): View {
  const { archives, users, sessions, size } = status;
  const wrong = archives.flatMap((archive): [string, string][] => {
    const words =
      'error' in archive
        ? sentence(archive.error)
        : wrongIn(archive, failedRuns.get(archive.location));
    return words === '' ? [] : [[archive.location, words]];
  });
  const unread = archives.filter((archive) => 'error' in archive).length;
  return {
    // its commands are about any of them
    place: NO_PLACE,
    headline: `${counted(archives.length, 'archive')}${unread === 0 ? '' : `, of which ${unread} could not be read`}`,
    facts: [
      ['size', sizeOf(size, isExact)],
      ['users', usersOf(users)],
      ['in several', usersInSeveralText(status.users_in_several)],
      ['conversations', sessionsOf(status, { deletes: sessions.deleted > 0 })],
      ['questions', jobsOf(status)],
      ['may still change', mayChangeText(status.may_change)],
      ['suspicious', suspiciousText(status.suspicious_files)],
      ['gaps', gapsOf(status)],
      ['erasures', erasuresOf(status)],
      ['on hold', status.holds > 0 ? `${counted(status.holds, 'hold')} in force` : null],
      ...status.open_requests.map((request) => ['open request', openRequestText(request)] as const),
    ],
    sections: [
      wrong.length === 0
        ? { headline: 'Nothing is wrong in any of them, as far as their logs say.' }
        : {
            headline: `Something is wrong in ${wrong.length} of them`,
            facts: wrong,
            lines: [step`${onArchive('status')} shows one of them.`],
          },
    ],
  };
}

/** One sentence; null of nobody. */
export function usersInSeveralText(several: StatusOfSeveral['users_in_several']): string | null {
  const [first, ...others] = several;
  if (!first) return null;
  const more = others.length === 0 ? 'is' : `and ${counted(others.length, 'other user')} are`;
  return `${first.user} ${more} in more than one of these archives (${first.user}: ${first.archives.join(', ')}), which a user is not who stays in the archive of one --shard`;
}

/** What is not as it should be; empty where all is well. */
function wrongIn(status: ArchiveStatus, failed: readonly FailedRun[] = []): string {
  const { users, gaps, doubts, suspicious_files: suspicious, shared_sessions: shared } = status;
  const { incomplete, not_proven: unproven } = users;
  const outcome = status.last_export?.outcome ?? 'complete';
  const isWhole = outcome === 'complete' || (outcome === 'gaps' && isAllAccepted(status));
  const drill = status.failed_drill?.differences ?? 0;
  const damaged = status.read_back?.damaged.length ?? 0;
  const { lost_commit: lost } = status;
  return [
    ...(lost ? [`DAMAGED: ${lost.path} ${lost.detail}`] : []),
    ...(damaged > 0 ? [`${counted(damaged, 'slice')} of 30 damaged when last read back`] : []),
    ...(drill > 0 ? [`${counted(drill, 'difference')} in a drill`] : []),
    ...failed.map(failedOfSeveralText),
    ...(isWhole
      ? []
      : [
          outcome === 'doubtful_list'
            ? 'the list of users of the last export could not be right'
            : 'the last export was not complete',
        ]),
    ...(incomplete > 0 ? [`${counted(incomplete, 'user')} not complete`] : []),
    ...(unproven > 0 ? [`${counted(unproven, 'user')} not proven complete`] : []),
    ...(users.failed > 0 ? [`the last listing failed of ${counted(users.failed, 'user')}`] : []),
    ...Object.entries(gaps).map(([gap, count]) => `${count} ${gap}`),
    ...(doubts > 0 ? [counted(doubts, 'doubt')] : []),
    ...(suspicious > 0 ? [counted(suspicious, 'suspicious file')] : []),
    ...(shared.length > 0 ? ['conversations that two users list'] : []),
  ].join(', ');
}

function runningText({ run, host, began, last_sign_of_life: seen }: RunningNow): string {
  const since = began === null ? '' : ` since ${shortTime(began)}`;
  const where = host === null ? ', whose lease cannot be read,' : ` on ${host}`;
  return `run ${run}${where}${since}; last sign of life ${shortTime(seen)}`;
}

function diedText(run: RunningNow): string {
  return `${runningText(run)}; what it had recorded is in the log, and the next run of its kind goes on from there`;
}

function openDeletionsText({ run, sessions }: ArchiveStatus['open_deletions'][number]): string {
  const [they, count] = sessions === 1 ? ['it', 'counts'] : ['they', 'count'];
  return `${counted(sessions, 'deletion')} by run ${run}, which ended before it recorded whether ${they} took place: the next prune finds out, and until then ${they} ${count} as at the service`;
}

/** Whether the newest export of everybody was whole, and whose state is older; null where the log does not say that. */
function lastExportText({
  last_export: last,
  oldest_listing: oldest,
  running,
  ...status
}: ArchiveStatus): string | null {
  if (!last) return null;
  if (running.some(({ run }) => run === last.run)) {
    const finished = `${last.users} of ${counted(last.users_to_read ?? last.users, 'user')}`;
    return `goes on: ${finished} finished so far, ${completeText(last, 'of them ')}`;
  }
  const before = last.listed_before;
  const [verb, theirs] = before === 1 ? ['was', 'who'] : ['were', 'the first of whom'];
  const older =
    before === 0 || !oldest
      ? ''
      : `; ${counted(before, 'user')} ${verb} last listed before it, ${theirs} is ${oldest.user}: ${shortTime(oldest.at)}`;
  const isAccepted = isAllAccepted(status);
  return `${shortTime(last.ended)}: ${outcomeOf(last, isAccepted)}${older}`;
}

/** Whose sessions were listed longest ago: what came since is in no answer. */
function oldestListingText(
  { oldest_listing: oldest }: Pick<ArchiveStatus, 'oldest_listing'>,
  nowMs: number,
): string | null {
  return oldest && `${timeWithAge(oldest.at, nowMs)}, of ${oldest.user}`;
}

function failedRunText(
  { command, ended, exit_code: code, saved: hasSaved }: FailedRun,
  { last_export: last }: ArchiveStatus,
): string {
  const isExport = command === 'export';
  const later = isExport && last && !hasSaved ? ', later than the last export' : '';
  const without = hasSaved ? ', after it had saved what it read' : ', and saved nothing';
  const which = command === 'prune' ? 'no prune of everybody' : 'none';
  const saved = isExport ? without : `; ${which} has ended better since`;
  return `${shortTime(ended)}${later}: ended with exit code ${exitCodeWords(code)}${saved}; its log says why`;
}

/** Null where no commit is known to be lost. */
function lostCommitText({ lost_commit: lost }: ArchiveStatus): string | null {
  return lost && `${lost.path} ${lost.detail}; what follows may lack what it had`;
}

function failedOfSeveralText({
  command,
  ended,
  exit_code: code,
  saved: hasSaved,
}: FailedRun): string {
  const saved = command === 'export' && !hasSaved ? ' and saved nothing' : '';
  return `the ${command} of ${shortTime(ended)} ended with exit code ${code}${saved}`;
}

function shortTime(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

/** One of several of a run, perhaps: the log of the archive has the run by parts. */
function lastWorkerText({ last_worker: last, last_export: before }: ArchiveStatus): string | null {
  if (!last) return null;
  const later = before ? ', later than the last export' : '';
  return `${shortTime(last.ended)}${later}: ${counted(last.users, 'user')} read, ${completeText(last, 'of them ')}; jobvault status --redis URL has the run of the fleet`;
}

function allRead(users: number): string {
  return `${users === 1 ? '' : 'all '}${counted(users, 'user')} read`;
}

/** @param isAccepted whether every gap of the archive is: a run that has only such gaps ends with exit code 0 */
function outcomeOf(
  {
    outcome,
    users_to_read: toRead,
    users,
    complete,
    incomplete_by_decision: decided,
    partly,
  }: NonNullable<ArchiveStatus['last_export']>,
  isAccepted: boolean,
): string {
  switch (outcome) {
    case 'complete':
      return [allRead(toRead ?? users), ...(decided > 0 ? decidedText(decided) : ['no gaps'])].join(
        ', ',
      );
    case 'gaps': {
      const gaps = users - complete - decided - partly;
      const withGaps = gaps > 0 ? [`${gaps} with gaps`] : [];
      const read = [allRead(toRead ?? users), ...decidedText(decided), ...withGaps].join(', ');
      if (partly > 0)
        return `not complete, ${read}, ${partly} not to the end (its budget was spent)`;
      if (gaps === 0) return read;
      return isAccepted ? `${read}, none open any more` : `not complete, ${read}`;
    }
    case 'not_all_read':
      return `not complete, it ended early or spent its budget: ${users} of ${counted(toRead ?? users, 'user')} finished, ${completeText({ complete, incomplete_by_decision: decided }, 'of them ')}`;
    case 'doubtful_list':
      return `FAILED: its list of users could not be right, as it said when it ended; ${users} of the ${counted(toRead ?? users, 'user')} of that list recorded`;
    case null:
      return 'how it ended cannot be said any more, after an erasure';
  }
}

/** Whether something was deleted from the service, or was to be. */
function hasDeleted({ sessions, runs }: ArchiveStatus): boolean {
  return (
    sessions.deleted > 0 || runs.some(({ kind, deletions }) => kind === 'prune' || deletions > 0)
  );
}

/** How many users are named. */
const NAMED_USERS = 3;

/** What may still change, why, until when, and how to list it; null where nothing may. */
export function mayChangeText(
  { jobs, newest_seen_at: seenAt, left }: MayChange,
  users: readonly string[] = [],
): Text | null {
  const gone =
    left === 0
      ? null
      : `${counted(left, 'question')} of conversations that are gone from the service: nobody can say any more`;
  if (seenAt === null) return gone;
  // up to the next minute: an export before it would settle nothing
  const settledAfter = (ms: number) =>
    `${isoTime(Math.ceil((Date.parse(seenAt) + ms) / 60_000) * 60_000).slice(0, 16)}Z`;
  const more = users.length > NAMED_USERS ? ' and others' : '';
  const whose = users.length === 0 ? '' : ` of ${users.slice(0, NAMED_USERS).join(', ')}${more}`;
  const texts = [
    `${counted(jobs, 'question')}${whose}: new or of unknown age when last read, or not answered yet`,
    `an export after ${settledAfter(AGREEING_READS_MS)} settles those that have an answer and are unchanged, one after ${settledAfter(WITHOUT_RESPOND_MS)} those without an answer, or no longer in the history`,
    ...(gone === null ? [] : [gone]),
  ];
  const [first] = users;
  if (first === undefined) return texts.join('; ');
  const they = users.length === 1 ? 'They' : `Those of ${first}`;
  return step`${texts.join('; ')}. ${they} are listed by ${onArchive('status', '--user', first)}`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Null if no `verify --within` has kept a record. */
function readBackText(checks: ArchiveStatus['read_back']): string | null {
  if (!checks) return null;
  const { oldest, damaged } = checks;
  const since = oldest === null ? 'not all yet' : `all since ${oldest.slice(0, 10)}`;
  return damaged.length === 0
    ? since
    : `${since}; damaged when last read: ${counted(damaged.length, 'slice')} of 30, verify names what`;
}

function drillOf({ last_drill: last, failed_drill: failed }: ArchiveStatus): string {
  if (!last) return 'never; jobvault drill restores the archive from itself';
  const { at, commit, sample, differences } = last;
  const part =
    sample < 1 ? `, ${Number((sample * 100).toPrecision(3))} % of the conversations` : '';
  const outcome = differences === 0 ? 'all came back' : counted(differences, 'difference');
  const before =
    failed && failed.at !== at
      ? `; ${counted(failed.differences, 'difference')} on ${failed.at.slice(0, 10)}, and no drill of all conversations since`
      : '';
  return `${at.slice(0, 19)}Z (commit ${commit}${part}): ${outcome}${before}`;
}

function openRunsOf(runs: ArchiveStatus['open_runs'], hasQueue: boolean): View[] {
  if (runs.length === 0) return [];
  return [
    {
      headline: 'Runs on a queue that have not ended',
      facts: runs.map(
        ({ run, queue, users, left }) =>
          [run, `${left} of ${counted(users, 'user')} left, queue ${queue}`] as const,
      ),
      lines: hasQueue ? [] : ['status with --redis says what the queue has lost.'],
    },
  ];
}

/** What runs have told of artifacts is about right: one may be put twice. */
function sizeOf({ files, artifacts, bytes }: ArchiveStatus['size'], isExact: boolean): string {
  const about = isExact || artifacts === 0 ? '' : 'about ';
  return `${about}${formatByteSize(bytes)} in ${counted(files, 'file')} and ${counted(artifacts, 'artifact')}`;
}

/** Why users may be in it, and what ends it. */
const WHY_USERS: Readonly<Record<Exclude<Completeness, 'complete'>, string>> = {
  'incomplete-by-decision': 'accepted gaps, or erased',
  'not-proven': 'in doubt, never listed as a whole, or perhaps erased since',
  incomplete: 'gaps, or read in part',
};

function usersOf(
  { total, people, complete, failed, ...rest }: ArchiveStatus['users'],
  named: Partial<Pick<ArchiveStatus, 'vanished' | 'never_seen' | 'pseudonymised'>> = {},
): string {
  if (total === 0) return '0: no run has saved anything yet';
  const { incomplete_by_decision: decided, not_proven: unproven, incomplete } = rest;
  const lacking = named.pseudonymised?.lacks ? ', or what the copy lacks' : '';
  const others = (
    [
      ['incomplete-by-decision', decided],
      ['not-proven', unproven],
      ['incomplete', incomplete],
    ] as const
  ).flatMap(([word, count]) =>
    count === 0 ? [] : [`${count} ${COMPLETENESS_WORDS[word]} (${WHY_USERS[word]}${lacking})`],
  );
  const noMore = namesOfSome(rest.vanished, named.vanished);
  const neverSeen = namesOfSome(rest.never_seen, named.never_seen);
  return [
    `${total}${people < total ? ` (${counted(people, 'person', 'people')} with conversations)` : ''}: ${[`${complete} complete`, ...others].join(', ')}`,
    ...(failed === 0 ? [] : [`${failed} whose last listing failed`]),
    ...(rest.vanished === 0
      ? []
      : [`${rest.vanished} of whom the service lists nothing any more${noMore}`]),
    ...(rest.never_seen === 0
      ? []
      : [
          `${rest.never_seen} of whom the service lists nothing, and nothing is archived: ${agreeing(rest.never_seen, 'is the id', 'are the ids')} right?${neverSeen}`,
        ]),
  ].join('; ');
}

/** `: ana, ben and 3 more` */
function namesOfSome(count: number, names: readonly string[] = []): string {
  if (names.length === 0) return '';
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `: ${names.map(visibleLine).join(', ')}${more}`;
}

export function sessionsOf(
  {
    sessions,
    erased,
    unexplained_erased: unexplained = 0,
  }: Pick<UserStatus, 'sessions' | 'erased'> & { readonly unexplained_erased?: number },
  {
    deletes,
    isCopy = false,
    isOfUser = false,
  }: { readonly deletes: boolean; readonly isCopy?: boolean; readonly isOfUser?: boolean },
): string {
  const { total, complete, incomplete, gone, deleted, without_questions: without } = sessions;
  const here = [
    `${total}: ${complete} complete, ${incomplete} incomplete`,
    ...(deletes || gone > 0 ? [`${gone} gone from the service`] : []),
    ...(deletes ? [`${deleted} deleted from it by prune`] : []),
  ].join(', ');
  const have = agreeing(without, 'has', 'have');
  const were = agreeing(erased, 'was', 'were');
  // a copy does not have the receipts of erasures
  const atLeast = `of at least ${total + erased}, at least ${erased}`;
  const receipts = isOfUser ? `${unexplained} more, and not of whom` : `${erased + unexplained}`;
  const taken = isCopy
    ? `${atLeast} ${were} erased`
    : unexplained > 0
      ? `${atLeast} ${were} erased (receipts count ${receipts})`
      : `of ${total + erased}, ${erased} ${were} certainly erased`;
  return [
    here,
    ...(without > 0 ? [`${without} of them ${have} no question`] : []),
    ...(erased > 0 ? [taken] : []),
  ].join('; ');
}

export function jobsOf(
  { jobs: { total, settled }, may_change: { jobs, left } }: Pick<UserStatus, 'jobs' | 'may_change'>,
  isCopy = false,
): string {
  const open = isCopy ? 'not settled when it was made' : 'that may still change';
  const gone = left === 0 ? '' : `, ${left} of conversations that are gone`;
  return `${total}: ${settled} settled, ${jobs} ${open}${gone}`;
}

type OpenGaps = Pick<UserStatus, 'gaps' | 'doubts' | 'accepted_gaps' | 'accepted_doubts'>;

/** Gaps or doubts there are, and somebody has accepted each. */
function isAllAccepted({ gaps, doubts, accepted_gaps, accepted_doubts }: OpenGaps): boolean {
  return accepted_gaps + accepted_doubts > 0 && Object.keys(gaps).length + doubts === 0;
}

export function gapsOf({
  gaps_of_gone_sessions: ofGone,
  ...counts
}: OpenGaps & Pick<UserStatus, 'gaps_of_gone_sessions'>): string {
  const accepted = gapCountTexts({ ...counts, gaps: 0, doubts: 0 });
  if (isAllAccepted(counts)) return `${accepted.join(', ')}: nothing needs to be done`;
  const open = [
    ...Object.entries(counts.gaps).map(([status, count]) => `${count} ${status}`),
    ...(counts.doubts > 0 ? [counted(counts.doubts, 'doubt')] : []),
  ];
  if (ofGone > 0) {
    const gone = `${ofGone} of them in conversations gone from the service`;
    return [open.join(', '), gone, ...accepted].join('; ');
  }
  return [...open, ...accepted].join(', ') || 'none';
}

function lapName({ scope }: LapStatus): string {
  return scope === 'all' ? 'lap' : `lap of ${scope === 'queue' ? 'the queue' : `shard ${scope}`}`;
}

function lapText({ number, began_at: beganAt, last_ms: lastMs, overdue }: LapStatus): string {
  const last = lastMs === null ? 'the first' : `the lap before took ${formatDuration(lastMs)}`;
  const late = overdue ? '; LONGER than --max-staleness: raise the budget' : '';
  return `number ${number} round all conversations since ${shortTime(beganAt)}, ${last}${late}`;
}

/** What is new, and what is asked a second time, comes on top. */
function fullCheckOf({
  full_check: { requests, rate, duration_ms: ms },
}: Pick<ArchiveStatus, 'full_check'>): string {
  return `at least ${counted(requests, 'request')}, one for each conversation and page of conversations: ${formatDuration(ms)} at ${counted(rate, 'request')} a second (--rate)`;
}

/** Null of none. */
function erasuresOf({ erasures }: Pick<ArchiveStatus, 'erasures'>): Text | null {
  const { count, last } = erasures;
  if (count === 0) return null;
  const when = `${count === 1 ? 'of' : 'the last of'} ${last?.slice(0, 10) ?? ''}`;
  return step`${count}, ${when}: ${whereErasedIs(erasures)}; ${onArchive('erase', '--list')} says how much it was`;
}

function openRequestText({
  request,
  by,
  since,
  lost,
  ...made
}: ArchiveStatus['open_requests'][number]) {
  const what = `${request}, asked by ${by} (${since.slice(0, 10)}): ${workText(made)}`;
  return lost === null ? what : `${what}; ${lostText(lost)}`;
}

function openErasureText({ commit }: ArchiveStatus['open_erasures'][number]): Text {
  return step`the erasure of commit ${commit}: what it erases may still be there; the next run goes on with it, and ${onArchive('verify')} says what is in its way`;
}

function holdsOf(holds: number): Text {
  return step`${counted(holds, 'hold')} in force; ${onArchive('hold list')} names them`;
}
