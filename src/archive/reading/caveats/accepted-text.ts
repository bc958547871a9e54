/** How much of what is missing or in doubt somebody has accepted. */
import type { DecidedPlaces } from './named-places.js';

type Decided = Pick<DecidedPlaces, 'accepted' | 'count'>;

/** How many gaps of conversations are accepted, as the end of a clause. */
export function acceptedGapsText({ accepted, count }: Decided): string {
  if (accepted === 0) return '';
  return accepted === count ? ', all of them accepted' : `, those of ${accepted} all accepted`;
}

/** How many doubts, or conversations in doubt, are accepted. */
export function acceptedDoubtsText({ accepted, count }: Decided): string {
  if (accepted === 0) return '';
  if (accepted < count) return `, ${accepted} of them accepted`;
  return count === 1 ? ', which is accepted' : ', all accepted';
}
