/** That a word is found exactly where the folded text has it, whatever the letters, by the database and in JavaScript. */
import fc from 'fast-check';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { matchesWords } from '../../src/search/term-pattern.js';
import { foldedText, isInWord, type SearchTerm } from '../../src/search/parse-words.js';
import { hasAny, termCondition } from '../../src/search/term-condition.js';

/** Few letters, so that words are found often: what folds to one, to several, to none, to a blank. */
const LETTERS = [
  ...['a', 'B', 'f', 'i', 'I', 'm', 's', 'S', '1', '2', '.', '-', ' ', '\n', '_', '(', ')'],
  ...['ä', 'A\u0308', 'ﬁ', 'ﬃ', 'ß', 'İ', 'ı', '㎜', '㎡', '½', '…', '\u00ad', '\u200b', '\u00a0'],
  ...['株', '㈱', '㍿', '式', 'か', 'が', 'ｶ', 'ﾞ', 'カ', 'ー', '한', '국', '\u1112'],
  ...['売', '\u{2f85a}', 'Ж', 'ж', 'ӂ'],
  ...['م', 'مُ', 'ـ', 'لا', 'ﻼ', 'ا', 'ש', 'שׁ', 'क', 'कि', 'σ', 'ς', 'Σ', '🎉', '𝒜', '\u0301'],
];
const text = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 12 })
  .map((letters) => letters.join(''));
const word = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 4 })
  .map((letters) => foldedText(letters.join('')).trim())
  .filter((folded) => /[\p{L}\p{N}\p{S}]/u.test(folded));
const term = fc.record({ text: word, isPhrase: fc.boolean() });

test('the database and JavaScript find a word where the folded text has it, and nowhere else', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await fc.assert(
      fc.asyncProperty(
        term,
        fc.array(text, { minLength: 20, maxLength: 20 }),
        async (one, texts) => {
          const values = texts.map((each) => `(${quoted(each)})`).join(',');
          const sql = `SELECT ${hasAny('t', [termCondition(one)])} FROM (VALUES ${values}) AS of(t)`;
          const rows = (await connection.runAndReadAll(sql)).getRows();
          const expected = texts.map((each) => [hasTerm(one, foldedText(each))]);
          expect({ one, texts, rows }).toEqual({ one, texts, rows: expected });
          const words = { wanted: [[one]], unwanted: [] };
          const found = texts.map((each) => [matchesWords(words, [each])]);
          expect({ one, texts, found }).toEqual({ one, texts, found: expected });
        },
      ),
      {
        numRuns: 60,
        // a character that can be written in two ways, and one that begins before the word and ends with it
        examples: [
          [{ text: '売', isPhrase: false }, ['売', '\u{2f85a}', '買']],
          [{ text: '2', isPhrase: true }, ['½a', '½', '½ a', '2a']],
        ],
      },
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});

function quoted(sql: string): string {
  return `'${sql.replaceAll("'", "''")}'`;
}

/** The rule, said plainly. @param folded a text */
function hasTerm({ text, isPhrase }: SearchTerm, folded: string): boolean {
  const letters = Array.from(text);
  const all = Array.from(folded);
  return all.some((_letter, at) => {
    const end = at + letters.length;
    if (all.slice(at, end).join('') !== text) return false;
    const isInside = isInWord(letters[0] ?? '') && isInWord(all[at - 1] ?? '');
    const isPart = isPhrase && isInWord(letters.at(-1) ?? '') && isInWord(all[end] ?? '');
    return !isInside && !isPart;
  });
}
