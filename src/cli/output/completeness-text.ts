/** The words for how complete a report, a workbook or a pack is. */
import { doubtText, type DoubtCounts } from '../../completeness/scope-doubts.js';
import { counted } from './aligned.js';

/** @param search what was in doubt where it looked; null of an output without a search */
export function completenessHeadline(
  status: 'complete' | 'gaps' | 'not-proven',
  search: DoubtCounts | null = null,
): string {
  if (status === 'complete') return 'Complete';
  if (status === 'gaps') return 'With gaps';
  const hasGaps = search !== null && search.sessions_with_gaps > 0;
  return hasGaps ? 'Not proven complete' : 'No gap known, not proven complete';
}

/** Lines of a summary: what was in doubt where a search looked. */
export function doubtLines(search: DoubtCounts | null): (readonly [string, string])[] {
  const doubts = search === null ? '' : doubtText(search);
  return doubts === '' ? [] : [['in doubt', `${doubts}; what is not archived was not searched`]];
}

export function notProvenLines(users: number, place = ''): (readonly [string, string])[] {
  return users === 0 ? [] : [['not proven', `${counted(users, 'user')}${place}`]];
}
