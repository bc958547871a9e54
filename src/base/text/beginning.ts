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

/** The whole text in pieces of at most `most` characters; no surrogate pair is split. */
export function* piecesOf(text: string, most = SHOWN_CHARACTERS): Generator<string> {
  for (let start = 0; start < text.length;) {
    const piece = beginningOf(text.slice(start, start + most + 1), most);
    yield piece;
    start += piece.length;
  }
}

/** Of a list, its first elements, as a valid list; of any other JSON text, the beginning. Reads no further than that. */
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
