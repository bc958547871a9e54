/** Which jobs of an archive a search, or what is made of one, is about: in words, as somebody gives them. */
import { UsageError } from '../base/error.js';
import type { RequestRecord, RequestSearch } from '../archive/log/request-history.js';
import { counted } from '../base/text/counted.js';
import { ERASED } from '../model/ids.js';
import { parsedScope, type GivenPeriod } from '../archive/reading/scope.js';
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

/** `ada, ben: questions with “x” from 2026-01`: what a request is about. */
export function aboutRequest(request: RequestRecord): string {
  const { users, sessions } = request;
  const named = [
    ...namedOf(users, 'user', (user) => user),
    ...namedOf(sessions, 'conversation', (session) => `conversation ${session}`),
  ].join(', ');
  const whom = named === '' ? 'everybody' : named;
  const chosen = chosenFor(request);
  return chosen === '' ? whom : `${whom}: questions ${chosen}`;
}

/** Those who were erased have no name any more, and are counted: `ada, 2 erased users`. */
function namedOf(ids: readonly string[], word: string, textOf: (id: string) => string): string[] {
  const known = ids.filter((id) => id !== ERASED);
  const erased = ids.length - known.length;
  return [...known.map(textOf), ...(erased === 0 ? [] : [counted(erased, `erased ${word}`)])];
}

/** Its words and period, or those of a search that was made for it. */
export function chosenFor({ match, from, to, ...rest }: RequestRecord | RequestSearch): string {
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
