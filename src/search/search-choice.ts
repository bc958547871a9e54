/** Which jobs of an archive a search, or what is made of one, is about: in words, as somebody gives them. */
import { UsageError } from '../base/usage-error.js';
import { PERIOD_TEXTS, parseFrom, parseTo } from '../model/period.js';
import type { Undated } from './search-facts.js';
import { searchedText, type SearchField } from './search-fields.js';

/** Which jobs are meant; all where nothing is given. */
export interface SearchChoice {
  /** Phrases in quotes, `-` before what must not be there, `OR` between alternatives. Default: every job. */
  readonly match?: string | undefined;
  /** A year, month, day or time (UTC): what was asked before it is left out. */
  readonly from?: string | undefined;
  /** Likewise, the last that is not left out: a day counts to its end, a time is the first one beyond. */
  readonly to?: string | undefined;
  /** Where words are looked for. Default: everywhere. */
  readonly in?: readonly SearchField[] | undefined;
  /** Jobs of which nothing tells whether they are in the period. Default: left out, and what is made is not complete. */
  readonly undated?: Undated | undefined;
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

/** @throws {UsageError} a choice without what it is about */
export function assertOfUse({ match, from, to, undated, ...choice }: SearchChoice): void {
  if (choice.in !== undefined && match === undefined) {
    throw new UsageError('--in says where words are looked for; give --match');
  }
  if (undated !== undefined && from === undefined && to === undefined) {
    throw new UsageError('--undated is about jobs that a period cannot judge; give --from or --to');
  }
}

/** @throws {UsageError} a text that is no day, or a period that ends before it begins */
export function periodOf({
  from,
  to,
}: Pick<SearchChoice, 'from' | 'to'>): [bigint | undefined, bigint | undefined] {
  const begin = from === undefined ? undefined : (parseFrom(from) ?? refuse('from', from));
  const end = to === undefined ? undefined : (parseTo(to) ?? refuse('to', to));
  if (begin !== undefined && end !== undefined && begin >= end) {
    throw new UsageError(`the period from ${from ?? ''} to ${to ?? ''} ends before it begins`);
  }
  return [begin, end];
}

function refuse(name: string, given: string): never {
  throw new UsageError(`${name} is ${JSON.stringify(given)}; allowed is ${PERIOD_TEXTS}`);
}
