/** The words of a search as they are typed. */
import { describe, expect, it, test } from 'vitest';
import { hasNoWords, hasOpenQuote, parseWords } from '../../../src/search/parse-words.js';

const word = (text: string) => ({ text, isPhrase: false });
const phrase = (text: string) => ({ text, isPhrase: true });

describe('the words of a search', () => {
  test('are all wanted, folded', () => {
    expect(parseWords('Budget  Übersicht').wanted).toEqual([[word('budget')], [word('ubersicht')]]);
  });

  test('in quotes are one phrase, also in the quotes that word processors make', () => {
    expect(parseWords('"Net  Revenue" „Ende gut“').wanted).toEqual([
      [phrase('net revenue')],
      [phrase('ende gut')],
    ]);
  });

  test('in quotes are the same with blanks inside the quotes', () => {
    expect(parseWords('" net revenue\t"').wanted).toEqual([[phrase('net revenue')]]);
  });

  test('with a minus are unwanted, as a phrase, too', () => {
    expect(parseWords('budget -draft -"for review"')).toEqual({
      wanted: [[word('budget')]],
      unwanted: [word('draft'), phrase('for review')],
    });
  });

  test('around OR are alternatives: it joins the word before and the word after', () => {
    expect(parseWords('budget 2024 OR 2025 OR "next year" plan').wanted).toEqual([
      [word('budget')],
      [word('2024'), word('2025'), phrase('next year')],
      [word('plan')],
    ]);
    expect(parseWords('one two three OR four').wanted).toEqual([
      [word('one')],
      [word('two')],
      [word('three'), word('four')],
    ]);
  });

  test('may be "or" in small letters, and in quotes even OR', () => {
    expect(parseWords('this or "OR"').wanted).toEqual([
      [word('this')],
      [word('or')],
      [phrase('or')],
    ]);
  });

  test('stay as they are around an OR at the beginning or the end', () => {
    expect(parseWords('OR budget OR').wanted).toEqual([[word('budget')]]);
    expect(parseWords('OR -draft').unwanted).toEqual([word('draft')]);
  });

  test('end with the text where a quote is not closed', () => {
    expect(parseWords('plan "net reve').wanted).toEqual([[word('plan')], [phrase('net reve')]]);
  });

  test('are without marks at their ends, and marks alone are no words', () => {
    expect(parseWords('C++ - , "…" well-known (sales) ™ 🎉').wanted).toEqual([
      [word('c + +')],
      [word('well known')],
      [word('sales')],
      [word('🎉')],
    ]);
  });

  test('are none in a text without any', () => {
    for (const text of ['', '  ', '""', '- "', 'OR'])
      expect(hasNoWords(parseWords(text))).toBe(true);
    expect(hasNoWords(parseWords('-draft'))).toBe(false);
    expect(hasNoWords(parseWords('budget'))).toBe(false);
  });
});

it.each(['"net revenue', 'budget "', '"a" "b', '„Ende gut', 'a ＂b'])(
  'a quote is open in %s',
  (source) => {
    expect(hasOpenQuote(source)).toBe(true);
  },
);

it.each(['', 'budget', '"net revenue"', '„Ende gut“', '“net” OR «gross»', '"mixed”', "'single"])(
  'a quote is not open in %s',
  (source) => {
    expect(hasOpenQuote(source)).toBe(false);
  },
);
