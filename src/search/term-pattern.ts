/**
 * A word of a search as a regular expression over texts as they are written: the one definition of what a
 * search finds. DuckDB runs it over part files, the report's page and excerpts run it in JavaScript.
 * A word is found at the beginning of a word, a phrase as whole words; in scripts whose words are not set
 * apart by blanks, or begin with particles (Arabic, Hebrew), both are found anywhere.
 */
import { UsageError } from '../base/error.js';
import { classOf, escaped, foldTable, type FoldTable } from './fold-table.js';
import { isInWord, type SearchTerm, type SearchWords } from './parse-words.js';

/** Beyond it RE2 takes too long to read the pattern. */
const MAX_PATTERN = 500_000;
const HANGUL = /[\uac00-\ud7a3]/;

/** How the edges of a word are written: RE2 cannot look around, so there its match has a character more. */
interface Edges {
  readonly begin: (edge: string, skipped: string) => string;
  readonly end: (edge: string) => string;
}
const RE2: Edges = {
  begin: (edge, skipped) => `(?:\\A|${edge})${skipped}`,
  end: (edge) => `(?:\\z|${edge})`,
};
const JAVASCRIPT: Edges = {
  begin: (edge, skipped) => `(?<=(?:^|${edge})${skipped})`,
  end: (edge) => `(?=$|${edge})`,
};

/** For DuckDB. @throws {UsageError} the word is too long */
export function termPattern(term: SearchTerm): string {
  return patternOf(term, RE2);
}

/** What it matches is the word as it was written, with its accents. @throws {UsageError} the word is too long */
function termRegExp(term: SearchTerm): RegExp {
  return new RegExp(patternOf(term, JAVASCRIPT).replaceAll('\\x{', '\\u{'), 'gu');
}

function patternOf({ text, isPhrase }: SearchTerm, edges: Edges): string {
  const table = foldTable();
  const term = Array.from(text);
  // a long number has thousands of ways through characters such as ⑪: then it is looked for digit by digit
  for (const each of [table, { ...table, clusters: new Map() }]) {
    const pattern = new TermPattern(term, isPhrase, each, edges).build();
    if (pattern !== undefined) return pattern;
  }
  throw new UsageError(`a search cannot have words as long as "${text.slice(0, 20)}…"`);
}

/** A way over one or more characters of the term, by one character of the text. */
interface Step {
  readonly to: number;
  readonly points: number[];
  /** The character of the text has more in it than the term asks for. */
  readonly isBeyond: boolean;
}

/** The ways to write the rest of the term, by the place where it begins. */
type KnownWays = Map<number, readonly string[]>;

class TermPattern {
  readonly #term: readonly string[];
  readonly #table: FoldTable;
  readonly #edges: Edges;
  readonly #mustBegin: boolean;
  readonly #mustEnd: boolean;
  /** By the place where they begin. */
  readonly #steps: Step[][];
  /** Steps whose character of the text has something before the term. */
  readonly #entries: Step[] = [];

  constructor(term: readonly string[], isPhrase: boolean, table: FoldTable, edges: Edges) {
    this.#term = term;
    this.#table = table;
    this.#edges = edges;
    this.#mustBegin = isInWord(term[0] ?? '');
    this.#mustEnd = isPhrase && isInWord(term.at(-1) ?? '');
    this.#steps = term.map(() => []);
    for (const [key, points] of table.clusters) this.#addSteps(Array.from(key), points);
  }

