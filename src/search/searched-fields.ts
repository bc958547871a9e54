/** Where a search looks, in words, and what it does not look at. Every output that searches says so from here. */
import type { ArchiveIdentity } from '../archive/identity.js';
import { NEVER_SEARCHED, SEARCH_FIELDS, searchedText, type SearchField } from './search-fields.js';
import type { SearchFacts } from './search-facts.js';

/** The fields of which a pseudonymised copy has nothing, whatever the words. */
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
export function isNothingSearched({ searched_in: fields }: SearchFacts): boolean {
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
    ...NEVER_SEARCHED,
  ].join(', ');
}
