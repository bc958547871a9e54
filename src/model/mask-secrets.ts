/** Masks URL signatures in rows. In an archive, only `raw_jobs.record` and `blocks.content_json` contain them. */
import { parseJson, parseString, skipString } from '../base/text/parse-json.js';
import { withoutSecrets } from './signed-url.js';
import type { CellValue, Row, TableSchema } from './table-schema.js';

/** Columns with JSON text. Each string in it is masked separately, because an escape may hide a URL's end. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'content_json',
  'extra_json',
  'keywords',
  'exploration_questions',
]);
/** Columns that keep the service's data verbatim, as proof. */
const VERBATIM_COLUMNS: ReadonlySet<string> = new Set(['record', 'content_json']);

const ARCHIVED = columnsBut(VERBATIM_COLUMNS);
const PRESENTED = columnsBut(new Set());

/** The row as the archive stores it: all texts masked, except in keys and verbatim columns. */
export function archivableRow<R extends Row>(table: TableSchema, row: R): R {
  return maskedRow(row, ARCHIVED(table));
}

/** The row as users see it: all texts masked, except in keys. */
export function presentableRow<R extends Row>(table: TableSchema, row: R): R {
  return maskedRow(row, PRESENTED(table));
}

/** Masks signatures in the strings of a JSON text. A text that is not JSON is masked as a whole. */
export function maskedJson(json: string): string {
  const pieces: string[] = [];
  let done = 0;
  try {
    // only what changes is kept: a list of 600,000 sources has millions of strings
    for (let at = json.indexOf('"'), end = 0; at >= 0; at = json.indexOf('"', end)) {
      end = skipString(json, at);
      const literal = json.slice(at, end);
      const masked = maskedLiteral(literal);
      if (masked === literal) continue;
      pieces.push(json.slice(done, at), masked);
      done = end;
    }
  } catch {
    return withoutSecrets(json);
  }
  return pieces.join('') + json.slice(done);
}

/** Masks all strings and keys of a JSON value. */
export function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  return parseJson(maskedJson(JSON.stringify(value)));
}

function maskedLiteral(literal: string): string {
  const text = parseString(literal);
  const masked = withoutSecrets(text);
  return masked === text ? literal : JSON.stringify(masked);
}

function maskedRow<R extends Row>(row: R, columns: readonly string[]): R {
  let masked: Record<string, CellValue> | undefined;
  for (const name of columns) {
    const cell = row[name];
    if (typeof cell !== 'string') continue;
    const text = JSON_COLUMNS.has(name) ? maskedJson(cell) : withoutSecrets(cell);
    if (text !== cell) masked = { ...masked, [name]: text };
  }
  return masked ? { ...row, ...masked } : row;
}

/** The text columns of a table except keys and `kept`; cached for each table. */
function columnsBut(kept: ReadonlySet<string>): (table: TableSchema) => readonly string[] {
  const known = new WeakMap<TableSchema, readonly string[]>();
  return (table) => {
    const found = known.get(table);
    if (found) return found;
    const names = table.columns
      .filter(({ name, type, isKey }) => type === 'string' && !isKey && !kept.has(name))
      .map(({ name }) => name);
    known.set(table, names);
    return names;
  };
}
