/** What a search says of itself beside its hits. Reports, workbooks and packs of a search say the same. */
import { agreeing, counted } from '../base/text/counted.js';
import { UNKNOWN_DATE } from '../archive/reading/caveats/in-search.js';
import type { Undated } from '../archive/reading/chosen-jobs.js';
import { type SearchField } from './search-fields.js';

/** Numbers of jobs, each in its newest version. */
export interface SearchCounts {
  /** In the period, or may be: those that were searched, that were left out, and that are no hit whatever their date. */
  readonly total: number;
  /** In the period. */
  readonly searched: number;
  /** All that were found, also those that are withheld. */
  readonly matches: number;
  /** How many of these a decision for a request keeps out of what is made for it. */
  readonly withheld: number;
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

type FoundCounts = Pick<SearchFacts, 'matches' | 'withheld'>;

/**
 * `2 hits in 14 of the 18 questions that are or may be of the period`: caveats say what became of those that were not
 * searched. Without words nothing was looked for in them, and the hits are left out.
 *
 * @param commit the one that was searched; undefined: what tells it stands elsewhere
 */
export function hitCountText(
  {
    total,
    searched,
    searched_in: fields,
    ...found
  }: FoundCounts & Pick<SearchFacts, 'total' | 'searched' | 'searched_in'>,
  commit?: number,
): string {
  const { matches, withheld } = found;
  const at = commit === undefined ? '' : ` of commit ${commit}`;
  const all = `${counted(total, 'question')}${at}`;
  const are = agreeing(total, 'is or may be', 'are or may be');
  const jobs = searched === total ? all : `${searched} of the ${all} that ${are} of the period`;
  if (fields !== null) {
    const hits = `${counted(matches, 'hit')}${withheldText(found)}`;
    return `${hits}${withheld === 0 ? '' : ','} in ${jobs}`;
  }
  if (withheld === 0) return jobs;
  return `${jobs}; ${withheld} of the ${matches} ${agreeing(withheld, 'is', 'are')} withheld`;
}

/** `13, 2 of them withheld` */
export function foundText(found: FoundCounts): string {
  return `${found.matches}${withheldText(found)}`;
}

function withheldText({ matches, withheld }: FoundCounts): string {
  if (withheld === 0) return '';
  return matches === 1 ? ', which is withheld' : `, ${withheld} of them withheld`;
}

export type UndatedFacts = Pick<SearchFacts, 'undated' | 'time_unknown'>;

/** How many jobs were left out though nobody has said that they may be; 0 without a search. */
export function leftOutOf(facts: UndatedFacts | null | undefined): number {
  return facts?.undated === null ? facts.time_unknown : 0;
}

/** `left out`, and `3 questions whose date is unknown` with what the flag would do; undefined where every job could be placed. */
export function undatedRow({
  undated,
  time_unknown: unknown,
}: UndatedFacts): readonly [label: string, text: string] | undefined {
  if (unknown === 0) return undefined;
  const text = `${counted(unknown, 'question')} whose date is unknown`;
  if (undated !== null) return [`${undated}d`, text];
  const advice = `--undated include takes ${agreeing(unknown, 'it', 'them')} in; until that or --undated exclude is given, the exit code is 3`;
  return ['left out', `${text}; ${advice}`];
}

/** The status of such a job among the gaps of a report or a pack. */
const UNDATED_STATUS = 'undated';

/** Why it is there, and whether somebody decided that. */
export function undatedGap(undated: Undated | null | undefined) {
  const reason =
    undated === 'exclude'
      ? `${UNKNOWN_DATE}; left out by decision (--undated exclude)`
      : `${UNKNOWN_DATE}, so it was left out`;
  return { status: UNDATED_STATUS, reason } as const;
}
