/** The words of a folded text in the index, and those that a search looks up. A text that contains a term has all of its words. */
import { beginsAnywhere } from '../../base/text/fold-text.js';
import type { SearchTerm } from '../../search/parse-words.js';

/** What joins two words is in no index: what has it is compared with the text itself. */
const INDEXED = /[\p{L}\p{N}\p{M}\p{S}]/u;
/** Longer words are cut: what is cut is compared with the text itself. */
const MAX_CHARACTERS = 30;
const PARTITIONS = 64;

export interface LookedUp {
  readonly words: readonly { readonly word: string; readonly isStart: boolean }[];
  /** Whether every job that has these words has the term. */
  readonly isExact: boolean;
}

/** Each once. @param folded a text as `foldText` gives it, or several */
export function filedWords(folded: string): Set<string> {
  const words = new Set<string>();
  for (const word of folded.split(' ')) {
    if (!beginsAnywhere(word)) {
      if (INDEXED.test(word)) words.add(cut(word));
      continue;
    }
    let before = '';
    for (const character of word) {
      if (before !== '') words.add(before + character);
      words.add(character);
      before = character;
    }
  }
  return words;
}

export function lookedUp({ text, isPhrase }: SearchTerm): LookedUp {
  const words = new Map<string, boolean>();
  const parts = text.split(' ');
  for (const [at, part] of parts.entries()) {
    const characters = Array.from(part);
    if (!beginsAnywhere(part)) {
      const isStart = !isPhrase && at === parts.length - 1 && characters.length <= MAX_CHARACTERS;
      if (INDEXED.test(part)) words.set(cut(part), isStart);
    } else if (characters.length === 1) {
      words.set(part, false);
    } else {
      characters
        .slice(1)
        .forEach((character, index) => words.set(`${characters[index]}${character}`, false));
    }
  }
  const longest = beginsAnywhere(text) ? 2 : MAX_CHARACTERS;
  const isExact = parts.length === 1 && INDEXED.test(text) && Array.from(text).length <= longest;
  return { words: [...words].map(([word, isStart]) => ({ word, isStart })), isExact };
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

function cut(word: string): string {
  return word.length <= MAX_CHARACTERS
    ? word
    : Array.from(word.slice(0, 2 * MAX_CHARACTERS))
        .slice(0, MAX_CHARACTERS)
        .join('');
}
