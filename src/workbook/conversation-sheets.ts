/** The sheet that reads like the conversations: a row for each question and its answer, and one for each further file. */
import { visibleId } from '../base/text/direction.js';
import { withoutData } from '../model/urls/file-url.js';
import { partText } from '../base/text/counted.js';
import type { SurveyedSession } from '../making/survey.js';
import { matchedText } from '../search/search-fields.js';
import {
  type SheetFile,
  type SheetLayout,
  type StyledCell,
  type WorkbookFile,
} from '../formats/xlsx/workbook-file.js';
import {
  DATE,
  LINK,
  REPEATED,
  REPEATED_DATE,
  REPEATED_TIME,
  TEXT,
  TIME,
} from '../formats/xlsx/cell-styles.js';
import { type Cell, type Link } from '../formats/xlsx/exceljs.js';
import { excelTime } from '../formats/xlsx/excel-time.js';
import { whenOf } from '../model/times/asked-times.js';
import { knownText } from '../model/times/when.js';
import { MAY_CHANGE } from '../model/blocks/answered.js';
import type { Row } from '../model/table-schema.js';
import { textCell } from '../formats/xlsx/sheet-cells.js';
import { isLong } from '../formats/xlsx/long-texts.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import { AnswerTables } from './answer-tables.js';
import type { SheetJob, WorkbookConversations } from './conversations.js';
import { plainAnswer } from './plain-markdown.js';
import type { FileLinks } from './file-links.js';

export const CONVERSATIONS: SheetLayout = {
  name: 'Conversations',
  columns: [
    { title: 'Asked (UTC)', width: 20, style: TIME },
    { title: 'Conversation', width: 22, style: TEXT },
    { title: 'Question', width: 36, style: TEXT },
    { title: 'Answer', width: 72, style: TEXT },
    { title: 'Files', width: 38, style: TEXT },
  ],
  hasHeader: true,
  showsWholeTexts: true,
};

/** The first column where days alone are known: two of them stand on one line, which would break in the second. */
const OF_DAYS = { width: 24, style: DATE };

/** Excel takes 65,530 links on a sheet. */
const MAX_LINKS = 65_000;
const MAX_ROWS = 1_000_000;
const MAX_CHARACTERS = 2 ** 30;

/** The column of a search for words: where they stand in each question or answer. */
const FOUND_IN = { title: 'Found in', width: 24, style: TEXT };

/** The column of a workbook of several users. */
const USER = { title: 'User', width: 18, style: TEXT };

/** Where some answers have not settled. */
const STATE = { title: 'State', width: 18, style: TEXT };

/** Where some questions are withheld. */
const PART = { title: 'Questions here', width: 20, style: TEXT };

interface ConversationOptions {
  /** Whether the day of each question alone is known. */
  readonly isOfDays: boolean;
  /** Whether the answers of some may still change. */
  readonly someMayChange: boolean;
  readonly links: FileLinks;
  /** Whose question it is stands in a column of its own. */
  readonly namesUsers: boolean;
  /** Whether some questions are withheld. */
  readonly someAreWithheld: boolean;
  /** Whether words were looked for. */
  readonly isOfWords: boolean;
}

/** Writes the conversations, and the sheet with the tables of answers, where there are any. */
export async function writeConversations(
  workbook: WorkbookFile,
  conversations: WorkbookConversations,
  options: ConversationOptions,
): Promise<void> {
  const { isOfWords, namesUsers, someMayChange, someAreWithheld } = options;
  const [asked, ...others] = CONVERSATIONS.columns;
  const layout = {
    ...CONVERSATIONS,
    columns: [
      ...(asked ? [{ ...asked, ...(options.isOfDays && OF_DAYS) }] : []),
      ...(namesUsers ? [USER] : []),
      ...others,
      ...(isOfWords ? [FOUND_IN] : []),
      ...(someMayChange ? [STATE] : []),
      ...(someAreWithheld ? [PART] : []),
    ],
  };
  const tables = new AnswerTables();
  let sheet = workbook.openSheet(layout);
  for await (const turn of conversations.jobs()) {
    const rows = rowsOf(turn, tables, options);
    if (!hasRoom(sheet, rows.length)) {
      sheet.end();
      sheet = workbook.openSheet(layout);
    }
    for (const row of rows) await sheet.write(row);
  }
  sheet.end();
  await tables.write(workbook, conversations, (turn) => headingOf(turn, options));
}

