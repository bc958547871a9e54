/** The last runs of an archive: how they ended, which one is at work, and what one has left open. */
import type { ArchiveStatus } from '../../../../completeness/archive-status.js';
import { clauses } from '../../../../base/text/clauses.js';
import { agreeing, counted } from '../../../../base/text/counted.js';
import { EXIT, exitCodeWords } from '../../../exit-code.js';
import type { FailedRun } from '../../../monitors/failed-run.js';
import { usersAndConversations } from '../../../../model/users-and-conversations.js';
import { secondText, timeWithAge } from '../../texts/time-text.js';
import { completeText, decidedText, withGaps } from '../run-line.js';
import { namesOfSome } from './what-is-archived.js';
import { isAllAccepted } from './what-is-missing.js';

type LeasedRun = ArchiveStatus['running'][number];
type LastExport = NonNullable<ArchiveStatus['last_export']>;

export function runningText({ run, host, began, last_sign_of_life: seen }: LeasedRun): string {
  const since = began === null ? '' : ` since ${secondText(began)}`;
  const where = host === null ? ', whose lease cannot be read,' : ` on ${host}`;
  return `run ${run}${where}${since}; last sign of life ${secondText(seen)}`;
}

export function diedText(run: LeasedRun): string {
  return `${runningText(run)}; what it had recorded is in the log, and the next run of its kind goes on from there`;
}

export function openDeletionsText({
  run,
  sessions,
}: ArchiveStatus['open_deletions'][number]): string {
  const [they, count] = sessions === 1 ? ['it', 'counts'] : ['they', 'count'];
  return `${counted(sessions, 'deletion')} by run ${run}, which ended before it recorded whether ${they} took place: the next prune finds out, and until then ${they} ${count} as at the service`;
}

/** Whether the newest export of everybody was whole, and whose state is older; null where the log does not say that. */
export function lastExportText(status: ArchiveStatus): string | null {
  const { last_export: last } = status;
  if (!last) return null;
  if (status.running.some(({ run }) => run === last.run)) {
    const finished = `${last.users} of ${usersText(last, last.users_to_read ?? last.users)}`;
    return `goes on: ${finished} finished so far, ${completeText(last, 'of them ')}`;
  }
  return clauses(
    '; ',
    `${secondText(last.ended)}: ${outcomeText(status, last)}`,
    skippedText(last),
    last.dataset_gaps > 0 && datasetGapsText(last.dataset_gaps),
    last.listed_before > 0 && listedBeforeText(last),
  );
}

/** Nothing else in the archive tells of them. */
function datasetGapsText(count: number): string {
  return `${counted(count, 'gap')} of datasets, which its summary named; the next export with --with-datasets reads them again`;
}

function skippedText({ users_suppressed: users, sessions_suppressed: sessions }: LastExport) {
  if (users + sessions === 0) return null;
  return `skipped ${usersAndConversations({ users, sessions })}: suppressed`;
}

function listedBeforeText({
  listed_before: before,
  listed_before_named: named,
}: LastExport): string {
  const were = counted(before, 'user was', 'users were');
  return `${were} last listed before it: ${namesOfSome(before, named)}`;
}

function outcomeText(status: ArchiveStatus, last: LastExport): string {
  const hasDied = last.abandoned || status.died.some(({ run }) => run === last.run);
  const { users, users_to_read: toRead, incomplete_by_decision: decided } = last;
  const finished = `${users} of ${usersText(last, toRead ?? users)} finished`;
  switch (last.outcome) {
    case 'complete':
    case 'incomplete-by-decision':
      return decided > 0
        ? [allRead(last), ...decidedText(decided)].join(', ')
        : `${allRead(last)}, no gaps`;
    case 'gaps':
      return withGapsText(last, isAllAccepted(status));
    case 'not_all_read':
      // its budget, a failure or a signal: the log does not say which
      return `not complete, ${hasDied ? 'it died before all was read' : 'not all was read'}: ${finished}, ${completeText(last, 'of them ')}`;
    case 'doubtful_list':
      return `FAILED: its list of users could not be right, as it said when it ended; ${users} of the ${usersText(last, toRead ?? users)} of that list recorded`;
    case null:
      return 'how it ended cannot be said any more, after an erasure';
  }
}

