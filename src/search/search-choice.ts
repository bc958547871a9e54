/** Which jobs of an archive a search, or what is made of one, is about: in words, as somebody gives them. */
import { UsageError } from '../base/error.js';
import { boundsText } from '../model/created-at.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { RequestRecord } from '../archive/log/notes.js';
import type { LeftOutJob, Undated } from '../archive/reading/chosen-jobs.js';
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

type UndatedFacts = Pick<SearchFacts, 'undated' | 'time_unknown'>;

/** How many jobs were left out though nobody has said that they may be; 0 without a search. */
export function leftOutOf(facts: UndatedFacts | null | undefined): number {
  return facts?.undated === null ? facts.time_unknown : 0;
}

/** How many jobs somebody decided to leave out because their date is unknown. */
export function excludedOf(facts: UndatedFacts | null | undefined): number {
  return facts?.undated === 'exclude' ? facts.time_unknown : 0;
}

/** `2 jobs left out`, `1 job excluded by decision`; null where none is. */
export function withoutText(
  leftOut: number,
  excluded: number,
  counted: (jobs: number) => string = (jobs) => (jobs === 1 ? '1 job' : `${jobs} jobs`),
): string | null {
  const parts = [
    ...(leftOut === 0 ? [] : [`${counted(leftOut)} left out`]),
    ...(excluded === 0 ? [] : [`${counted(excluded)} excluded by decision`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
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

/** `“Terms”, asked after 2026-01-10 12:00 UTC: job j in session s`: people know a conversation by its name and time. */
export function leftOutJobText({ session, sessionName: name, job, ...dates }: LeftOutJob): string {
  const bounds = boundsText(dates.createdAfter, dates.createdBefore);
  const title = name === null || name === '' ? '(no name)' : `“${name}”`;
  const asked = bounds === null ? 'at an unknown time' : `asked ${bounds}`;
  return `${title}, ${asked}: job ${job} in session ${session}`;
}

/** Of such a job among the gaps of a report or a pack. */
export const UNDATED_STATUS = 'undated';

/** Why it is there, and whether somebody decided that. */
export function undatedGap(undated: Undated | null | undefined) {
  const reason =
    undated === 'exclude'
      ? `${UNDATED_MARK}; excluded by decision (--undated exclude)`
      : `${UNDATED_MARK}, so it was left out`;
  return { status: UNDATED_STATUS, reason } as const;
}

/** Of a job that was included all the same. */
export const UNDATED_MARK = 'nothing tells whether it was asked within the period';

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

/** `everything: this pseudonymised copy holds no texts`, of a search that looked nowhere. */
export function nothingSearchedText(
  copy: Pseudonymised,
  chosen: readonly SearchField[] = SEARCH_FIELDS,
): string {
  const lacking =
    copy?.texts === 'kept' ? `does not hold ${searchedText(chosen)}` : 'holds no texts';
  return `everything: this pseudonymised copy ${lacking}`;
}

/** What a search for words does not look at. @param fields where it looks */
export function notSearchedText(
  fields: readonly SearchField[],
  {
    tables_not_searched: without,
    tables_in_part: inPart,
  }: Pick<SearchCounts, 'tables_not_searched' | 'tables_in_part'>,
  copy?: Pseudonymised,
): string {
  const absent = absentIn(copy);
  const others = SEARCH_FIELDS.filter((field) => !fields.includes(field));
  return [
    ...others.map((field) =>
      absent.includes(field)
        ? `${searchedText([field])} (not in this pseudonymised copy)`
        : searchedText([field]),
    ),
    ...(inPart === 0 ? [] : [`what ${tables(inPart)} beyond the first 16 KB`]),
    ...(without === 0 ? [] : [`what ${tables(without)} that the archive does not have as text`]),
    ...NEVER,
  ].join(', ');
}

function tables(count: number): string {
  return `is in ${tablesText(count)}`;
}

/**
 * `2 tables were not searched, 1 table only in its first 16 KB`; null where all were searched to their end, and of a
 * search without words. That nothing of an archive is missing says nothing of them.
 */
export function tablesNotReadText({
  tables_not_searched: without,
  tables_in_part: inPart,
}: Pick<SearchCounts, 'tables_not_searched' | 'tables_in_part'>): string | null {
  const [were, its] = inPart === 1 ? ['was', 'its'] : ['were', 'their'];
  const beginning = `only in ${its} first 16 KB`;
  if (without === 0) {
    return inPart === 0 ? null : `${tablesText(inPart)} ${were} searched ${beginning}`;
  }
  const none = `${tablesText(without)} ${without === 1 ? 'was' : 'were'} not searched`;
  return inPart === 0 ? none : `${none}, ${tablesText(inPart)} ${beginning}`;
}

function tablesText(count: number): string {
  return count === 1 ? '1 table' : `${count} tables`;
}
