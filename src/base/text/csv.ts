/**
 * Writes CSV as in RFC 4180, in which no text can become a formula, whatever separator the spreadsheet uses.
 *
 * A spreadsheet whose list separator is `;` or a tab does not see the quotes of a field between commas: it
 * splits texts at `;`, tabs and line ends. An apostrophe therefore stands at the start of a text, and behind
 * each of these within it, where a formula would begin. To read a text back, take one apostrophe away at the
 * start and behind every `;`, tab, CR and LF.
 */
import { piecesOf } from './short-texts.js';

/** Null is an empty field, an empty text is `""`. */
export type CsvCell = string | number | bigint | boolean | null;

/** A formula begins with one of these, also in full width, also behind blanks and quotes. */
const FORMULA = String.raw`[ "]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]`;
/** An apostrophe that was there gets another, so that each one that is taken away was added. */
const RISKY = new RegExp(String.raw`^(?=[\t\r\n'])|(?<=^|[;\t\r\n])(?=${FORMULA}|')`, 'g');
/** A negative number is a number, and no formula. */
const NUMBER = /^-\d\d*(\.\d\d*)?(e[+-]?\d\d*)?$/i;
const NEEDS_QUOTES = /["\r\n]|^$/;

export type CsvSeparator = ',' | ';' | '\t';

/** One record with its line end. Booleans are `yes` and `no`. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(fieldOf).join(',')}\r\n`;
}

/** A text as a field of a record. */
export function csvField(text: string, separator: CsvSeparator = ','): string {
  return verbatimField(safeText(text), separator);
}

/** The same without apostrophes: of a key, which another table is joined by. */
export function verbatimField(text: string, separator: CsvSeparator = ','): string {
  return isQuoted(text, separator) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The same field in pieces: a text of it may have 64 MB, and each copy takes as much again. */
export function* csvFieldPieces(text: string, separator: CsvSeparator = ','): Generator<string> {
  const safe = safeText(text);
  const quote = isQuoted(safe, separator) ? '"' : '';
  yield quote;
  for (const piece of piecesOf(safe)) yield quote === '' ? piece : piece.replaceAll('"', '""');
  yield quote;
}

function safeText(text: string): string {
  return NUMBER.test(text) ? text : text.replace(RISKY, "'");
}

function isQuoted(safe: string, separator: CsvSeparator): boolean {
  return NEEDS_QUOTES.test(safe) || safe.includes(separator);
}

function fieldOf(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return typeof cell === 'string' ? csvField(cell) : cell.toString();
}
