/** The words of a text in the index, and those that a search looks up. A text that contains a term has all of its words. */
import { foldedText, isInWord, type SearchTerm } from '../search/parse-words.js';

const LETTER = /[\p{L}\p{N}\p{M}]/u;
const SYMBOL = /\p{S}/u;
/** Longer words are cut: what is cut is compared with the text itself. */
const MAX_CHARACTERS = 30;
const PARTITIONS = 64;

export interface LookedUp {
  readonly words: readonly { readonly word: string; readonly isStart: boolean }[];
  /** Whether every job that has these words has the term. */
  readonly isExact: boolean;
}

/** Each once. */
export function filedWords(text: string): Set<string> {
  const words = new Set<string>();
  const folded = foldedText(text);
  eachStretch(folded, (start, end, isWhole) => {
    if (isWhole) {
      words.add(cut(folded.slice(start, end)));
      return;
    }
    let before = '';
    for (const one of folded.slice(start, end)) {
      if (before !== '') words.add(before + one);
      words.add(one);
      before = one;
    }
  });
  return words;
}

export function lookedUp({ text, isPhrase }: SearchTerm): LookedUp {
  const words = new Map<string, boolean>();
  /** Of each stretch, whether it is the whole term and nothing of it is cut. */
  const exact: boolean[] = [];
  eachStretch(text, (start, end, isWhole) => {
    const stretch = text.slice(start, end);
    const characters = Array.from(stretch);
    exact.push(stretch === text && characters.length <= (isWhole ? MAX_CHARACTERS : 2));
    if (isWhole) {
      const isCut = characters.length > MAX_CHARACTERS;
      words.set(cut(stretch), !isCut && !isPhrase && end === text.length);
    } else if (characters.length === 1) {
      words.set(stretch, false);
    } else {
      characters.slice(1).forEach((one, index) => words.set(`${characters[index]}${one}`, false));
    }
  });
  return {
    words: [...words].map(([word, isStart]) => ({ word, isStart })),
    isExact: exact.length === 1 && exact[0] === true,
  };
}

/** Words that begin with the same two characters share a partition, so that a start finds all its words in one. */
export function indexPartitionOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const character of Array.from(word).slice(0, 2)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash % PARTITIONS;
}

export const partitionCount = PARTITIONS;

/** What a character is to the index; 0: not looked up yet. */
const IS = { separator: 1, ofWord: 2, anywhere: 3, symbol: 4 } as const;
/** By code point. */
const kinds = new Uint8Array(0x11_0000);

/**
 * In order: letters, digits and their marks as long as they follow each other and all have words with beginnings
 * (`isWhole`), or none; of symbols each one. One pass over the code points: a pattern at a time took half of a report.
 *
 * @param text folded
 */
function eachStretch(
  text: string,
  take: (start: number, end: number, isWhole: boolean) => void,
): void {
  let start = -1;
  let kind = 0;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const end = at + (code > 0xffff ? 2 : 1);
    const is = kinds[code] || lookUp(code);
    if (start >= 0 && is !== kind) {
      take(start, at, kind === IS.ofWord);
      start = -1;
    }
    if (is === IS.symbol) {
      take(at, end, false);
    } else if (is !== IS.separator && start < 0) {
      start = at;
      kind = is;
    }
    at = end;
  }
  if (start >= 0) take(start, text.length, kind === IS.ofWord);
}

function lookUp(code: number): number {
  const kind = kindOf(String.fromCodePoint(code));
  kinds[code] = kind;
  return kind;
}

function kindOf(character: string): number {
  if (isInWord(character)) return IS.ofWord;
  if (LETTER.test(character)) return IS.anywhere;
  return SYMBOL.test(character) ? IS.symbol : IS.separator;
}

function cut(word: string): string {
  return word.length <= MAX_CHARACTERS
    ? word
    : Array.from(word.slice(0, 2 * MAX_CHARACTERS))
        .slice(0, MAX_CHARACTERS)
        .join('');
}
