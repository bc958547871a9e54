/** The words for how complete a report, a workbook or a pack is. */
import { doubtText, type DoubtCounts } from '../../completeness/scope-doubts.js';
import type { SearchCounts } from '../../search/search-archive.js';
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

/** What was in doubt where a search looked; null where nothing was, and without a search. */
export function doubtLine(search: DoubtCounts | null): string | null {
  const doubts = search === null ? '' : doubtText(search);
  return doubts === '' ? null : `${doubts}; what is not archived was not searched`;
}

/** What a search has found, what the period could not judge, and what was in doubt; nothing without a search. */
export function searchLines(
  search: (SearchCounts & DoubtCounts) | null,
  suffix = '',
): [label: string, text: string | null][] {
  if (search === null) return [];
  const { matches, searched, time_unknown: unknown } = search;
  return [
    ['search', `${counted(matches, 'hit')} in ${counted(searched, 'job')}${suffix}`],
    [
      'not judged',
      unknown === 0 ? null : `${counted(unknown, 'job')} without a known time: not searched`,
    ],
    ['in doubt', doubtLine(search)],
  ];
}

/** Null where all users are proven. */
export function notProven(users: number, place = ''): string | null {
  return users === 0 ? null : `${counted(users, 'user')}${place}`;
}
