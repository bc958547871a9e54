/** Formats the status of several archives together for people. */
import { NO_PLACE, onArchive, step } from '../../../base/next-step.js';
import { clauses } from '../../../base/text/clauses.js';
import { counted } from '../../../base/text/counted.js';
import type { ArchiveStatus } from '../../../completeness/archive-status.js';
import type { StatusOfSeveral } from '../../../completeness/status-of-several.js';
import type { FailedRun } from '../../failed-run.js';
import { suspiciousText } from '../texts/gap-texts.js';
import type { View } from '../view.js';
import { erasuresText, openRequestText } from './status/decisions.js';
import { rowsOf, told } from './status/rows.js';
import { failedRunClause } from './status/runs.js';
import {
  conversationsText,
  questionsText,
  sizeText,
  usersInSeveralText,
  usersText,
} from './status/what-is-archived.js';
import { gapsText, isAllAccepted, mayChangeText, openGapsText } from './status/what-is-missing.js';

interface SeveralContext {
  /** What an error says. */
  readonly sentence: (error: unknown) => string;
  /** Runs that are not in the log, by the location of their archive. */
  readonly failedRuns: ReadonlyMap<string, readonly FailedRun[]>;
  /** Whether artifacts were counted. */
  readonly isExact?: boolean;
}

export function severalView(status: StatusOfSeveral, context: SeveralContext): View {
  const { archives, users, sessions, size, holds } = status;
  const unread = archives.filter((archive) => 'error' in archive).length;
  return {
    // its commands are about any of them
    place: NO_PLACE,
    headline: clauses(
      ', ',
      counted(archives.length, 'archive'),
      unread > 0 && `of which ${unread} could not be read`,
    ),
    facts: told([
      ['size', sizeText(size, context.isExact ?? false)],
      ['users', usersText(users)],
      ['in several', usersInSeveralText(status.users_in_several)],
      ['conversations', conversationsText(status, { deletes: sessions.deleted > 0 })],
      ['questions', questionsText(status)],
      ['may still change', mayChangeText(status.may_change)],
      ['suspicious', suspiciousText(status.suspicious_files)],
      ['gaps', gapsText(status)],
      ['erasures', erasuresText(status)],
      ['on hold', `${counted(holds, 'hold')} in force`, holds > 0],
      ...rowsOf('open request', status.open_requests, openRequestText),
    ]),
    sections: [wrongView(status, context)],
  };
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

/** What is not as it should be; empty where all is well. */
function wrongIn(status: ArchiveStatus, failed: readonly FailedRun[] = []): string {
  const { users, lost_commit: lost, suspicious_files: suspicious } = status;
  const damaged = status.read_back?.damaged.length ?? 0;
  const drill = status.failed_drill?.differences ?? 0;
  const gaps = openGapsText(status);
  return clauses(
    ', ',
    lost && `DAMAGED: ${lost.path} ${lost.detail}`,
    damaged > 0 && `${counted(damaged, 'slice')} of 30 damaged when last read back`,
    drill > 0 && `${counted(drill, 'difference')} in a drill`,
    ...failed.map(failedRunClause),
    wrongInLastExport(status),
    users.incomplete > 0 && `${counted(users.incomplete, 'user')} not complete`,
    users.not_proven > 0 && `${counted(users.not_proven, 'user')} not proven complete`,
    users.failed > 0 && `the last listing failed of ${counted(users.failed, 'user')}`,
    gaps !== '' && gaps,
    suspicious > 0 && counted(suspicious, 'suspicious file'),
    status.shared_sessions.length > 0 && 'conversations that two users list',
  );
}

/** Null where it was whole, or lacks only what somebody has accepted. */
function wrongInLastExport(status: ArchiveStatus): string | null {
  const outcome = status.last_export?.outcome ?? 'complete';
  if (outcome === 'complete' || (outcome === 'gaps' && isAllAccepted(status))) return null;
  return outcome === 'doubtful_list'
    ? 'the list of users of the last export could not be right'
    : 'the last export was not complete';
}
