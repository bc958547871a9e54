/** The beginning of texts that may be as long as a record: what a page, a sheet or a transcript shows of them. */
import { skipString } from './parse-json.js';

/** About a megabyte. */
export const SHOWN_CHARACTERS = 1_000_000;

/** No surrogate pair is split. */
export function beginningOf(text: string, most = SHOWN_CHARACTERS): string {
  if (text.length <= most) return text;
  const isPair = (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return text.slice(0, isPair ? most - 1 : most);
}

/** The whole text in pieces of at most `SHOWN_CHARACTERS`; no surrogate pair is split. */
export function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const piece = beginningOf(text.slice(start, start + SHOWN_CHARACTERS + 1));
    yield piece;
    start += piece.length;
  }
}

/** The text as UTF-8, a piece of it at a time. */
export function* encodedPieces(text: string): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  for (const piece of piecesOf(text)) yield encoder.encode(piece);
}

/** The first elements of a list, as a valid list; of any other JSON text, the beginning. Reads no further than that. */
export function beginningOfJson(json: string, most = SHOWN_CHARACTERS): string {
  if (json.length <= most) return json;
  const start = json.search(/\S/);
  if (json[start] !== '[') return beginningOf(json, most);
  const end = endOfElements(json, start, most);
  return end === undefined ? '[]' : `${json.slice(start, end)}]`;
}

const STRUCTURE = /["[\]{},]/g;

/** Where the last element ends that is whole within `most` characters. */
function endOfElements(json: string, start: number, most: number): number | undefined {
  let end: number | undefined;
  let depth = 0;
  for (let at = start; at < most;) {
    STRUCTURE.lastIndex = at;
    const found = STRUCTURE.exec(json);
    if (!found || found.index >= most) break;
    at = found.index + 1;
    const [sign] = found;
    if (sign === '"') at = skipString(json, found.index);
    else if (sign === '[' || sign === '{') depth++;
    else if (sign !== ',') depth--;
    else if (depth === 1) end = found.index;
  }
  return end;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for the content and the quoted attributes of HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The known word that a mistyped one was probably meant to be; undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  // a word of two letters is two changes away from any other
  const limit = Math.min(Math.max(2, word.length / 3), word.length - 1);
  return best && best.distance <= limit ? best.candidate : undefined;
}

/** How many names are listed if none is near. */
const LISTED_NAMES = 5;

/** Suggests what an unknown name may have meant: the last clause of a sentence. */
export function didYouMean(kind: string, name: string, known: Iterable<string>): string {
  const names = [...new Set(known)].sort();
  const begun = name.length < 4 ? [] : names.filter((known) => known.startsWith(name));
  const guess = begun.length === 1 ? begun[0] : nearest(name, names);
  if (guess !== undefined) return `did you mean ${JSON.stringify(guess)}?`;
  if (names.length === 0) return `there are no ${kind}s in it`;
  const listed = names.slice(0, LISTED_NAMES).join(', ');
  return `${kind}s in it: ${listed}${names.length > LISTED_NAMES ? ', …' : ''}`;
}

/** Levenshtein's: insertions, deletions and substitutions that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
