/** The words for how complete a report, a workbook or a pack is. */
import { doubtText, type DoubtCounts } from '../../completeness/scope-doubts.js';
import { leftOutOf, undatedText, type SearchFacts } from '../../search/search-facts.js';
import { counted } from './aligned.js';

/** @param search what it left out, and what was in doubt where it looked; null of an output without a search */
export function completenessHeadline(
  status: 'complete' | 'gaps' | 'not-proven',
  search: (SearchFacts & DoubtCounts) | null = null,
): string {
  if (status === 'complete') return 'Complete';
  if (status === 'gaps') {
    const leftOut = search === null ? 0 : leftOutOf(search);
    return leftOut === 0
      ? 'With gaps'
      : `With gaps, ${counted(leftOut, 'job')} of unknown date left out`;
  }
  const hasGaps = search !== null && search.sessions_with_gaps > 0;
  return hasGaps ? 'Not proven complete' : 'No gap known, not proven complete';
}

/** What was in doubt where a search looked; null where nothing was, and without a search. */
export function doubtLine(search: DoubtCounts | null): string | null {
  const doubts = search === null ? '' : doubtText(search);
  return doubts === '' ? null : `${doubts}; what is not archived was not searched`;
}

/** What a search has found, did not look at and could not judge, and what was in doubt; nothing without a search. */
export function searchLines(
  search: (SearchFacts & DoubtCounts) | null,
  suffix = '',
): [label: string, text: string | null][] {
  if (search === null) return [];
  const { matches, searched, not_searched: notSearched } = search;
  return [
    ['search', `${counted(matches, 'hit')} in ${counted(searched, 'job')}${suffix}`],
    ['not searched', notSearched],
    ['date unknown', undatedText(search)],
    ['in doubt', doubtLine(search)],
  ];
}

/** Those gaps that an export may close: not those that a search left out. */
export function gapsOfArchive(gaps: number, search: SearchFacts | null): number {
  return search === null ? gaps : gaps - leftOutOf(search);
}

/** Null where all users are proven. */
export function notProven(users: number, place = ''): string | null {
  return users === 0 ? null : `${counted(users, 'user')}${place}`;
}
