/** Masks the secrets of URLs in rows and JSON: once when they are written, and verbatim columns when they are shown. */
import { parseJson, parseString, skipString } from '../base/text/parse-json.js';
import { SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import { isListShape, shapeOf } from './blocks/block-types.js';
import { withoutValues } from './urls/shown-url.js';
import type { CellValue, Column, Row, TableSchema } from './table-schema.js';
import { withoutSecrets } from './urls/url-secrets.js';

const SOLE_URL = /^\s*https?:\/\/[^\s"<>]*\s*$/i;

/** Changes a text. */
type Clean = (text: string) => string;

/**
 * The text of a column as the archive stores it: masked, except in keys and verbatim columns.
 *
 * @param files addresses of files, as `addressesOf` gives them
 */
export function archivableText(column: Column, text: string, files?: ReadonlySet<string>): string {
  if (column.isKey || column.isVerbatim || column.isMasked) return text;
  if (column.isJson) return maskedJson(text, files && ((part) => withoutSecrets(part, { files })));
  return withoutSecrets(text, files && { files });
}

/** A row of the archive as users see it: verbatim columns are masked, too. */
export function presentableRow<R extends Row>(table: TableSchema, row: R): R {
  const columns = textColumns(table).filter(({ isKey, isVerbatim }) => !isKey && isVerbatim);
  if (columns.length === 0) return row;
  const isOfFiles = !isListShape(shapeOf(textIn(row, 'type')));
  return maskedRow(row, columns, isOfFiles ? withoutBlockSecrets : withoutSecrets);
}

/** Masks secrets in the strings of a JSON text. A text that is not JSON is masked as a whole. */
export function maskedJson(json: string, clean: Clean = withoutSecrets): string {
  return maskedStrings(json, () => clean);
}

/** As `maskedJson`; a member that is named like a file's URL also loses all values of its parameters. */
export function shownJson(json: string): string {
  return maskedStrings(json, (whole, at) => {
    const before = whole.slice(Math.max(0, at - LONGEST_MEMBER), at);
    return FILE_MEMBER.test(before) ? withoutBlockSecrets : withoutSecrets;
  });
}

const FILE_MEMBER = /"(?:[a-z]+_?)?(?:url|src|image)"\s?:\s?$/i;
const LONGEST_MEMBER = 40;

/** Changes the strings of a JSON text; a text that is not JSON as a whole. @param cleanOf by where the string begins */
export function maskedStrings(json: string, cleanOf: (json: string, at: number) => Clean): string {
  const pieces: string[] = [];
  let done = 0;
  try {
    // only what changes is kept: a list of 600,000 sources has millions of strings
    for (let at = json.indexOf('"'), end = 0; at >= 0; at = json.indexOf('"', end)) {
      end = skipString(json, at);
      const literal = json.slice(at, end);
      const masked = maskedLiteral(literal, cleanOf(json, at));
      if (masked === literal) continue;
      pieces.push(json.slice(done, at), masked);
      done = end;
    }
  } catch {
    return cleanOf(json, 0)(json);
  }
  return pieces.join('') + json.slice(done);
}

/** Masks all strings and keys of a JSON value. */
export function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  return parseJson(maskedJson(JSON.stringify(value)));
}

/** A text in a block's JSON that is a URL as a whole leads to a file, or may. */
function withoutBlockSecrets(text: string): string {
  return withoutSecrets(SOLE_URL.test(text) ? withoutValues(text) : text);
}

function maskedLiteral(literal: string, clean: Clean): string {
  if (clean === withoutSecrets || clean === withoutBlockSecrets) {
    const pieces = piecesOfLiteral(literal);
    if (pieces.length > 1) return maskedPieces(literal, pieces);
  }
  const text = parseString(literal);
  const masked = clean(text);
  return masked === text ? literal : JSON.stringify(masked);
}

/** The text of the literal is never in memory as a whole, beside it. */
function maskedPieces(literal: string, pieces: readonly string[]): string {
  const masked = pieces.map((piece) => {
    // a piece may be a URL and nothing else, and the whole is more
    const after = maskedLiteral(`"${piece}"`, withoutSecrets).slice(1, -1);
    return after === piece ? piece : after;
  });
  return masked.every((piece, at) => piece === pieces[at]) ? literal : `"${masked.join('')}"`;
}

/** What may stand between an image's description and its URL; and any character, in an escape. */
const MAY_BE_DESCRIBED = /\]\(|\\u/;
/** More than the description of an image that is looked at, each character with a backslash. */
const DESCRIPTION = 1100;

/**
 * What is between the quotes of a JSON string, cut into about a megabyte each at line ends, which no secret spans: only
 * the description of an image does. In one piece where it has no such place.
 */
function piecesOfLiteral(literal: string): string[] {
  const pieces: string[] = [];
  const end = literal.length - 1;
  let start = 1;
  for (let at = start + SHOWN_CHARACTERS; at < end;) {
    const newline = literal.indexOf('\\n', at);
    const cut = newline + 2;
    if (newline < 0 || cut >= end) break;
    at = cut;
    if (!isEscape(literal, newline)) continue;
    if (MAY_BE_DESCRIBED.test(literal.slice(cut, cut + DESCRIPTION))) continue;
    pieces.push(literal.slice(start, cut));
    start = cut;
    at = start + SHOWN_CHARACTERS;
  }
  pieces.push(literal.slice(start, end));
  return pieces.every((piece) => /[^\s\\nrt]/.test(piece)) ? pieces : [literal.slice(1, -1)];
}

/** Whether the backslash is none that another one escapes. */
function isEscape(literal: string, backslash: number): boolean {
  let before = backslash;
  while (literal[before - 1] === '\\') before--;
  return (backslash - before) % 2 === 0;
}

function maskedRow<R extends Row>(row: R, columns: readonly Column[], clean: Clean): R {
  let masked: Record<string, CellValue> | undefined;
  for (const column of columns) {
    const { name } = column;
    const cell = row[name];
    if (typeof cell !== 'string') continue;
    const text = column.isJson ? maskedJson(cell, clean) : clean(cell);
    if (text !== cell) masked = { ...masked, [name]: text };
  }
  return masked ? { ...row, ...masked } : row;
}

const texts = new WeakMap<TableSchema, readonly Column[]>();

/** The columns of texts; remembered for each table. */
export function textColumns(table: TableSchema): readonly Column[] {
  let columns = texts.get(table);
  if (!columns) texts.set(table, (columns = table.columns.filter(({ type }) => type === 'string')));
  return columns;
}

/** The text in a field of a record or a cell of a row; null if it is missing or not a text. */
export function textIn(
  fields: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string | null {
  const value = fields?.[name];
  return typeof value === 'string' ? value : null;
}

/** As `textIn`, but empty instead of null. */
export function textOrEmpty(fields: Readonly<Record<string, unknown>>, name: string): string {
  return textIn(fields, name) ?? '';
}
