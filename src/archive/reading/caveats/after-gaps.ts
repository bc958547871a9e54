/** What can be done about gaps and doubts: what an export reads again, and what somebody can accept. */
import { asConfigured, type NextStep, onArchive, step } from '../../../base/next-step.js';
import { agreeing } from '../../../base/text/counted.js';
import type { DecidedPlaces } from './named-places.js';

export const ACCEPT = onArchive('gap accept', '--session', 'ID', '--reason', 'TEXT');

export function afterDoubts({ open, ofAbsent, ofUnread }: DecidedPlaces): NextStep | null {
  if (open === 0) return null;
  const reads =
    ofAbsent === open
      ? 'no export ends a doubt about what is no longer at the service, or shared jobs with what was erased'
      : step`${ofUnread === open ? EXPORT_USER : asConfigured('export')} reads it again`;
  return step`${reads}; ${ACCEPT} accepts it`;
}

const EXPORT_USER = asConfigured('export', '--user', 'ID');

export const RETRY_GAPS = asConfigured('export', '--retry-gaps');

const AFTER_OPEN_GAPS = step`${RETRY_GAPS}, with the same settings, fetches only what is missing; the next normal export fetches it, too`;

/** What to do about gaps of a pseudonymised copy: no command exports to one. */
export const AFTER_GAPS_OF_COPY =
  'export to the archive that this copy was made of, then make a new copy: nothing is exported to a copy';

/** Gaps, or conversations with gaps, that nobody has accepted. */
interface OpenGaps {
  readonly open: number;
  /** How many of them are of conversations that are no longer at the service. */
  readonly ofAbsent: number;
  /** How many of the others are of users whom exports of everybody read no more: their lists have them no more. */
  readonly ofUnread: number;
}

/** What to do about gaps, or about conversations with gaps. */
export function afterGaps(gaps: OpenGaps): NextStep {
  const { open, ofUnread } = gaps;
  if (ofUnread === 0) return afterThoseRead(gaps);
  const read = step`${EXPORT_USER} fetches what users lack whom exports of everybody read no more`;
  if (ofUnread === open) return step`${read}; ${ACCEPT} accepts ${agreeing(open, 'it', 'them')}`;
  return step`${afterThoseRead(gaps)}. ${read} (${ofUnread} of the ${open})`;
}

function afterThoseRead({ open, ofAbsent, ofUnread }: OpenGaps): NextStep {
  if (ofAbsent === 0) return AFTER_OPEN_GAPS;
  const lack = 'what conversations lack that are no longer at the service';
  const accept = step`${ACCEPT} accepts ${agreeing(ofAbsent, 'it', 'them')}`;
  if (ofAbsent + ofUnread === open) return step`no export fills ${lack}; ${accept}`;
  return step`${AFTER_OPEN_GAPS}. No export fills ${lack} (${ofAbsent} of the ${open}); ${accept}`;
}
