/** What a search says of itself beside its hits. Reports, workbooks and packs of a search say the same. */
import { counted } from '../base/text/counted.js';
import { UNKNOWN_DATE } from '../archive/reading/caveats/caveat.js';
import type { Undated } from '../archive/reading/chosen-jobs.js';
import { type SearchField } from './search-fields.js';

/** Numbers of jobs, each in its newest version. */
export interface SearchCounts {
  /** In the period, or may be: those that were searched, that were left out, and that are no hit whatever their date. */
  readonly total: number;
  /** In the period. */
  readonly searched: number;
  readonly matches: number;
  /** They have the words; ids and the order of the history do not tell whether they are in the period. */
  readonly time_unknown: number;
  /** Tables in these jobs of which the archive has no text: lost ones, and those that are no text. */
  readonly tables_not_searched: number;
  /** Tables of which only the first 16 KB were searched. */
  readonly tables_in_part: number;
}

export interface SearchFacts extends SearchCounts {
  /** Null: nobody has chosen. Then those jobs are left out, and what is made is not complete. */
  readonly undated: Undated | null;
  /** Where words were looked for; null of a search without words. */
  readonly searched_in: readonly SearchField[] | null;
  /** What words were not looked for in; null of a search without words. */
  readonly not_searched: string | null;
}

/**
 * `2 hits in 14 of 18 questions`: those that are or may be of the period, and those of them that were searched; caveats say
 * what became of the others. Without words, `14 of 18 questions`: nothing was looked for in them.
 */
export function hitCountText({
  total,
  searched,
  matches,
  searched_in: fields,
}: Pick<SearchFacts, 'total' | 'searched' | 'matches' | 'searched_in'>): string {
  const jobs =
    searched === total
      ? counted(total, 'question')
      : `${searched} of ${counted(total, 'question')}`;
  if (fields === null) return jobs;
  return `${counted(matches, 'hit')} in ${jobs}`;
}

export type UndatedFacts = Pick<SearchFacts, 'undated' | 'time_unknown'>;

/** How many jobs were left out though nobody has said that they may be; 0 without a search. */
export function leftOutOf(facts: UndatedFacts | null | undefined): number {
  return facts?.undated === null ? facts.time_unknown : 0;
}

/** `left out: 3 questions whose date is unknown`; null where every job could be placed. */
export function undatedText({ undated, time_unknown: unknown }: UndatedFacts): string | null {
  if (unknown === 0) return null;
  const what = undated === null ? 'left out' : `${undated}d`;
  return `${what}: ${counted(unknown, 'question')} whose date is unknown`;
}

/** The same for who runs the command, and what the flag would do. */
export function undatedAdvice(facts: UndatedFacts): string | null {
  const text = undatedText(facts);
  if (text === null || facts.undated !== null) return text;
  const them = facts.time_unknown === 1 ? 'it' : 'them';
  return `${text}; --undated include takes ${them} in; until that or --undated exclude is given, the exit code is 3`;
}

/** The status of such a job among the gaps of a report or a pack. */
export const UNDATED_STATUS = 'undated';

/** Why it is there, and whether somebody decided that. */
export function undatedGap(undated: Undated | null | undefined) {
  const reason =
    undated === 'exclude'
      ? `${UNKNOWN_DATE}; excluded by decision (--undated exclude)`
      : `${UNKNOWN_DATE}, so it was left out`;
  return { status: UNDATED_STATUS, reason } as const;
}
