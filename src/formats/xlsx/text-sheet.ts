/** Writes rows of texts, such as the result of a query, as a workbook: numbers, times and truth values become those of Excel. */
import { defineTable } from '../../model/table-schema.js';
import { parseTimestamp } from '../../model/times/timestamp.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { ByteSink } from '../format.js';
import {
  WorkbookFile,
  type SheetColumn,
  type SheetFile,
  type StyledCell,
} from './workbook-file.js';
import { DATE, NUMBER, PLAIN, TEXT, TIME } from './cell-styles.js';
import { type Cell } from './exceljs.js';
import { excelTime } from './excel-time.js';
import { EXACT_DIGITS, exactNumber, numberStyle, textCell } from './sheet-cells.js';
import { isLong, longTextRows, longTextTable } from './long-texts.js';
import { TableSheets, type SheetLimits } from './table-sheets.js';

/** `time` and `date` in ISO 8601; a time without a zone is UTC. */
export type TextKind = 'text' | 'number' | 'boolean' | 'time' | 'date';

export interface TextColumn {
  readonly name: string;
  readonly kind: TextKind;
}

type TextRow = readonly (string | null)[];

interface TextSheetOptions {
  /** The name of the sheet. */
  readonly name: string;
  /** Names are unique. */
  readonly columns: readonly TextColumn[];
  /** The same rows at every call: long texts are read a second time. */
  readonly rows: () => AsyncIterable<readonly TextRow[]>;
  readonly limits: SheetLimits;
}

const STYLES = { text: TEXT, number: NUMBER, boolean: PLAIN, time: TIME, date: DATE } as const;
const MAX_WIDTH = 60;
/** Width of the filter button, with a margin. */
const BUTTON_WIDTH = 4;
const TIME_WIDTH = 20;

/** A text that does not fit a cell ends with a mark, and stands whole in the sheet `long_text`. */
export async function writeTextWorkbook(sink: ByteSink, options: TextSheetOptions): Promise<void> {
  const workbook = await WorkbookFile.begin(sink);
  try {
    if (await writeRows(workbook, options)) await writeLongTexts(workbook, options);
    await workbook.finish();
  } catch (error) {
    workbook.abort();
    throw error;
  }
}

/** @returns whether a text was too long for its cell */
async function writeRows(
  workbook: WorkbookFile,
  { name, columns, rows, limits }: TextSheetOptions,
): Promise<boolean> {
  let hasLongText = false;
  let sheet: SheetFile | undefined;
  const open = (first: readonly TextRow[]) => {
    sheet?.end();
    const layout = { name, columns: sheetColumns(columns, first), hasHeader: true };
    return workbook.openSheet({ ...layout, showsWholeTexts: false });
  };
  for await (const batch of rows()) {
    for (const [at, row] of batch.entries()) {
      const isFull =
        sheet && (sheet.rows >= limits.maxRows || sheet.characters >= limits.maxCharacters);
      if (!sheet || isFull === true) sheet = open(batch.slice(at));
      await sheet.write(columns.map(({ kind }, index) => styledCell(kind, row[index] ?? null)));
      hasLongText ||= row.some((text) => text !== null && isLong(text));
    }
  }
  sheet ??= open([]);
  sheet.end();
  return hasLongText;
}

async function writeLongTexts(
  workbook: WorkbookFile,
  { name, columns, rows, limits }: TextSheetOptions,
): Promise<void> {
  const rest = Object.fromEntries(columns.map((column) => [column.name, 'string' as const]));
  const table = defineTable(name, { key: {}, rest });
  const sheets = new TableSheets(longTextTable, workbook, { limits });
  let ordinal = 0;
  for await (const batch of rows()) {
    for (const row of batch) {
      ordinal++;
      const texts = Object.fromEntries(
        columns.map((column, index) => [column.name, row[index] ?? null]),
      );
      for (const part of longTextRows(table, texts, ordinal)) {
        const { column } = parseJson(String(part['key'])) as { readonly column: string };
        await sheets.write([{ ...part, key: JSON.stringify({ row: ordinal, column }) }]);
      }
    }
  }
  sheets.end();
}

function sheetColumns(columns: readonly TextColumn[], rows: readonly TextRow[]): SheetColumn[] {
  return columns.map(({ name, kind }, index) => {
    const header = name.length + BUTTON_WIDTH;
    const widest = rows.reduce((width, row) => Math.max(width, lineWidth(row[index])), 0);
    const width = kind === 'time' ? TIME_WIDTH : Math.min(MAX_WIDTH, widest + 2);
    return { title: name, width: Math.max(header, width), style: STYLES[kind] };
  });
}

/** The width of the first line, up to the maximum. */
function lineWidth(text: string | null | undefined): number {
  return (text ?? '').slice(0, MAX_WIDTH).split('\n', 1)[0]?.length ?? 0;
}

function styledCell(kind: TextKind, text: string | null): Cell | StyledCell {
  const value = cellOf(kind, text);
  return typeof value === 'number' && kind === 'number'
    ? { value, style: numberStyle(value) }
    : value;
}

/** What Excel cannot hold exactly stays a text. */
function cellOf(kind: TextKind, text: string | null): Cell {
  if (text === null) return undefined;
  if (kind === 'boolean') return text === 'true';
  if (kind === 'number') return numberOf(text) ?? textCell(text);
  if (kind === 'text') return textCell(text);
  const micros = parseTimestamp(kind === 'date' ? `${text}T00:00:00Z` : withZone(text));
  return (micros === undefined ? undefined : excelTime(micros)) ?? textCell(text);
}

function withZone(text: string): string {
  return /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
}

function numberOf(text: string): number | undefined {
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  if (/^-?\d+$/.test(text)) return exactNumber(text);
  // a double is printed with 15 to 17 digits, and Excel keeps the double
  const digits = /^-?0*(\d*)\.?(\d*?)0*$/.exec(text);
  const isExact = digits === null || `${digits[1]}${digits[2]}`.length <= EXACT_DIGITS;
  return !isExact && String(number) !== text ? undefined : number;
}
