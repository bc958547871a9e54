/**
 * Which texts have a word, as SQL. A pattern reads every byte of a text, and takes longer than anything else
 * in a search. DuckDB's `contains` is many times as fast, so it decides first where a letter of the word can
 * be written in few ways: Japanese, Chinese, Thai, Cyrillic, Hebrew and some Arabic letters.
 */
import { sqlText } from '../query/result-columns.js';
import { foldTable } from './fold-table.js';
import { foldedText, type SearchTerm } from './parse-words.js';
import { termPattern } from './term-pattern.js';

/** Beyond it one pattern for all words is slower than one for each: RE2 runs out of room for its states. */
export const MAX_JOINT_PATTERN = 200_000;
/** With more ways to write a letter the pattern is as fast. */
const MAX_WAYS = 8;
/** Syllables may be written in pieces, and pieces become syllables. */
const HANGUL = /[\u1100-\u11ff\uac00-\ud7a3]/;

export interface TermCondition {
  readonly pattern: string;
  /** A text with none of these characters does not have the word; undefined where there would be too many. */
  readonly needed: readonly string[] | undefined;
}

/** @throws {UsageError} the word is too long */
export function termCondition(term: SearchTerm): TermCondition {
  return { pattern: termPattern(term), needed: neededCharacters(term.text) };
}

/** Whether the text of a column has one of the words: one pass for all of them, since most texts have none. */
export function hasAny(column: string, conditions: readonly TermCondition[]): string {
  const patterns = conditions.map(({ pattern }) => pattern);
  const joint = patterns.join('|');
  const matches = anyOf(
    (joint.length <= MAX_JOINT_PATTERN ? [joint] : patterns).map(
      (pattern) => `regexp_matches(${column}, ${sqlText(pattern)})`,
    ),
  );
  if (!conditions.every(({ needed }) => needed)) return matches;
  const needed = new Set(conditions.flatMap((one) => one.needed ?? []));
  const isPossible = anyOf([...needed].map((one) => `contains(${column}, ${sqlText(one)})`));
  // not AND: DuckDB would put the pattern first
  return `CASE WHEN ${isPossible} THEN ${matches} ELSE false END`;
}

function anyOf(conditions: readonly string[]): string {
  return `(${conditions.join(' OR ')})`;
}

/** Of the letter of a folded word that can be written in the fewest ways: all of these. */
function neededCharacters(word: string): string[] | undefined {
  let fewest: string[] | undefined;
  for (const letter of new Set(word)) {
    if (letter === ' ' || HANGUL.test(letter)) continue;
    const ways = waysToWrite(letter);
    if (ways.length < (fewest?.length ?? MAX_WAYS + 1)) fewest = ways;
  }
  return fewest;
}

function waysToWrite(letter: string): string[] {
  const { sources, clusters } = foldTable();
  const points = [...(sources.get(letter) ?? [])];
  for (const [folded, some] of clusters) if (folded.includes(letter)) points.push(...some);
  const ways = points.map((point) => String.fromCodePoint(point));
  return foldedText(letter) === letter ? [letter, ...ways] : ways;
}