  /** Undefined if it would be too long. */
  build(): string | undefined {
    const { skipped, edge } = this.#table;
    const begin = this.#mustBegin ? this.#edges.begin(edge, skipped) : '';
    const cuts = this.#cuts();
    let rest = '';
    for (let at = cuts.length - 2; at >= 0; at--) {
      const [from = 0, to = 0] = [cuts[at], cuts[at + 1]];
      const isFirst = from === 0;
      const known = this.#waysBetween(from, to);
      if (!known) return undefined;
      const ways = (known.get(from) ?? []).map((way) => (isFirst ? begin + way : way));
      const entries = isFirst
        ? this.#entries.map(
            ({ to: next, points, isBeyond }) =>
              classOf(points) + (isBeyond ? '' : skipped + this.#after(next, known)),
          )
        : [];
      rest = alternatives([...ways, ...entries]) + rest;
      if (rest.length > MAX_PATTERN) return undefined;
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
    const cuts = [0];
    let reached = furthest(this.#entries);
    for (let place = 1; place < this.#term.length; place++) {
      reached = Math.max(reached, furthest(this.#steps[place - 1] ?? []));
      if (reached <= place) cuts.push(place);
    }
    return [...cuts, this.#term.length];
  }

  /** What must follow the end of the term. */
  get #closing(): string {
    return this.#mustEnd ? this.#edges.end(this.#table.edge) : '';
  }

  #after(next: number, known: KnownWays): string {
    return next === this.#term.length ? this.#closing : alternatives(known.get(next) ?? []);
  }

  /** Between two cuts, from the last place to the first: each is on the way of those before it. Undefined if too long. */
  #waysBetween(from: number, to: number): KnownWays | undefined {
    const { skipped, sources } = this.#table;
    const known: KnownWays = new Map([[to, ['']]]);
    for (let place = to - 1; place >= from; place--) {
      const one = this.#term[place] ?? '';
      const on = (next: number): string => skipped + this.#after(next, known);
      const ways = [
        characterPattern(one, sources.get(one) ?? [], skipped) + on(place + 1),
        ...(this.#steps[place] ?? []).map(
          ({ to: next, points, isBeyond }) => classOf(points) + (isBeyond ? '' : on(next)),
        ),
      ];
      if (ways.reduce((sum, { length }) => sum + length, 0) > MAX_PATTERN) return undefined;
      known.set(place, ways);
    }
    return known;
  }
}

function furthest(steps: readonly Step[]): number {
  return steps.reduce((reached, { to }) => Math.max(reached, to), 0);
}

function characterPattern(one: string, points: readonly number[], skipped: string): string {
  if (one === ' ') return `(?:${classOf(points)}${skipped})+`;
  const whole = classOf([...points, codePoint(one)]);
  if (!HANGUL.test(one)) return whole;
  // a Korean syllable may be written in pieces; one without a last consonant is found in those with one, too
  const pieces = Array.from(one.normalize('NFD'), codePoint);
  return `(?:${whole}|${pieces.map(escaped).join('')})`;
}

function alternatives(ways: readonly string[]): string {
  return ways.length === 1 ? (ways[0] ?? '') : `(?:${ways.join('|')})`;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Where the words of a search stand in a text. The report's page uses it, too: nothing here needs Node. */

/** @param texts those of one job; a term must stand in one of them as a whole */
export function matchesWords({ wanted, unwanted }: SearchWords, texts: readonly string[]): boolean {
  const isThere = (term: SearchTerm): boolean => {
    const pattern = compiled(term);
    return texts.some((text) => text.search(pattern) >= 0);
  };
  return wanted.every((some) => some.some(isThere)) && !unwanted.some(isThere);
}

interface FoundSpan {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Where the wanted words stand in a text as it was written, in order, none over another. */
export function spansOfWords({ wanted }: SearchWords, text: string): FoundSpan[] {
  const spans = wanted.flat().flatMap((term) =>
    Array.from(text.matchAll(compiled(term)), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
    })),
  );
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return spans.filter(({ start, end }) => {
    if (start < done) return false;
    done = end;
    return true;
  });
}

const known = new WeakMap<SearchTerm, RegExp>();

function compiled(term: SearchTerm): RegExp {
  let pattern = known.get(term);
  if (!pattern) known.set(term, (pattern = termRegExp(term)));
  return pattern;
}
