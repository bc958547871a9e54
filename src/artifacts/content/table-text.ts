/**
 * The beginning of a table as a text in which words can be found: whole rows, one a line, cells set apart by tabs.
 * It is made while the table is downloaded, from bytes that are in memory then: to read the file again would cost a
 * request of a bucket for each table.
 */
import { MAX_TABLE_TEXT_BYTES } from '../../model/tables.js';
import { decodeText, textEncodingOf } from './text-encoding.js';

/** Of UTF-16, which has two bytes where UTF-8 has one. */
export const HEAD_BYTES = 2 * MAX_TABLE_TEXT_BYTES + 2;

/**
 * Null where the bytes are no text. Of a table that is longer the rows that fit as a whole; of a first row that does
 * not fit, its cells or words. So no word and no URL is cut.
 *
 * @param head the first bytes of a CSV, or all of it
 */
export function textOfTable(head: Uint8Array, isWhole: boolean): string | null {
  const encoding = textEncodingOf(head.subarray(0, HEAD_BYTES));
  if (encoding === null) return null;
  const beginning = head.subarray(0, encoding === 'utf-8' ? MAX_TABLE_TEXT_BYTES : HEAD_BYTES);
  const lines = linesOf(decodeText(beginning, encoding));
  const isAll = isWhole && beginning.length === head.length;
  if (isAll && Buffer.byteLength(lines) <= MAX_TABLE_TEXT_BYTES) return lines.trimEnd();
  const text = decodeText(Buffer.from(lines).subarray(0, MAX_TABLE_TEXT_BYTES), 'utf-8');
  const end = text.lastIndexOf('\n');
  if (end >= 0) return text.slice(0, end);
  return text.slice(0, Math.max(0, text.lastIndexOf('\t'), text.lastIndexOf(' ')));
}

/** A comma, the end of a line or the beginning, and the cell in quotes that may follow. */
const CELL = /(,|\r\n?|\n|^)(?:"([^"]*(?:""[^"]*)*)(?:"|$))?/g;

/** Lenient as what counts the rows: a quote within a cell is a character like any other. */
function linesOf(csv: string): string {
  const lines = csv.includes('"')
    ? csv.replace(CELL, (_, before: string, quoted: string | undefined) => {
        const cell = quoted?.replaceAll('""', '"').replace(/[\t\r\n]/g, ' ') ?? '';
        return (before === ',' ? '\t' : before && '\n') + cell;
      })
    : csv.replaceAll(',', '\t').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  return lines.replace(/\n\n+/g, '\n');
}
