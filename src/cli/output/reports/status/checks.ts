/** How an archive is checked: the laps round all users, the drills, the files that were read back. */
import { clauses } from '../../../../base/text/clauses.js';
import { counted } from '../../../../base/text/counted.js';
import { formatDuration } from '../../../../base/units.js';
import type { ArchiveStatus } from '../../../../completeness/archive-status.js';
import type { LapStatus } from '../../../../completeness/lap-status.js';
import { secondText } from '../../texts/time-text.js';
import { lapText } from '../../texts/lap-texts.js';

export function lapName({ scope }: LapStatus): string {
  if (scope === 'all') return 'lap';
  return scope === 'queue' ? 'lap of the queue' : `lap of shard ${scope}`;
}

export function lapRowText(lap: LapStatus): string {
  const { number, last_ms: lastMs, overdue } = lap;
  const late = overdue ? '; LONGER than --max-staleness: raise the budget' : '';
  const text = clauses(
    ', ',
    lapText(lap),
    number === 1 && 'the first',
    lastMs !== null && `the lap before took ${formatDuration(lastMs)}`,
  );
  return `${text}${late}`;
}

/** What is new, and what is asked a second time, comes on top. */
export function fullCheckText({
  full_check: { requests, rate, duration_ms: ms },
}: ArchiveStatus): string {
  return `at least ${counted(requests, 'request')}, one for each conversation and page of conversations: ${formatDuration(ms)} at ${counted(rate, 'request')} a second (--rate)`;
}

export function drillText({ last_drill: last, failed_drill: failed }: ArchiveStatus): string {
  if (!last) return 'never; jobvault drill restores the archive from itself';
  const { at, commit, sample, differences } = last;
  const part =
    sample < 1 ? `, ${Number((sample * 100).toPrecision(3))} % of the conversations` : '';
  const outcome = differences === 0 ? 'all came back' : counted(differences, 'difference');
  return clauses(
    '; ',
    `${secondText(at)} (commit ${commit}${part}): ${outcome}`,
    failed &&
      failed.at !== at &&
      `${counted(failed.differences, 'difference')} on ${failed.at.slice(0, 10)}, and no drill of all conversations since`,
  );
}

/** Null if no `verify --within` has kept a record. */
export function readBackText({
  read_back: checks,
  head,
}: Pick<ArchiveStatus, 'read_back' | 'head'>): string | null {
  if (!checks) return null;
  const { oldest, damaged, through } = checks;
  const isAll = through >= (head?.number ?? 0);
  const all = isAll ? 'all' : `all that commit ${through} had`;
  const since = oldest === null ? 'not all yet' : `${all} since ${oldest.slice(0, 10)}`;
  return damaged.length === 0
    ? since
    : `${since}; damaged when last read: ${counted(damaged.length, 'slice')} of 30, verify names what`;
}
