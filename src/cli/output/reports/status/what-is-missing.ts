/** What an archive lacks, and what in it may still change. */
import { AGREEING_READS_MS, WITHOUT_RESPOND_MS } from '../../../../archive/state/user-state.js';
import { onArchive, step } from '../../../../base/next-step.js';
import { clauses } from '../../../../base/text/clauses.js';
import { agreeing, counted } from '../../../../base/text/counted.js';
import type { MayChange, UserStatus } from '../../../../completeness/user-status.js';
import type { ArchiveStatus } from '../../../../completeness/archive-status.js';
import type { Text } from '../../aligned.js';

/** Until when answers may still change, and how to list them; null where none may. */
export function mayChangeText(
  { newest_seen_at: seenAt, unread, left }: MayChange,
  users: readonly string[] = [],
): Text | null {
  const settled = (ms: number): string => minuteAfter(Date.parse(seenAt ?? '') + ms);
  const text = clauses(
    '; ',
    seenAt !== null &&
      `an export after ${settled(AGREEING_READS_MS)} settles those that have an answer and are unchanged, one after ${settled(WITHOUT_RESPOND_MS)} those without an answer, or no longer in the history`,
    unread > 0 &&
      `${counted(unread, 'question')} of users whom no export reads any more: nothing settles ${agreeing(unread, 'it', 'them')} until one does`,
    left > 0 &&
      `${counted(left, 'question')} not settled, of conversations that are no longer at the service: nobody can say any more`,
  );
  const [first] = users;
  if (first === undefined || text === '') return text || null;
  const they = users.length === 1 ? 'They' : `Those of ${first}`;
  return step`${text}. ${they} are listed by ${onArchive('status', '--user', first)}`;
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

/** `2 expired, 1 missing`; null of none. */
export function openGapsText({ gaps }: Pick<ArchiveStatus, 'gaps'>): string | null {
  const counts = Object.entries(gaps).map(([status, count]) => `${count} ${status}`);
  return counts.length === 0 ? null : counts.join(', ');
}
