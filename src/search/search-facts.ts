/** What a search says of itself beside its hits. Reports, workbooks and packs of a search say the same. */
import type { SearchField } from './search-fields.js';

/** What becomes of jobs that have the words, and of which nothing tells whether they were asked in the period. */
export type Undated = 'include' | 'exclude';

/** Numbers of jobs, each in its newest version. */
export interface SearchCounts {
  /** In the period. */
  readonly searched: number;
  readonly matches: number;
  /** They have the words; ids and the order of the history do not tell whether they are in the period. */
  readonly time_unknown: number;
}

export interface SearchFacts extends SearchCounts {
  /** Null: nobody has chosen. Then those jobs are left out, and what is made is not complete. */
  readonly undated: Undated | null;
  /** Where words were looked for; null of a search without words. */
  readonly searched_in: readonly SearchField[] | null;
  /** What words were not looked for in; null of a search without words. */
  readonly not_searched: string | null;
}

/** How many jobs were left out though nobody has said that they may be. */
export function leftOutOf({
  undated,
  time_unknown: unknown,
}: Pick<SearchFacts, 'undated' | 'time_unknown'>): number {
  return undated === null ? unknown : 0;
}

/** `left out: 3 jobs whose date is unknown; --undated include takes them`; null where every job could be judged. */
export function undatedText({
  undated,
  time_unknown: unknown,
}: Pick<SearchFacts, 'undated' | 'time_unknown'>): string | null {
  if (unknown === 0) return null;
  const jobs = `${unknown} ${unknown === 1 ? 'job' : 'jobs'} whose date is unknown`;
  if (undated !== null) return `${undated === 'include' ? 'included' : 'excluded'}: ${jobs}`;
  return `left out: ${jobs}; --undated include takes ${unknown === 1 ? 'it' : 'them'}`;
}

/** Why such a job is among the gaps of a report or a pack. */
export const UNDATED_GAP = {
  status: 'undated',
  reason: 'its date is unknown, so --from and --to left it out; --undated include takes it',
} as const;