const HEADING_CHARACTERS = 120;

/** `2026-01-10 12:00 · ada · Sales · What was the revenue?` */
function headingOf(
  { name, made: { job } }: SheetJob,
  { isOfDays, namesUsers }: ConversationOptions,
): string {
  const asked = knownText(whenOf(job), isOfDays);
  const question = textOrEmpty(job, 'question_text').replace(/\s\s*/g, ' ');
  const parts = [
    asked,
    ...(namesUsers ? [visibleId(textOrEmpty(job, 'user_id'))] : []),
    name,
    question,
  ];
  return parts
    .filter((part) => part !== '')
    .join(' · ')
    .slice(0, HEADING_CHARACTERS);
}

function hasRoom({ rows, links, characters }: SheetFile, more: number): boolean {
  return rows + more < MAX_ROWS && links + more < MAX_LINKS && characters < MAX_CHARACTERS;
}

function rowsOf(
  { session, name, made: { job, mayChange, matchedIn }, files }: SheetJob,
  tables: AnswerTables,
  { isOfDays, links, namesUsers, isOfWords, someMayChange, someAreWithheld }: ConversationOptions,
) {
  const places = isOfWords ? [textCell(matchedText(matchedIn))] : [];
  const asked = askedCell(job, isOfDays);
  const conversation = textCell(name === '' ? visibleId(session.session) : name);
  const whose = namesUsers ? [textCell(visibleId(session.user))] : [];
  const answer = shownAnswer(withoutData(textOrEmpty(job, 'answer_text')));
  const [first, ...more] = [
    ...tables.linksTo(answer.tables),
    ...files.map((file) => links.cellOf(file)),
  ].map(fileCell);
  const question = textCell(withoutData(textOrEmpty(job, 'question_text')));
  const texts = [conversation, question, textCell(answer.text), first];
  const states = someMayChange ? [mayChange ? MAY_CHANGE : undefined] : [];
  const part = someAreWithheld ? [partOf(session)] : [];
  return [
    [asked, ...whose, ...texts, ...places, ...states, ...part],
    // repeated, so that sorting and filtering keep the files with their question
    ...more.map((file) => [
      { value: asked, style: isOfDays ? REPEATED_DATE : REPEATED_TIME },
      ...whose.map((value) => ({ value, style: REPEATED })),
      { value: conversation, style: REPEATED },
      undefined,
      undefined,
      file,
    ]),
  ] as readonly (readonly (Cell | StyledCell)[])[];
}

/** How much is here of a conversation of which some is withheld, `3 of 4 (1 withheld)`; undefined of others. */
export function partOf({ withheld }: SurveyedSession): string | undefined {
  return withheld && withheld.withheld > 0 ? partText(withheld.shown, withheld) : undefined;
}

/** Without the marks of Markdown. Where these alone make it fit a cell, as it is: `long_text` has only texts that are too long. */
function shownAnswer(answer: string) {
  const plain = plainAnswer(answer);
  return isLong(plain.text) && !isLong(answer) ? { ...plain, text: answer } : plain;
}

function fileCell(cell: string | Link): Cell | StyledCell {
  return typeof cell === 'string' ? cell : { value: cell, style: LINK };
}

/** Where the job's id tells no time, the bounds that its neighbours in the history give, as a text. */
function askedCell(job: Row, isOfDays: boolean): Cell {
  const { created_at: at, created_after: after, created_before: before } = job;
  const known = at ?? (after === before ? after : null);
  const time = typeof known === 'bigint' ? excelTime(known) : undefined;
  return time ?? knownText(whenOf(job), isOfDays);
}
