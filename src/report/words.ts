/** The words by which a text is found: the same for the index and for what is looked up in it. */

/** Scripts written without spaces: found by their characters, one and two at a time. */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const WORD = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, 'gu');
/** Longer words are cut: keys of thirty letters tell any two apart. */
const MAX_CHARACTERS = 30;
const PARTITIONS = 64;

/** Small letters without accents, full-width ones as plain ones. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** What a text is filed under, each once. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [run] of folded(text).matchAll(WORD)) {
    if (!STARTS_UNSPACED.test(run)) {
      words.add(cut(run));
      continue;
    }
    const characters = Array.from(run);
    characters.forEach((one, index) => {
      words.add(one);
      const next = characters[index + 1];
      if (next !== undefined) words.add(one + next);
    });
  }
  return words;
}

/** What is looked up for a query, each once; `isStart` where longer words count, too. */
export function queryWords(query: string): { readonly word: string; readonly isStart: boolean }[] {
  const words = new Map<string, boolean>();
  for (const [run] of folded(query).matchAll(WORD)) {
    const characters = Array.from(run);
    if (!STARTS_UNSPACED.test(run)) {
      words.set(cut(run), characters.length > 1);
    } else if (characters.length === 1) {
      words.set(run, false);
    } else {
      characters
        .slice(1)
        .forEach((one, index) => words.set((characters[index] ?? '') + one, false));
    }
  }
  return [...words].map(([word, isStart]) => ({ word, isStart }));
}

/** Words that begin with the same two characters share a partition, so that a start finds all its words in one. */
export function partitionOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const character of Array.from(word).slice(0, 2)) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return hash % PARTITIONS;
}

export const partitionCount = PARTITIONS;

function cut(word: string): string {
  return Array.from(word).slice(0, MAX_CHARACTERS).join('');
}
