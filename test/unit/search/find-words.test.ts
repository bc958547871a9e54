/** Which texts have the words of a search, and where. */
import { describe, expect, test } from 'vitest';
import { foldText } from '../../../src/base/text/fold-text.js';
import { matchesWords, spansOfWords } from '../../../src/search/find-words.js';
import { parseWords } from '../../../src/search/parse-words.js';

const matches = (words: string, ...texts: string[]) =>
  matchesWords(parseWords(words), texts.map(foldText));

describe('a job is found', () => {
  test('where a word begins with what is looked for, and not in the middle of one', () => {
    expect(matches('invoice', 'All Invoices of May')).toBe(true);
    expect(matches('voice', 'All Invoices of May')).toBe(false);
    expect(matches('id', 'order_id, user-id')).toBe(true);
    expect(matches('ana', 'banana, then Ana')).toBe(true);
  });

  test('by a word in quotes only as a whole', () => {
    expect(matches('"ana"', 'the analysis')).toBe(false);
    expect(matches('"ana"', 'Dear Ana, hello')).toBe(true);
  });

  test('by a phrase where the words follow each other, over a line end, too', () => {
    expect(matches('"net revenue"', 'our net\n  revenue grew')).toBe(true);
    expect(matches('"net revenue"', 'revenue, net')).toBe(false);
    expect(matches('"net revenue"', 'net', 'revenue')).toBe(false);
  });

  test('when each wanted word is in any of its texts', () => {
    expect(matches('budget berlin', 'the budget', 'of Berlin')).toBe(true);
    expect(matches('budget berlin', 'the budget', 'of Rome')).toBe(false);
    expect(matches('budget rome OR berlin', 'the budget', 'of Rome')).toBe(true);
  });

  test('only when no unwanted word is in any of its texts', () => {
    expect(matches('budget -draft', 'the budget', 'a draft')).toBe(false);
    expect(matches('-draft', 'the budget')).toBe(true);
  });

  test.each([
    ['Japanese', '売上', '先月の売上高を見せて'],
    ['Chinese', '收入', '净收入是多少'],
    ['Thai', 'รายได้', 'ดูรายได้รวม'],
    ['Arabic with its article', 'مبيعات', 'أرني المبيعات'],
    ['Hebrew with its article', 'מכירות', 'המכירות של מאי'],
    ['Latin beside Japanese', 'excel', '売上Excelファイル'],
    ['Korean with its particle', '매출', '매출을 보여줘'],
    ['Devanagari', 'बिक्री', 'कुल बिक्री'],
  ])('in %s', (_script, words, text) => {
    expect(matches(words, text)).toBe(true);
    expect(matches(`"${words}x"`, text)).toBe(false);
  });

  test('by signs where they stand', () => {
    expect(matches('c++', 'learn C++17')).toBe(true);
    expect(matches('🎉', 'done🎉')).toBe(true);
    expect(matches('𝒜', 'xa')).toBe(false);
  });
});

test.each([
  ['at the beginning of a word', 'fix', 'ﬁx', true],
  ['in the middle of one', 'office', 'oﬃce', true],
  ['at the end of one', '"off"', 'oﬀ', true],
  ['with the next one written out', 'office', 'oﬀice', true],
  ['of which the word has the beginning', 'k', 'a ㎏', true],
  ['of which it has the end, where a word begins', '2', 'x½', true],
  ['which is inside a word', 'fix', 'xﬁx', false],
  ['of which it has the end, inside a word', 'i', 'ﬁ', false],
  ['of which it has the beginning, and the word goes on in it', '"f"', 'ﬁ', false],
])(
  'a character that is several of the folded text is found %s: %s in %s: %s',
  (_where, words, text, isThere) => {
    expect(matches(words, text)).toBe(isThere);
  },
);

test('A Korean word is found in the pieces of its syllables, too', () => {
  const pieces = '한국어'.normalize('NFD');
  expect(matches('한국', pieces)).toBe(true);
  expect(matches('국한', pieces)).toBe(false);
});

const marked = (words: string, text: string) =>
  spansOfWords(parseWords(words), text).map(({ start, end }) => text.slice(start, end));

test('what was found is marked in the text as it was written', () => {
  expect(marked('zurich "ende gut"', 'ZU\u0308RICH: Ende  gut, Zürich')).toEqual([
    'ZU\u0308RICH',
    'Ende  gut',
    'Zürich',
  ]);
  expect(marked('fin', 'ﬁnance')).toEqual(['ﬁn']);
  expect(marked('f', 'ﬁ')).toEqual(['ﬁ']);
  expect(marked('売上', '売上と売上')).toEqual(['売上', '売上']);
});

test('a finding is marked once where words lie over each other, never an unwanted word', () => {
  for (const words of ['invoice inv -all', 'inv invoice']) {
    expect(marked(words, 'all invoices')).toEqual(['invoice']);
  }
});
