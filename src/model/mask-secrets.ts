/** Masks live URL signatures in rows: in an archive they stand in `raw_jobs.record` and `blocks.content_json` alone. */
import { parseJson, parseString, skipString } from '../base/text/parse-json.js';
import { withoutSecrets } from './signed-url.js';
import type { CellValue, Row, TableSchema } from './table-schema.js';

/** Columns whose text is JSON. Each of its strings is masked by itself, since an escape may hide a URL's end. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'content_json',
  'extra_json',
  'keywords',
  'exploration_questions',
]);
/** Columns that hold what the service sent, verbatim: how a job is proven. */
const VERBATIM_COLUMNS: ReadonlySet<string> = new Set(['record', 'content_json']);

const ARCHIVED = columnsBut(VERBATIM_COLUMNS);
const PRESENTED = columnsBut(new Set());

/** A row as the archive keeps it: every text but a key and the verbatim columns. */
export function archivableRow<R extends Row>(table: TableSchema, row: R): R {
  return maskedRow(row, ARCHIVED(table));
}

/** A row as people are shown it: every text but a key. */
export function presentableRow<R extends Row>(table: TableSchema, row: R): R {
  return maskedRow(row, PRESENTED(table));
}

/** JSON in which no string holds a live signature; all else as it was. A text that is not JSON is masked as a text. */
export function maskedJson(json: string): string {
  const pieces: string[] = [];
  let done = 0;
  try {
    for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', done)) {
      const end = skipString(json, at);
      pieces.push(json.slice(done, at), maskedLiteral(json.slice(at, end)));
      done = end;
    }
  } catch {
    return withoutSecrets(json);
  }
  return pieces.join('') + json.slice(done);
}

/** Of a value from JSON, every string and every key. */
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

/** A table's columns of text that are no key, less those that are kept: looked up once a table. */
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
