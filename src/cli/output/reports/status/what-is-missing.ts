/** What an archive lacks, and what in it may still change. */
import { AGREEING_READS_MS, WITHOUT_RESPOND_MS } from '../../../../archive/state/user-state.js';
import { onArchive, step } from '../../../../base/next-step.js';
import { clauses } from '../../../../base/text/clauses.js';
import { counted } from '../../../../base/text/counted.js';
import type { MayChange, UserStatus } from '../../../../completeness/user-status.js';
import { gapCountTexts } from '../../../../model/gap-counts.js';
import type { ArchiveStatus } from '../../../../completeness/archive-status.js';
import type { Text } from '../../aligned.js';

/** How many users are named. */
const NAMED_USERS = 3;

/** What may still change, why, until when, and how to list it; null where nothing may. */
export function mayChangeText(
  { jobs, newest_seen_at: seenAt, left }: MayChange,
  users: readonly string[] = [],
): Text | null {
  const gone =
    left > 0 &&
    `${counted(left, 'question')} of conversations that are gone from the service: nobody can say any more`;
  if (seenAt === null) return gone || null;
  const settled = (ms: number): string => minuteAfter(Date.parse(seenAt) + ms);
  const text = clauses(
    '; ',
    `${counted(jobs, 'question')}${whose(users)}: new or of unknown age when last read, or not answered yet`,
    `an export after ${settled(AGREEING_READS_MS)} settles those that have an answer and are unchanged, one after ${settled(WITHOUT_RESPOND_MS)} those without an answer, or no longer in the history`,
    gone,
  );
  const [first] = users;
  if (first === undefined) return text;
  const they = users.length === 1 ? 'They' : `Those of ${first}`;
  return step`${text}. ${they} are listed by ${onArchive('status', '--user', first)}`;
}

function whose(users: readonly string[]): string {
  if (users.length === 0) return '';
  const more = users.length > NAMED_USERS ? ' and others' : '';
  return ` of ${users.slice(0, NAMED_USERS).join(', ')}${more}`;
}

/** Up to the next minute: an export before it would settle nothing. */
function minuteAfter(ms: number): string {
  const minuteMs = Math.ceil(ms / 60_000) * 60_000;
  return `${new Date(minuteMs).toISOString().slice(0, 16)}Z`;
}

type OpenGaps = Pick<UserStatus, 'gaps' | 'doubts' | 'accepted_gaps' | 'accepted_doubts'>;

/** Gaps or doubts there are, and somebody has accepted each. */
export function isAllAccepted({
  gaps,
  doubts,
  accepted_gaps: acceptedGaps,
  accepted_doubts: acceptedDoubts,
}: OpenGaps): boolean {
  return acceptedGaps + acceptedDoubts > 0 && Object.keys(gaps).length + doubts === 0;
}

export function gapsText({
  gaps_of_gone_sessions: ofGone,
  ...counts
}: OpenGaps & Pick<UserStatus, 'gaps_of_gone_sessions'>): string {
  const accepted = gapCountTexts({ ...counts, gaps: 0, doubts: 0 });
  if (isAllAccepted(counts)) return `${accepted.join(', ')}: nothing needs to be done`;
  const open = openGapsText(counts);
  if (ofGone > 0) {
    return [open, `${ofGone} of them in conversations gone from the service`, ...accepted].join(
      '; ',
    );
  }
  return clauses(', ', open !== '' && open, ...accepted) || 'none';
}

/** `2 expired, 1 missing, 3 doubts`; empty of none. */
export function openGapsText({ gaps, doubts }: Pick<ArchiveStatus, 'gaps' | 'doubts'>): string {
  return clauses(
    ', ',
    ...Object.entries(gaps).map(([status, count]) => `${count} ${status}`),
    doubts > 0 && counted(doubts, 'doubt'),
  );
}
