/** Finds the parts of a JSON text, so that they can be kept verbatim: with digits beyond 2^53, white space and key order. The text must have passed `parseJson` before. */
import { parseJson, parseString, skipString } from '../base/text/parse-json.js';
import { type JsonNode, outlineOf, memberOf } from './json-outline.js';

/** Offsets into the text: `start` inclusive, `end` exclusive. */
export type Span = Pick<JsonNode, 'start' | 'end'>;

/** The members of the object that starts at `start`; of a repeated key the last one, as in JSON.parse. */
export function objectMembers(text: string, start = 0): Map<string, Span> {
  const { members = [] } = outlineOf(text, 1, start).root;
  return new Map(members.map(({ key, node }) => [key, node]));
}

/** The span of the value at a path of keys and indexes, or `undefined` if there is none. */
export function spanAt(text: string, path: readonly (string | number)[]): Span | undefined {
  let node: JsonNode | undefined = outlineOf(text, path.length).root;
  for (const step of path) {
    node = typeof step === 'string' ? memberOf(node, step) : node?.elements?.[step];
  }
  return node;
}

/** The JSON text of an object without the named members, or null if no member remains. */
export function textWithout(text: string, known: ReadonlySet<string>): string | null {
  const rest = [...objectMembers(text)].filter(([key]) => !known.has(key));
  if (rest.length === 0) return null;
  return `{${rest.map(([key, { start, end }]) => `${JSON.stringify(key)}:${text.slice(start, end)}`).join(',')}}`;
}

/** Whether objects and arrays are nested more than `limit` levels deep. */
export function nestsDeeper(text: string, limit: number): boolean {
  return outlineOf(text, 0).deepest > limit;
}

const MAY_BE_JSON = /^\s*[[{]/;
/** JSON in texts is parsed down to this depth. */
const DEEPEST_JSON = 200;

/** An object or a list that is sent as a text; undefined where the text is neither. */
export function objectOrListIn(text: string): object | undefined {
  if (!MAY_BE_JSON.test(text)) return undefined;
  try {
    const value = parseJson(text) as object;
    return nestsDeeper(text, DEEPEST_JSON) ? undefined : value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const STRUCTURE = /["[\]{},]/g;

/** Where a character stands, as people write it: `answer.blocks[0].content`; empty for the value itself. @param text valid JSON */
export function pathAt(text: string, at: number): string {
  const open: { key: string | number }[] = [];
  STRUCTURE.lastIndex = 0;
  for (let match = STRUCTURE.exec(text); match && match.index < at; match = STRUCTURE.exec(text)) {
    const [sign] = match;
    const inside = open.at(-1);
    if (sign === '{') open.push({ key: '' });
    else if (sign === '[') open.push({ key: 0 });
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === ',') {
      if (inside && typeof inside.key === 'number') inside.key++;
    } else {
      const end = skipString(text, match.index);
      const isKey = /^\s*:/.test(text.slice(end, end + 100));
      if (inside && isKey) inside.key = parseString(text.slice(match.index, end));
      STRUCTURE.lastIndex = end;
    }
  }
  return open
    .map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}
