/**
 * A word of a search as a regular expression (RE2) over texts as they are archived: it matches where
 * `placeOfTerm` finds the word in the folded text. So no second, folded copy of the texts is kept anywhere.
 */
import { UsageError } from '../base/usage-error.js';
import { foldedText } from './fold-text.js';
import { isInWord } from './find-words.js';
import type { SearchTerm } from './parse-words.js';

/** Beyond it RE2 takes too long to read the pattern. */
const MAX_PATTERN = 500_000;
/** Beyond it Unicode has nothing that folds to something else. */
const LAST_FOLDED = 0x2fa1f;
const FIRST_TAG = 0xe0000;
const LAST_TAG = 0xe0fff;

interface FoldTable {
  /** Code points by what they fold to. */
  readonly sources: ReadonlyMap<string, readonly number[]>;
  /** Those of them that fold to several characters. */
  readonly clusters: ReadonlyMap<string, readonly number[]>;
  /** Any number of characters that fold to nothing. */
  readonly skipped: string;
  /** One character after which a word may begin, and before which it may end. */
  readonly edge: string;
}

/** @throws {UsageError} the word is too long */
export function termPattern({ text, isPhrase }: SearchTerm): string {
  const table = foldTable();
  const term = Array.from(text);
  const pattern = new TermPattern(term, isPhrase, table).build();
  if (pattern.length <= MAX_PATTERN) return pattern;
  // a long number has thousands of ways through characters such as ⑪: it is looked for digit by digit
  const plain = new TermPattern(term, isPhrase, { ...table, clusters: new Map() }).build();
  if (plain.length <= MAX_PATTERN) return plain;
  throw new UsageError(`a search cannot have words as long as "${text.slice(0, 20)}…"`);
}

/** A way over one or more characters of the term, by one character of the text. */
interface Step {
  readonly to: number;
  readonly points: number[];
  /** The character of the text has more in it than the term asks for. */
  readonly isBeyond: boolean;
}

class TermPattern {
  readonly #term: readonly string[];
  readonly #table: FoldTable;
  readonly #mustBegin: boolean;
  readonly #mustEnd: boolean;
  /** By the place where they begin. */
  readonly #steps: Step[][];
  /** Steps whose character of the text has something before the term. */
  readonly #entries: Step[] = [];

  constructor(term: readonly string[], isPhrase: boolean, table: FoldTable) {
    this.#term = term;
    this.#table = table;
    this.#mustBegin = isInWord(term[0] ?? '');
    this.#mustEnd = isPhrase && isInWord(term.at(-1) ?? '');
    this.#steps = term.map(() => []);
    for (const [key, points] of table.clusters) this.#addSteps(Array.from(key), points);
  }

  build(): string {
    const { skipped, edge } = this.#table;
    const begin = this.#mustBegin ? `(?:\\A|${edge})${skipped}` : '';
    const cuts = this.#cuts();
    let rest = '';
    for (let at = cuts.length - 2; at >= 0; at--) {
      const [from = 0, to = 0] = [cuts[at], cuts[at + 1]];
      const isFirst = from === 0;
      const ways = this.#ways(from, to).map((way) => (isFirst ? begin + way : way));
      const entries = isFirst
        ? this.#entries.map(
            ({ to: next, points, isBeyond }) =>
              classOf(points) + (isBeyond ? '' : skipped + this.#after(next, to)),
          )
        : [];
      rest = alternatives([...ways, ...entries]) + rest;
      if (rest.length > MAX_PATTERN) break;
    }
    return rest;
  }

  #addSteps(key: readonly string[], points: readonly number[]): void {
    const term = this.#term;
    for (let offset = -key.length + 1; offset < term.length; offset++) {
      const [from, to] = [Math.max(0, offset), Math.min(term.length, offset + key.length)];
      let isSame = true;
      for (let at = from; at < to && isSame; at++) isSame = term[at] === key[at - offset];
      if (!isSame) continue;
      const before = key[from - offset - 1];
      const after = key[to - offset];
      if (before !== undefined && this.#mustBegin && isInWord(before)) continue;
      if (after !== undefined && this.#mustEnd && isInWord(after)) continue;
      const steps = before === undefined ? this.#steps[from] : this.#entries;
      const isBeyond = after !== undefined;
      const same = steps?.find((step) => step.to === to && step.isBeyond === isBeyond);
      if (same) same.points.push(...points);
      else steps?.push({ to, points: [...points], isBeyond });
    }
  }

  /** Places that no step leaps over: between two of them everything is independent of the rest. */
  #cuts(): number[] {
    const isOver = (place: number): boolean =>
      this.#entries.some(({ to }) => place < to) ||
      this.#steps.slice(0, place).some((steps) => steps.some(({ to }) => to > place));
    const inside = this.#term
      .map((_, place) => place)
      .filter((place) => place > 0 && !isOver(place));
    return [0, ...inside, this.#term.length];
  }

  /** What must follow the end of the term. */
  get #closing(): string {
    return this.#mustEnd ? `(?:\\z|${this.#table.edge})` : '';
  }

