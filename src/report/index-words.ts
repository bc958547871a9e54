/** The words of a text in the index, and those that a search looks up. A text that contains a term has all of its words. */
import { nextMatch } from '../base/text/next-match.js';
import { characterLength, isInWord } from '../search/find-words.js';
import { foldedText } from '../search/fold-text.js';
import type { SearchTerm } from '../search/parse-words.js';

const BEGINS = /[\p{L}\p{N}\p{M}\p{S}]/gu;
const BEHIND = /[^\p{L}\p{N}\p{M}]/gu;
const PLAIN = /^[a-z0-9][a-z0-9]*$/;
/** Longer words are cut: what is cut is compared with the text itself. */
const MAX_CHARACTERS = 30;
const PARTITIONS = 64;

export interface LookedUp {
  readonly words: readonly { readonly word: string; readonly isStart: boolean }[];
  /** Whether every job that has these words has the term. */
  readonly isExact: boolean;
}

/** A stretch of a folded text whose words have beginnings (`whole`), or of one in which anything is found. */
interface Stretch {
  readonly characters: readonly string[];
  readonly isWhole: boolean;
  /** Where it ends in the text. */
  readonly end: number;
}

/** Each once. */
export function filedWords(text: string): Set<string> {
  const words = new Set<string>();
  for (const { characters, isWhole } of stretchesOf(foldedText(text))) {
    if (isWhole) {
      words.add(cut(characters));
      continue;
    }
    characters.forEach((one, index) => {
      words.add(one);
      const next = characters[index + 1];
      if (next !== undefined) words.add(one + next);
    });
  }
  return words;
}

export function lookedUp({ text, isPhrase }: SearchTerm): LookedUp {
  const stretches = [...stretchesOf(text)];
  const words = new Map<string, boolean>();
  for (const { characters, isWhole, end } of stretches) {
    if (isWhole) {
      const isCut = characters.length > MAX_CHARACTERS;
      words.set(cut(characters), !isCut && !isPhrase && end === text.length);
    } else if (characters.length === 1) {
      words.set(characters.join(''), false);
    } else {
      characters.slice(1).forEach((one, index) => words.set(`${characters[index]}${one}`, false));
    }
  }
  const [only] = stretches;
  const most = only?.isWhole === true ? MAX_CHARACTERS : 2;
  return {
    words: [...words].map(([word, isStart]) => ({ word, isStart })),
    isExact:
      stretches.length === 1 &&
      only !== undefined &&
      only.characters.length <= most &&
      only.characters.join('') === text,
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

/** Letters, digits and their marks as long as they follow each other; of symbols each one. */
function* runsOf(text: string): Generator<{ readonly run: string; readonly index: number }> {
  let index = nextMatch(BEGINS, text, 0);
  while (index < text.length) {
    const behind = nextMatch(BEHIND, text, index);
    const end = behind > index ? behind : index + characterLength(text, index);
    yield { run: text.slice(index, end), index };
    index = nextMatch(BEGINS, text, end);
  }
}

/** @param text folded */
function* stretchesOf(text: string): Generator<Stretch> {
  for (const { run, index } of runsOf(text)) {
    if (PLAIN.test(run)) {
      yield { characters: run.split(''), isWhole: true, end: index + run.length };
      continue;
    }
    let characters: string[] = [];
    let isWhole = false;
    let end = index;
    for (const one of run) {
      const isOneWhole = isInWord(one);
      if (characters.length > 0 && isOneWhole !== isWhole) {
        yield { characters, isWhole, end };
        characters = [];
      }
      characters.push(one);
      isWhole = isOneWhole;
      end += one.length;
    }
    yield { characters, isWhole, end };
  }
}

function cut(characters: readonly string[]): string {
  return characters.slice(0, MAX_CHARACTERS).join('');
}
