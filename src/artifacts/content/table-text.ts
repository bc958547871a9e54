/**
 * The beginning of a table as a text in which words can be found: whole rows, one a line, cells set apart by tabs.
 * It is made while the table is downloaded, from bytes that are in memory then: to read the file again would cost a
 * request of a bucket for each table.
 */
import { MAX_TABLE_TEXT_BYTES } from '../../model/tables.js';
import { csvRecords } from './csv-records.js';
import { withoutDeclaration } from './table-layout.js';
import { decodeText, UNKNOWN_ENCODING } from './text-encoding.js';

/** How a table is read, as the archive keeps it. */
export interface TableFormat {
  /** Null where the bytes are no text. */
  readonly encoding: string | null;
  readonly separator: string | null;
}

/**
 * The text of a table, or the rows within its first 16 KB; of a first row that does not fit, its cells or words. So no
 * word and no URL is cut. Null where the bytes are no text, or nobody knows its encoding.
 *
 * @param head the first bytes of a table, or all of it
 */
export function textOfTable(
  head: Uint8Array,
  isWhole: boolean,
  { encoding, separator }: TableFormat,
): string | null {
  if (encoding === null || encoding === UNKNOWN_ENCODING || separator === null) return null;
  const beginning = head.subarray(0, MAX_TABLE_TEXT_BYTES);
  const text = linesOf(withoutDeclaration(decodeText(beginning, encoding)), separator);
  if (isWhole && beginning.length === head.length) return text.trimEnd();
  const end = text.lastIndexOf('\n');
  if (end >= 0) return text.slice(0, end);
  return text.slice(0, Math.max(0, text.lastIndexOf('\t'), text.lastIndexOf(' ')));
}

function linesOf(text: string, separator: string): string {
  if (!text.includes('"') && !text.includes('\t')) {
    const lines = text.replaceAll(separator, '\t').replaceAll('\r\n', '\n').replaceAll('\r', '\n');
    return lines.replace(/\n\n+/g, '\n').replace(/^\n|\n$/g, '');
  }
  const rows: string[] = [];
  for (const { cells } of csvRecords(text, separator)) {
    rows.push(cells.map((cell) => cell.replace(/[\t\r\n]/g, ' ')).join('\t'));
  }
  return rows.join('\n');
}
