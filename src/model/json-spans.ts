/**
 * Finds the parts of a JSON text, so that they can be kept verbatim: with digits beyond 2^53, white space and
 * key order. The text must have passed `parseJson` before.
 */
import { memberOf, outlineOf, type JsonNode } from './json-outline.js';

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