/** @param isAccepted whether every gap of the archive is: a run that has only such gaps ends with exit code 0 */
function withGapsText(last: LastExport, isAccepted: boolean): string {
  const {
    incomplete_by_decision: decided,
    dataset_gaps: ofDatasets,
    gaps_of_unread_users: ofUnread,
  } = last;
  const gaps = withGaps(last);
  const isOpen = ofDatasets > 0 || (gaps.length + ofUnread > 0 && !isAccepted);
  const none = gaps.length === 0 && decided === 0 && ofUnread > 0 && 'no gaps of theirs';
  const read = clauses(', ', allRead(last), ...decidedText(decided), none, ...gaps);
  return clauses(
    ', ',
    isOpen && 'not complete',
    clauses(
      '; ',
      read,
      ofUnread > 0 && `${counted(ofUnread, 'gap')} of users whom it did not read`,
    ),
    gaps.length + ofUnread > 0 && isAccepted && 'none open any more',
  );
}

function allRead(last: LastExport): string {
  const asked = last.users_to_read ?? last.users;
  return `${agreeing(asked, '', 'all ')}${usersText(last, asked)} read`;
}

function usersText({ shard }: LastExport, count: number): string {
  return `${counted(count, 'user')}${shard === null ? '' : ` of shard ${shard}`}`;
}

/** Whose sessions were listed longest ago: what came since is in no answer. */
export function oldestListingText(
  { oldest_listing: oldest }: ArchiveStatus,
  nowMs: number,
): string | null {
  return oldest && `${timeWithAge(oldest.at, nowMs)}, of ${oldest.user}`;
}

/** @param last what the log has of the last export */
export function failedRunText(
  {
    command,
    shard,
    ended,
    exit_code: code,
    saved: hasSaved,
    deleted,
    doubtful_list: isListDoubtful,
  }: FailedRun,
  last: ArchiveStatus['last_export'],
): string {
  if (shard !== undefined && hasSaved !== true) {
    const saved = hasSaved === false ? ' and saved nothing' : '';
    return `${secondText(ended)}, shard ${shard}: ended with exit code ${exitCodeWords(code)}${saved}; its log says why`;
  }
  if (command === 'export' && hasSaved !== true) {
    const later = last ? ', later than the last export' : '';
    // of gaps, an export that saved nothing says nothing: others have the same exit code
    const end = code === EXIT.gaps ? `${code}` : `${exitCodeWords(code)},`;
    const why = isListDoubtful
      ? ': its list of users cannot be right, or its API key is that of another project; its log says which'
      : '; its log says why';
    return `${secondText(ended)}${later}: ended with exit code ${end} and saved nothing${why}`;
  }
  const end = `ended with exit code ${exitCodeWords(code)}`;
  if (command === 'export')
    return `${secondText(ended)}${shard === undefined ? '' : `, shard ${shard}`}: ${end}, after it had saved what it read; its log says why`;
  const which = command === 'prune' ? 'no prune of everybody' : 'none';
  const after = deleted === undefined ? '' : `, after ${counted(deleted, 'deletion')}`;
  return `${secondText(ended)}: ${end}${after}; ${which} has ended better since; its log says why`;
}

/** The same beside other archives, where a clause must do. */
export function failedRunClause({
  command,
  ended,
  exit_code: code,
  saved: hasSaved,
}: FailedRun): string {
  const saved = command === 'export' && hasSaved === false ? ' and saved nothing' : '';
  return `the ${command} of ${secondText(ended)} ended with exit code ${code}${saved}`;
}
