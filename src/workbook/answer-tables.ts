/** The sheet with the tables that stand in answers as Markdown: each cell a cell, columns of numbers that look in Excel as they were sent as numbers, one table below the other. */
import {
  type SheetLayout,
  type StyledCell,
  type WorkbookFile,
} from '../formats/xlsx/workbook-file.js';
import { HEADER, LABEL, TEXT } from '../formats/xlsx/cell-styles.js';
import type { Link } from '../formats/xlsx/exceljs.js';
import { exactNumber, numberStyle, textCell } from '../formats/xlsx/sheet-cells.js';
import type { MadeConversation } from '../making/conversations.js';
import type { SurveyedSession } from '../making/survey.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import type { SheetJob, WorkbookConversations } from './conversations.js';
import { plainAnswer, type AnswerTable } from './plain-markdown.js';

export const ANSWER_TABLES = 'Answer tables';
/** Everywhere else a table is a file: said on the sheet and on the cover. */
export const OF_TEXTS = 'Tables in the text of answers, each below the other; files are not in it';

const MAX_ROWS = 1_000_000;
const MAX_COLUMNS = 200;
/** What the sheet has, and a row that sets the first table apart. */
const ROWS_ABOVE = 2;
/** A heading, and a row that sets the next table apart. */
const ROWS_BESIDE = 2;
/** The width of all columns: what fits a page. */
const WIDTH = 240;
const WIDEST_COLUMN = 24;
/** Says where each table will stand before it is written: a sheet is written from its first row to its last. */
export class AnswerTables {
  /** The tables that have a place. */
  count = 0;
  #columns = 1;
  #rows = ROWS_ABOVE;

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
    await sheet.write([{ value: OF_TEXTS, style: LABEL }]);
    await sheet.write([]);
    for await (const job of conversations.jobs()) {
      for (const table of tablesOf(job)) {
        if (sheet.rows + table.length + ROWS_BESIDE > MAX_ROWS) continue;
        await sheet.write([{ value: textCell(headingOf(job)), style: LABEL }]);
        const [titles = [], ...rows] = table.map((cells) => cells.slice(0, MAX_COLUMNS));
        const areNumbers = titles.map((_, column) => isOfNumbers(rows, column));
        await sheet.write(titles.map((text) => ({ value: textCell(text), style: HEADER })));
        for (const cells of rows) {
          await sheet.write(cells.map((text, column) => cellOf(text, areNumbers[column] === true)));
        }
        await sheet.write([]);
      }
    }
    sheet.end();
  }
}

/** What the sheets have that are written after the cover. */
export interface SheetCounts {
  /** Rows of the sheets of conversations. */
  readonly rows: number;
  readonly answerTables: number;
}

/** Counts without keeping anything: the cover stands before the sheets. @param hear of each conversation */
export async function countSheets(
  conversations: WorkbookConversations,
  hear: (conversation: MadeConversation<SurveyedSession>) => void,
): Promise<SheetCounts> {
  const places = new AnswerTables();
  let rows = 0;
  for await (const sheetJob of conversations.jobs(hear)) {
    const links = places.linksTo(tablesOf(sheetJob));
    // the first of what an answer shows stands beside it, each other one in a row of its own
    rows += Math.max(1, links.length + sheetJob.files.length);
  }
  return { rows, answerTables: places.count };
}

function tablesOf({ made: { job } }: SheetJob): readonly AnswerTable[] {
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

/** The point of `19.009` may set thousands apart: an answer has its own language. */
const THOUSANDS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** Whether every cell of a column that is not empty is a number: a sum over it would leave out the others. */
function isOfNumbers(rows: AnswerTable, column: number): boolean {
  const texts = rows.map((cells) => cells[column] ?? '').filter((text) => text !== '');
  return texts.every((text) => exactNumber(text) !== undefined && !THOUSANDS.test(text));
}

function cellOf(text: string, isNumber: boolean): StyledCell {
  if (!isNumber) return { value: textCell(text), style: TEXT };
  const value = exactNumber(text);
  return { value, style: numberStyle(value) };
}
