/** The sheet with the tables that stand in answers as Markdown: each cell a cell, columns of numbers as numbers, one table below the other. */
import {
  HEADER,
  LABEL,
  NUMBER,
  TEXT,
  type SheetLayout,
  type StyledCell,
  type WorkbookFile,
} from '../formats/xlsx/workbook-file.js';
import type { Link } from '../formats/xlsx/exceljs.js';
import { textCell } from '../formats/xlsx/sheet-cells.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import type { AskedSpan } from './asked-span.js';
import type { SheetJob, WorkbookConversations } from './conversations.js';
import { plainAnswer, type AnswerTable } from './plain-markdown.js';

export const ANSWER_TABLES = 'Answer tables';

const MAX_ROWS = 1_000_000;
const MAX_COLUMNS = 200;
/** A heading, and a row that sets the next table apart. */
const ROWS_BESIDE = 2;
/** Of all columns: what fits a page. */
const WIDTH = 240;
const WIDEST_COLUMN = 24;
/** A point before three digits, as in `19.009`, may set thousands apart, as a comma may: an answer has its own language. */
const PLAIN_NUMBER = /^[+-]?(?:0|[1-9]\d{0,14})(?:\.(?:\d{1,2}|\d{4,9}))?$/;
/** Where one cell of a column has both signs, or one of them twice, it tells which of them sets thousands apart. */
const WITH_COMMAS = /^[+-]?(?:0|[1-9]\d{0,2}(?:,\d{3}){1,4}|[1-9]\d{0,14})(?:\.\d{1,9})?$/;
const SURELY_COMMAS = /,\d{3}[,.]/;
/** Excel keeps fifteen. */
const EXACT_DIGITS = 15;

/** Says where each table will stand before it is written: a sheet is written from its first row to its last. */
export class AnswerTables {
  /** Of tables that have a place. */
  count = 0;
  #columns = 1;
  #rows = 0;

  /** In the order of the conversations; the links lead to the sheet. @param asked what the table's heading says */
  linksTo(tables: readonly AnswerTable[]): Link[] {
    return tables.flatMap((table, at) => {
      if (this.#rows + table.length + ROWS_BESIDE > MAX_ROWS) return [];
      const hyperlink = `#'${ANSWER_TABLES}'!A${this.#rows + 1}`;
      const widest = table.reduce((most, cells) => Math.max(most, cells.length), 1);
      this.#columns = Math.max(this.#columns, Math.min(widest, MAX_COLUMNS));
      this.#rows += table.length + ROWS_BESIDE;
      this.count++;
      return [{ text: `table ${at + 1} of the answer`, hyperlink }];
    });
  }

  /** @param headingOf what stands above the tables of an answer */
  async write(
    workbook: WorkbookFile,
    conversations: WorkbookConversations,
    headingOf: (job: SheetJob) => string,
  ): Promise<void> {
    if (this.count === 0) return;
    const sheet = workbook.openSheet(layoutOf(this.#columns));
    for await (const job of conversations.jobs()) {
      for (const table of tablesOf(job)) {
        if (sheet.rows + table.length + ROWS_BESIDE > MAX_ROWS) continue;
        await sheet.write([{ value: textCell(headingOf(job)), style: LABEL }]);
        const [titles = [], ...rows] = table.map((cells) => cells.slice(0, MAX_COLUMNS));
        const numbers = titles.map((_, column) => numbersOf(rows, column));
        await sheet.write(titles.map((text) => ({ value: textCell(text), style: HEADER })));
        for (const cells of rows) {
          await sheet.write(cells.map((text, column) => cellOf(text, numbers[column])));
        }
        await sheet.write([]);
      }
    }
    sheet.end();
  }
}

/** Counts without keeping anything: the cover stands before the sheet. @param asked hears of each job */
export async function countAnswerTables(
  conversations: WorkbookConversations,
  asked: AskedSpan,
): Promise<number> {
  const places = new AnswerTables();
  for await (const one of conversations.jobs()) {
    asked.add(one.job);
    places.linksTo(tablesOf(one));
  }
  return places.count;
}

function tablesOf({ job }: SheetJob): readonly AnswerTable[] {
  const answer = textOrEmpty(job, 'answer_text');
  return answer.includes('|') ? plainAnswer(answer).tables : [];
}

function layoutOf(columns: number): SheetLayout {
  const width = Math.max(8, Math.min(WIDEST_COLUMN, Math.floor(WIDTH / columns)));
  return {
    name: ANSWER_TABLES,
    columns: Array.from({ length: columns }, () => ({ title: '', width, style: TEXT })),
    hasHeader: false,
    showsWholeTexts: true,
  };
}

type Numbers = 'plain' | 'commas' | 'points';

/**
 * How the numbers of a column are written; undefined where not every cell is certainly a number, or empty: what could be
 * two numbers, such as `1,234`, or is none, such as `007`, stays as it is.
 */
function numbersOf(rows: AnswerTable, column: number): Numbers | undefined {
  const texts = rows.map((cells) => cells[column] ?? '').filter((text) => text !== '');
  if (texts.some((text) => text.replace(/\D/g, '').length > EXACT_DIGITS)) return undefined;
  if (texts.every((text) => PLAIN_NUMBER.test(text))) return 'plain';
  const isWithCommas = (all: readonly string[]): boolean =>
    all.every((text) => WITH_COMMAS.test(text)) && all.some((text) => SURELY_COMMAS.test(text));
  if (isWithCommas(texts)) return 'commas';
  return isWithCommas(texts.map(swapped)) ? 'points' : undefined;
}

/** `1.234,5` as `1,234.5`. */
function swapped(text: string): string {
  return text.replace(/[.,]/g, (sign) => (sign === '.' ? ',' : '.'));
}

function numberIn(text: string, numbers: Numbers): number {
  return Number((numbers === 'points' ? swapped(text) : text).replaceAll(',', ''));
}

function cellOf(text: string, numbers: Numbers | undefined): StyledCell {
  if (!numbers) return { value: textCell(text), style: TEXT };
  return { value: text === '' ? undefined : numberIn(text, numbers), style: NUMBER };
}