  #after(next: number, to: number): string {
    if (next === this.#term.length) return this.#closing;
    return alternatives(next === to ? [''] : this.#ways(next, to));
  }

  #ways(from: number, to: number): string[] {
    if (from === to) return [''];
    const { skipped, sources } = this.#table;
    const end = this.#term.length;
    const on = (next: number): string =>
      next === end ? skipped + this.#closing : skipped + alternatives(this.#ways(next, to));
    const one = this.#term[from] ?? '';
    const ways = [characterPattern(one, sources.get(one) ?? [], skipped) + on(from + 1)];
    for (const { to: next, points, isBeyond } of this.#steps[from] ?? []) {
      ways.push(classOf(points) + (isBeyond ? '' : on(next)));
      if (ways.join('').length > MAX_PATTERN) break;
    }
    return ways;
  }
}

function characterPattern(one: string, points: readonly number[], skipped: string): string {
  if (one === ' ') return `(?:${classOf(points)}${skipped})+`;
  const pieces = Array.from(one.normalize('NFD'), codePoint);
  const whole = classOf([...points, codePoint(one)]);
  // a Korean syllable may be written in pieces; one without a last consonant is found in those with one, too
  return pieces.length === 1 || !HANGUL.test(one)
    ? whole
    : `(?:${whole}|${pieces.map(escaped).join('')})`;
}

function alternatives(ways: readonly string[]): string {
  return ways.length === 1 ? (ways[0] ?? '') : `(?:${ways.join('|')})`;
}

let table: FoldTable | undefined;

/** Made once, in some hundredths of a second: of the 200,000 characters few fold to something else. */
function foldTable(): FoldTable {
  if (table) return table;
  const sources = new Map<string, number[]>();
  const skipped: number[] = [];
  const inWord: number[] = [];
  for (const point of pointsOfInterest()) {
    const character = String.fromCodePoint(point);
    const folded = mayFold(character) ? foldedText(character) : character;
    if (folded === '') {
      skipped.push(point);
      continue;
    }
    if (isInWord(folded.length === 1 ? folded : (Array.from(folded).at(-1) ?? ''))) {
      inWord.push(point);
    }
    if (folded === character) continue;
    const others = sources.get(folded);
    if (others) others.push(point);
    else sources.set(folded, [point]);
  }
  sources.get(' ')?.push(0x20);
  const clusters = new Map([...sources].filter(([key]) => Array.from(key).length > 1));
  table = {
    sources,
    clusters,
    skipped: `${classOf(skipped)}*`,
    edge: classOf([...inWord, ...skipped], '^'),
  };
  return table;
}

/** A block is judged as one text, since a call for each of its characters takes ten times as long. */
const BLOCK = 64;

/** All but whole blocks of characters that fold to themselves and stand outside of words, such as Chinese ones. */
function* pointsOfInterest(): Generator<number> {
  for (let first = 0; first <= LAST_TAG; first += BLOCK) {
    if (first > LAST_FOLDED && first < FIRST_TAG) first = FIRST_TAG;
    if (first >= 0xd800 && first <= 0xdfff) continue;
    const points = Array.from({ length: BLOCK }, (_, at) => first + at);
    const text = String.fromCodePoint(...points);
    if (mayFold(text) || isInWord(text)) yield* points;
  }
}

const FOLDING = /[\p{CWKCF}\p{LC}\p{M}\p{Cc}\p{Cf}\u0640\s]/u;
const HANGUL = /[\uac00-\ud7a3]/;

/** Whether one of the characters may, which is quicker to tell than what it folds to. */
function mayFold(characters: string): boolean {
  if (FOLDING.test(characters)) return true;
  // a Korean syllable is taken apart by NFKD, and folds to itself
  return !HANGUL.test(characters) && characters.normalize('NFKD') !== characters;
}

/** @param negation `^` for every other character */
function classOf(points: readonly number[], negation: '' | '^' = ''): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const point of Uint32Array.from(points).sort()) {
    const range = ranges.at(-1);
    if (range && point <= range.last + 1) range.last = point;
    else ranges.push({ first: point, last: point });
  }
  const inside = ranges.map(({ first, last }) =>
    first === last ? escaped(first) : `${escaped(first)}-${escaped(last)}`,
  );
  return `[${negation}${inside.join('')}]`;
}

function escaped(point: number): string {
  return `\\x{${point.toString(16)}}`;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
