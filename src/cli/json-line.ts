/** Formats the line of `--json`: control characters are escaped, signatures of URLs masked. */
import { maskedJson } from '../model/mask-secrets.js';
import { visibleJson } from './output/visible.js';

/** The value as JSON and a line end; integers of 64 bits as numbers. */
export function jsonLine(value: unknown): string {
  return `${jsonText(value)}\n`;
}

/** The same line in pieces, none longer than an element of a list of objects: one may have 64 MB. */
export function* jsonPieces(value: object): Generator<string> {
  yield* piecesOf(value);
  yield '\n';
}

function* piecesOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, one] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOf(one);
    }
    yield ']';
    return;
  }
  if (!isOfLists(value)) {
    yield jsonText(value);
    return;
  }
  let sign = '{';
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined) continue;
    yield `${sign}${JSON.stringify(key)}:`;
    yield* piecesOf(one);
    sign = ',';
  }
  yield '}';
}

function isOfLists(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.values(value).some(Array.isArray);
}

function jsonText(value: unknown): string {
  return visibleJson(maskedJson(JSON.stringify(value, plainNumber)));
}

function plainNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
