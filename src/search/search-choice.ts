/** Which jobs of an archive a search, or what is made of one, is about: in words, as somebody gives them. */
import { UsageError } from '../base/error.js';
import { counted } from '../base/text/counted.js';
import { UNKNOWN_DATE } from '../archive/reading/caveat.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { RequestRecord } from '../archive/log/notes.js';
import type { Undated } from '../archive/reading/chosen-jobs.js';
import { parsedScope, type GivenPeriod } from '../archive/reading/selection.js';
import { SEARCH_FIELDS, searchedText, type SearchField } from './search-fields.js';

/** Which jobs are meant; all where nothing is given. */
export interface SearchChoice extends GivenPeriod {
  /** Phrases in quotes, `-` before what must not be there, `OR` between alternatives. Default: every job. */
  readonly match?: string | undefined;
  /** Where words are looked for. Default: everywhere. */
  readonly in?: readonly SearchField[] | undefined;
}

/** `with “net revenue” from 2026-01 to 2026-03`; empty where nothing is chosen. */
export function choiceText({ match, from, to, ...choice }: SearchChoice): string {
  return [
    match === undefined ? '' : `with “${match}”`,
    choice.in === undefined ? '' : `in ${searchedText(choice.in)}`,
    from === undefined ? '' : `from ${from}`,
    to === undefined ? '' : `to ${to}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

type ChoiceKey = 'match' | 'in' | 'from' | 'to';

/** `ada, ben: jobs with “x” from 2026-01`: what a request is about. */
export function aboutRequest(request: Pick<RequestRecord, 'users' | ChoiceKey>): string {
  const users = request.users.length === 0 ? 'everybody' : request.users.join(', ');
  const chosen = chosenFor(request);
  return chosen === '' ? users : `${users}: jobs ${chosen}`;
}

/** Its words and period, or those of a search that was made for it. */
export function chosenFor({ match, from, to, ...rest }: Pick<RequestRecord, ChoiceKey>): string {
  const fields = rest.in && SEARCH_FIELDS.filter((field) => rest.in?.includes(field));
  const period = { from: from ?? undefined, to: to ?? undefined };
  return choiceText({ match: match ?? undefined, in: fields ?? undefined, ...period });
}

/** @throws {UsageError} a choice without what it is about, or a period that is none */
export function assertOfUse({ match, ...choice }: SearchChoice): void {
  if (choice.in !== undefined && match === undefined) {
    throw new UsageError('--in says where words are looked for; give --match');
  }
  parsedScope(choice);
}

/** What a search says of itself beside its hits. Reports, workbooks and packs of a search say the same. */

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
 * what became of the others.
 */
export function hitCountText({
  total,
  searched,
  matches,
}: Pick<SearchCounts, 'total' | 'searched' | 'matches'>): string {
  const jobs =
    searched === total
      ? counted(total, 'question')
      : `${searched} of ${counted(total, 'question')}`;
  return `${counted(matches, 'hit')} in ${jobs}`;
}

type UndatedFacts = Pick<SearchFacts, 'undated' | 'time_unknown'>;

/** How many jobs were left out though nobody has said that they may be; 0 without a search. */
export function leftOutOf(facts: UndatedFacts | null | undefined): number {
  return facts?.undated === null ? facts.time_unknown : 0;
}

/** `left out: 3 jobs whose date is unknown`; null where every job could be placed. */
export function undatedText({ undated, time_unknown: unknown }: UndatedFacts): string | null {
  if (unknown === 0) return null;
  const what = undated === null ? 'left out' : `${undated}d`;
  const jobs = unknown === 1 ? '1 job' : `${unknown} jobs`;
  return `${what}: ${jobs} whose date is unknown`;
}

/** The same for who runs the command, and what the flag would do. */
export function undatedAdvice(facts: UndatedFacts): string | null {
  const text = undatedText(facts);
  if (text === null || facts.undated !== null) return text;
  const them = facts.time_unknown === 1 ? 'it' : 'them';
  return `${text}; --undated include takes ${them} in; until that or --undated exclude is given, the exit code is 3`;
}

/** Of such a job among the gaps of a report or a pack. */
export const UNDATED_STATUS = 'undated';

/** Why it is there, and whether somebody decided that. */
export function undatedGap(undated: Undated | null | undefined) {
  const reason =
    undated === 'exclude'
      ? `${UNKNOWN_DATE}; excluded by decision (--undated exclude)`
      : `${UNKNOWN_DATE}, so it was left out`;
  return { status: UNDATED_STATUS, reason } as const;
}

/** Where a search looks, in words, and what it does not look at. Every output that searches says so from here. */

/** What no search looks at. */
const NEVER = [
  'what is in images and in linked files',
  'titles of steps on the way to an answer',
  'ids',
  'data of other parts such as tasks',
];

/** Of which fields a pseudonymised copy has nothing, whatever the words. */
function absentIn(copy: Pseudonymised): readonly SearchField[] {
  if (!copy) return [];
  return copy.texts === 'kept' ? ['table', 'name'] : SEARCH_FIELDS;
}

type Pseudonymised = ArchiveIdentity['pseudonymised'];

/** Where a search of an archive looks. Nowhere: nothing can be found, and that says nothing about the words. */
export function fieldsIn(
  copy: Pseudonymised,
  chosen: readonly SearchField[] = SEARCH_FIELDS,
): readonly SearchField[] {
  const absent = absentIn(copy);
  return chosen.filter((field) => !absent.includes(field));
}

/** Whether a search looked nowhere. */
export function isNothingSearched({
  searched_in: fields,
}: Pick<SearchFacts, 'searched_in'>): boolean {
  return fields?.length === 0;
}

/** `this pseudonymised copy holds no texts`, of a search that looked nowhere. */
export function nothingSearchedText(
  copy: Pseudonymised,
  chosen: readonly SearchField[] = SEARCH_FIELDS,
): string {
  const lacking =
    copy?.texts === 'kept' ? `does not hold ${searchedText(chosen)}` : 'holds no texts';
  return `this pseudonymised copy ${lacking}`;
}

/** What a search for words does not look at. @param fields where it looks */
export function notSearchedText(fields: readonly SearchField[], copy?: Pseudonymised): string {
  const absent = absentIn(copy);
  const others = SEARCH_FIELDS.filter((field) => !fields.includes(field));
  return [
    ...others.map((field) =>
      absent.includes(field)
        ? `${searchedText([field])} (not in this pseudonymised copy)`
        : searchedText([field]),
    ),
    ...NEVER,
  ].join(', ');
}
