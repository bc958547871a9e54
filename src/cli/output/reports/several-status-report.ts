/** Formats the status of several archives together for people. */
import { headlineClauseOf } from '../../../archive/reading/caveats/caveat-text.js';
import type { Completeness } from '../../../archive/reading/caveats/completeness.js';
import { NO_PLACE, onArchive, step } from '../../../base/next-step.js';
import { clauses } from '../../../base/text/clauses.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import type { ArchiveStatus } from '../../../completeness/archive-status.js';
import type { StatusOfSeveral } from '../../../completeness/status-of-several.js';
import { gapCountTexts } from '../../../model/gap-counts.js';
import type { FailedRun } from '../../monitors/failed-run.js';
import { suspiciousText } from '../texts/gap-texts.js';
import type { View } from '../view.js';
import { erasuresText, openRequestText } from './status/decisions.js';
import { rowsOf, toldRows } from './status/rows.js';
import { failedRunClause } from './status/runs.js';
import {
  conversationsText,
  questionsText,
  sizeText,
  usersInSeveralText,
  usersText,
} from './status/what-is-archived.js';
import { isAllAccepted, mayChangeText, openGapsText } from './status/what-is-missing.js';

interface SeveralContext {
  /** What an error says. */
  readonly sentence: (error: unknown) => string;
  /** Runs that are not in the log, by the location of their archive. */
  readonly failedRuns: ReadonlyMap<string, readonly FailedRun[]>;
  /** Whether artifacts were counted. */
  readonly isExact?: boolean;
}

export function severalView(status: StatusOfSeveral, context: SeveralContext): View {
  const { archives, users, doubts, size, holds } = status;
  const unread = archives.filter((archive) => 'error' in archive).length;
  return {
    // its commands are about any of them
    place: NO_PLACE,
    headline: clauses(
      ', ',
      counted(archives.length, 'archive'),
      unread > 0 && `of which ${unread} could not be read`,
    ),
    facts: toldRows([
      ['size', sizeText(size, context.isExact ?? false)],
      ['users', usersOfSeveralText(users)],
      ['in several', usersInSeveralText(status.users_in_several)],
      ['conversations', conversationsOfSeveralText(status)],
      ['questions', questionsText(status)],
      ['may still change', mayChangeText(status.may_change)],
      ['suspicious', suspiciousText(status.suspicious_files)],
      ['gaps', openGapsText(status)],
      ['doubts', `${doubts}`, doubts > 0],
      ['accepted', acceptedText(status)],
      ['erasures', erasuresText(status)],
      ['on hold', `${counted(holds, 'hold')} in force`, holds > 0],
      ...rowsOf('open request', status.open_requests, openRequestText),
    ]),
    sections: [wrongView(status, context)],
  };
}

/** With those whom caveats tell of one archive. */
function usersOfSeveralText(users: StatusOfSeveral['users']): string {
  const { never_seen: neverSeen, skipped } = users;
  return clauses(
    '; ',
    usersText(users),
    neverSeen > 0 && `${neverSeen} of whom the service lists nothing, and nothing is archived`,
    skipped > 0 && `${skipped} not read any more, as another spelling is suppressed`,
  );
}

function conversationsOfSeveralText({
  sessions,
  erased,
  unexplained_erased: unexplained,
}: StatusOfSeveral): string {
  const without = sessions.without_questions;
  const least = unexplained > 0 ? 'at least ' : '';
  return clauses(
    '; ',
    conversationsText(sessions, { deletes: sessions.deleted > 0 }),
    without > 0 && `${without} of them ${agreeing(without, 'has', 'have')} no question`,
    erased > 0 && `${least}${erased} more ${agreeing(erased, 'was', 'were')} erased`,
  );
}

function acceptedText(counts: StatusOfSeveral): string | null {
  const texts = gapCountTexts({ ...counts, gaps: 0, doubts: 0 });
  return texts.length === 0 ? null : texts.join(', ');
}

function wrongView({ archives }: StatusOfSeveral, { sentence, failedRuns }: SeveralContext): View {
  const wrong = archives.flatMap((archive): [string, string][] => {
    const { location } = archive;
    const words =
      'error' in archive ? sentence(archive.error) : wrongIn(archive, failedRuns.get(location));
    return words === '' ? [] : [[location, words]];
  });
  if (wrong.length === 0) {
    return { headline: 'Nothing is wrong in any of them, as far as their logs say.' };
  }
  return {
    headline: `Something is wrong in ${wrong.length} of them`,
    facts: wrong,
    lines: [step`${onArchive('status')} shows one of them.`],
  };
}

const WRONG: ReadonlySet<Completeness> = new Set(['incomplete', 'not-proven']);

/** What is not as it should be; empty where all is well. */
function wrongIn(status: ArchiveStatus, failed: readonly FailedRun[] = []): string {
  const { users, caveats, lost_commit: lost, suspicious_files: suspicious } = status;
  const damaged = status.read_back?.damaged.length ?? 0;
  const drill = status.failed_drill?.differences ?? 0;
  return clauses(
    ', ',
    lost && `DAMAGED: ${lost.path} ${lost.detail}`,
    damaged > 0 && `${counted(damaged, 'slice')} of 30 damaged when last read back`,
    drill > 0 && `${counted(drill, 'difference')} in a drill`,
    ...failed.map(failedRunClause),
    wrongInLastExport(status),
    users.failed > 0 && `the last listing failed of ${counted(users.failed, 'user')}`,
    suspicious > 0 && counted(suspicious, 'suspicious file'),
    status.shared_sessions.some(({ spellings }) => !spellings) &&
      'conversations that two users list',
    WRONG.has(status.status) && headlineClauseOf(caveats),
  );
}

/** Null where it was whole, or lacks only what somebody has accepted. */
function wrongInLastExport(status: ArchiveStatus): string | null {
  const outcome = status.last_export?.outcome ?? 'complete';
  if (outcome === 'complete' || outcome === 'incomplete-by-decision') return null;
  const ofDatasets = status.last_export?.dataset_gaps ?? 0;
  if (outcome === 'gaps' && ofDatasets === 0 && isAllAccepted(status)) return null;
  return outcome === 'doubtful_list'
    ? 'the list of users of the last export could not be right'
    : 'the last export was not complete';
}
