/** CSV as RFC 4180 has it, in which no text can be taken for a formula by a spreadsheet. */

/** Null is an empty field, an empty text is `""`. */
export type CsvCell = string | number | bigint | boolean | null;

/**
 * What spreadsheets take for the beginning of a formula (full-width forms too), quoted or not. The
 * apostrophe is among them so that taking one leading apostrophe away always gives the text back.
 */
const RISKY = /^['=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEEDS_QUOTES = /[",\r\n]|^$/;

/** One record with its line end. Booleans are `yes` and `no`. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(fieldOf).join(',')}\r\n`;
}

function fieldOf(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell !== 'string') return cell.toString();
  const text = RISKY.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
