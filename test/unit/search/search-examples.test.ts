/** What people look for is found in what they read, and nothing else, as the archive is written and as a page compares. */
import { expect, it } from 'vitest';
import { searchText, textsAsRead } from '../../../src/model/blocks/search-text.js';
import { matchesWords, spansOfWords } from '../../../src/search/find-words.js';
import { parseWords } from '../../../src/search/parse-words.js';
import { SEARCH_EXAMPLES } from '../../support/search/examples.js';

it.each(SEARCH_EXAMPLES)('$sought in $said: $isFound', ({ sought, said, isFound }) => {
  const texts = textsAsRead({ role: 'answer', type: 'MESSAGE', text: said, content: undefined });
  const words = parseWords(sought);
  expect(words.wanted).not.toEqual([]);
  expect(matchesWords(words, [searchText(texts) ?? ''])).toBe(isFound);
  const spans = texts.flatMap((text) => spansOfWords(words, text));
  expect(spans.length > 0).toBe(isFound);
});
