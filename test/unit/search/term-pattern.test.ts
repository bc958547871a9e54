/** Words as regular expressions; that they find what they should is tested with random texts in test/property. */
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { matchesWords, termPattern } from '../../../src/search/term-pattern.js';

test('a long number has a pattern that is read at once, however many characters its digits may stand in', () => {
  expect(termPattern({ text: '4111111111111111', isPhrase: false }).length).toBeLessThan(500_000);
});

test.each([18, 30, 200])('so has one of %i ones, each two of which stand in others', (digits) => {
  const term = { text: '1'.repeat(digits), isPhrase: true };
  expect(termPattern(term).length).toBeLessThan(500_000);
  const words = { wanted: [[term]], unwanted: [] };
  expect(matchesWords(words, [`No. ${term.text}!`])).toBe(true);
  expect(matchesWords(words, [`No. ${term.text}1`])).toBe(false);
});

test('a number that begins many a character has them in few classes, since RE2 is slow to read each', () => {
  expect(termPattern({ text: '10', isPhrase: false }).length).toBeLessThan(60_000);
});

test('a word of hundreds of letters is refused in a sentence', () => {
  const text = 'ab'.repeat(300);
  const pattern = (): string => termPattern({ text, isPhrase: false });
  expect(pattern).toThrow(UsageError);
  expect(pattern).toThrow('a search cannot have words as long as "abababababababababab…"');
});
