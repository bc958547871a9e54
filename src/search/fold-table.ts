/** Which characters fold to which, the other way round: how a letter of a folded text may be written. */
import { foldedText, IN_WORD, isInWord } from './parse-words.js';

export interface FoldTable {
  /** Code points by what they fold to. Those that fold to themselves are not listed. */
  readonly sources: ReadonlyMap<string, readonly number[]>;
  /** Those of them that fold to several characters. */
  readonly clusters: ReadonlyMap<string, readonly number[]>;
  /** Any number of characters that fold to nothing. */
  readonly skipped: string;
  /** One character after which a word may begin, and before which it may end. */
  readonly edge: string;
}

/** Beyond it Unicode has nothing that folds to something else, except for tags. */
const LAST_FOLDED = 0x2fa1f;
const FIRST_TAG = 0xe0000;
const LAST_TAG = 0xe0fff;

let table: FoldTable | undefined;

/** Made once, in some hundredths of a second: of the 200,000 characters few fold to something else. */
export function foldTable(): FoldTable {
  if (table) return table;
  const all = everyCharacter();
  const mayFold = charactersThatMayFold(all);
  const folding = [...mayFold];
  const sources = new Map<string, number[]>();
  const skipped: number[] = [];
  const inWord: number[] = [];
  for (const character of all.match(EACH_IN_WORD) ?? []) {
    if (!mayFold.has(character)) inWord.push(codePoint(character));
  }
  const foldedOnes = foldedText(folding.join(SEPARATOR)).split(SEPARATOR);
  for (const [at, character] of folding.entries()) {
    const point = codePoint(character);
    const folded = foldedOnes[at] ?? '';
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

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** For private use: it folds to itself, and nothing else does. */
const SEPARATOR = '\ue000';
const EACH_IN_WORD = new RegExp(IN_WORD.source, 'gu');

/** In one text, since a call for each of them takes ten times as long. */
function everyCharacter(): string {
  const units = new Uint16Array(2 * (LAST_FOLDED + LAST_TAG - FIRST_TAG));
  let length = 0;
  for (let point = 0; point <= LAST_TAG; point++) {
    if (point === 0xd800) point = 0xe000;
    if (point === LAST_FOLDED + 1) point = FIRST_TAG;
    if (point > 0xffff) units[length++] = 0xd7c0 + (point >> 10);
    units[length++] = point > 0xffff ? 0xdc00 + (point & 0x3ff) : point;
  }
  return new TextDecoder('utf-16le').decode(units.subarray(0, length));
}

const FOLDING = /[\p{CWKCF}\p{LC}\p{M}\p{Cc}\p{Cf}\u0640\s]/gu;
const HANGUL = /[\uac00-\ud7a3]/;
/** Of UTF-16 units; surrogate pairs begin at a multiple of it. */
const PIECE = 64;

function charactersThatMayFold(all: string): ReadonlySet<string> {
  const folding = new Set(all.match(FOLDING));
  for (let at = 0; at < all.length; at += PIECE) {
    const piece = all.slice(at, at + PIECE);
    // a Korean syllable is taken apart by NFKD, and folds to itself
    if (HANGUL.test(piece) || piece.normalize('NFKD') === piece) continue;
    for (const character of piece) {
      if (character.normalize('NFKD') !== character) folding.add(character);
    }
  }
  return folding;
}

/**
 * Characters as a class of a regular expression, in RE2's spelling.
 *
 * @param negation `^` for every other character
 */
export function classOf(points: readonly number[], negation: '' | '^' = ''): string {
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

export function escaped(point: number): string {
  return `\\x{${point.toString(16)}}`;
}
