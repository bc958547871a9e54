/** The search that a pack is made of: what was looked for, where, and what was found. */
import { foundText, hitCountText } from '../../search/search-facts.js';
import { searchedText } from '../../search/search-fields.js';
import type { PackSearchStatement } from '../search-statement.js';

export function searchSection(search: PackSearchStatement): string {
  const { match, from, to, commit, total, searched, searched_in: fields } = search;
  return `
THE SEARCH

  words           ${match ?? '(any)'}${fields === null ? '' : `\n  looked for in   ${fields.map((field) => searchedText([field])).join(',\n                  ')}`}
  from            ${from ?? '(the beginning)'}
  to              ${to ?? '(the newest)'}${to === null ? '' : '  (a year, month or day as a whole; of a time what is before it; UTC)'}
  in              commit ${commit} of the archive
  questions       ${total}${from === null && to === null ? '' : '  (of the period, or of which nothing tells whether they are)'}
  searched        ${searched}
  found           ${foundText(search)}

${hitsText(search)}
Searched were the newest versions.
${fields === null ? '' : WORDS_FOUND}
search.json says the same for programs.
`;
}

const WORDS_FOUND = `A question counts as having the words in the name of its conversation; "matched_in" in
items.csv says where the words of each question stand. A word is found at the beginning
of a word, one in quotes only as a whole word; in Chinese, Japanese, Thai, Arabic and
Hebrew script anywhere. Capitals and accents make no difference.
`;

function hitsText(search: PackSearchStatement): string {
  const { matches, withheld, total, from, to } = search;
  if (matches > 0) {
    const all =
      matches === 1 ? 'The one question found' : `Every one of the ${matches} questions found`;
    const found = withheld === 0 ? all : 'Every question found that is not withheld';
    return `${found} is in this pack, and none of the others.`;
  }
  const isEmpty = total === 0 && (from !== null || to !== null);
  return isEmpty ? 'No hits: no question of this period is known.' : `${hitCountText(search)}.`;
}
