/** The first sheet: user, service, times, counts, and the head of the archive. */
import type { ArchiveIdentity } from '../archive/identity.js';
import { doubtText } from '../archive/reading/doubts.js';
import { LABEL, LINK, PLAIN, TEXT, TIME, TITLE } from '../formats/xlsx/cell-styles.js';
import { excelTime } from '../formats/xlsx/excel-text.js';
import type { Cell } from '../formats/xlsx/exceljs.js';
import { longTextTable, textCell } from '../formats/xlsx/sheet-cells.js';
import type { SheetFile, SheetLayout, WorkbookFile } from '../formats/xlsx/workbook-file.js';
import {
  choiceText,
  type SearchChoice,
  UNDATED_GAP,
  undatedText,
  searchedText,
} from '../search/search-choice.js';
import { CONVERSATIONS, type FileLinks } from './conversation-sheets.js';
import type { WorkbookConversations } from './conversations.js';
import { PersonRows } from './person-rows.js';
import type { Person } from './survey-person.js';

export interface CoverFacts {
  readonly identity: ArchiveIdentity;
  readonly person: Person;
  /** What the user of the command asked for. */
  readonly choice: SearchChoice;
  readonly rows: PersonRows;
  readonly conversations: WorkbookConversations;
  readonly links: FileLinks;
  readonly madeAt: Date;
  /** `jobvault <version>` */
  readonly tool: string;
}

/** Rows of the cover. */
const MAX_LEFT_OUT = 200;

const FOLDED_NOTE =
  'Of the tables, columns that programs need are folded away: a + above the sheet shows them. They are not printed.';

const NOT_PROVEN = 'none known; not proven that every conversation of this user is here';

const COVER: SheetLayout = {
  name: 'Cover',
  columns: [
    { title: '', width: 20, style: LABEL },
    { title: '', width: 70, style: TEXT },
    { title: '', width: 84, style: TEXT },
  ],
  hasHeader: false,
  showsWholeTexts: true,
};

export async function writeCover(workbook: WorkbookFile, facts: CoverFacts): Promise<void> {
  const { identity, person, conversations, links, madeAt, tool } = facts;
  const sheet = workbook.openSheet(COVER);
  await sheet.write([{ value: textCell(titleOf(person)), style: TITLE }]);
  await sheet.write([]);
  const { base_url: service, project } = identity.service;
  await writeFact(sheet, 'User', person.user);
  await writeFact(sheet, 'Service', project === null ? service : `${service}, project ${project}`);
  await writeTime(sheet, 'First question', conversations.firstAsked);
  await writeTime(sheet, 'Last question', conversations.lastAsked);
  await sheet.write([]);
  await writeNumber(sheet, 'Conversations', person.sessions, goneNote(person));
  await writeNumber(sheet, 'Questions', person.jobs, 'with their answers, in the newest version');
  await writeNumber(sheet, 'Files', conversations.files.size, filesNote(links));
  await writeNumber(sheet, 'Gaps', person.gaps, gapsNote(person));
  await writeSearch(sheet, facts);
  await writeHolds(sheet, person);
  await sheet.write([]);
  await writeFact(sheet, 'Archive', identity.id);
  const head = person.head ? `${person.head.number}:${person.head.digest}` : 'no commit yet';
  await writeFact(sheet, 'Head', head, 'jobvault verify ARCHIVE --expect-head proves this state');
  await writeTime(sheet, 'Made', BigInt(madeAt.getTime()) * 1000n, `by ${tool}`);
  await sheet.write([]);
  await writeContents(sheet, facts);
  await sheet.write([]);
  await writeFact(sheet, 'Times', 'All times are UTC.');
  await writeFact(sheet, 'Long texts', 'A cell holds 32,767 characters; long_text has the rest.');
  await writeFact(sheet, 'Printing', 'Cover and Conversations are made for paper.', FOLDED_NOTE);
  sheet.end();
}

/** Which jobs are here, and how many were looked at to find them; nothing where all are here. */
async function writeSearch(
  sheet: SheetFile,
  { person: { search, leftOut }, choice: { match, from, to, ...choice } }: CoverFacts,
): Promise<void> {
  if (search === null) return;
  const { searched, matches, time_unknown: unknown, not_searched: notSearched } = search;
  if (match !== undefined) {
    const where = choice.in === undefined ? '' : `, found in ${searchedText(choice.in)},`;
    const note = `only questions and answers with these words${where} are here`;
    await writeFact(sheet, 'Words', match, note);
  }
  if (from !== undefined || to !== undefined) {
    const period = choiceText({ from, to });
    await writeFact(sheet, 'Period', period, 'only what was asked in this period is here');
  }
  await writeNumber(sheet, 'Searched', searched, `questions with their answers; ${matches} match`);
  if (notSearched !== null) await writeFact(sheet, 'Not searched', notSearched);
  if (from !== undefined || to !== undefined) {
    await writeNumber(sheet, 'Date unknown', unknown, undatedText(search) ?? undefined);
  }
  for (const { session, job } of leftOut.slice(0, MAX_LEFT_OUT)) {
    await writeFact(sheet, 'Left out', `job ${job} in session ${session}`, UNDATED_GAP.reason);
  }
  if (leftOut.length > MAX_LEFT_OUT) {
    await writeFact(sheet, 'Left out', `and ${leftOut.length - MAX_LEFT_OUT} more`);
  }
  const doubts = doubtText(search);
  if (doubts !== '') {
    await writeFact(sheet, 'In doubt', doubts, 'what is not archived was not searched');
  }
}

/** A row for each hold that binds, with its reason. */
async function writeHolds(sheet: SheetFile, { holds }: Person): Promise<void> {
  for (const [index, { session, reason, by, since }] of holds.entries()) {
    const what = session === null ? 'the user' : `session ${session}`;
    const held = `${what}, since ${since.slice(0, 10)}, asked by ${by}`;
    await writeFact(sheet, index === 0 ? 'On hold' : '', held, reason);
  }
}

async function writeContents(sheet: SheetFile, { person, rows }: CoverFacts): Promise<void> {
  await writeSheetLine(sheet, 'Sheets', CONVERSATIONS.name, {
    rows: person.jobs,
    meaning: 'Questions and answers in order, with their files',
  });
  for (const table of PersonRows.tables) {
    const count = rows.count(table);
    if (count === 0) continue;
    await writeSheetLine(sheet, '', table.name, { rows: count, meaning: table.meaning });
  }
  if (rows.longTextRows > 0) {
    const meaning = 'Texts that are longer than a cell, in parts';
    await writeSheetLine(sheet, '', longTextTable.name, { rows: rows.longTextRows, meaning });
  }
}

async function writeSheetLine(
  sheet: SheetFile,
  label: string,
  name: string,
  { rows, meaning }: { readonly rows: number; readonly meaning: string },
): Promise<void> {
  const link = { text: name, hyperlink: `#'${name}'!A1` };
  const description = `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}: ${meaning}`;
  await sheet.write([label, { value: link, style: LINK }, description]);
}

async function writeFact(sheet: SheetFile, label: string, value: string, note?: string) {
  await sheet.write([label, textCell(value), note === undefined ? undefined : textCell(note)]);
}

async function writeNumber(sheet: SheetFile, label: string, value: number, note: Cell) {
  await sheet.write([
    label,
    { value, style: { ...PLAIN, alignment: { vertical: 'top', horizontal: 'left' } } },
    note,
  ]);
}

/** Nothing where the time is not known. */
async function writeTime(sheet: SheetFile, label: string, micros: bigint | null, note?: string) {
  const value = micros === null ? undefined : excelTime(micros);
  if (value !== undefined) await sheet.write([label, { value, style: TIME }, note]);
}

function goneNote({ goneSessions }: Person): Cell {
  if (goneSessions === 0) return undefined;
  return `${goneSessions} of them are no longer on the service`;
}

function filesNote({ canLink }: FileLinks): string {
  return canLink
    ? 'tables and images; the links lead into the archive'
    : 'tables and images; each is named with its path in the archive';
}

function titleOf({ user, search }: Person): string {
  return search === null ? `Conversations of ${user}` : `A part of the conversations of ${user}`;
}

function gapsNote({ gaps, user, isProven, search, leftOut }: Person): string {
  if (gaps > 0 && gaps === leftOut.length) return 'questions that the search left out, named below';
  if (gaps === 0 && search !== null) return isProven ? 'nothing of these is missing' : 'none known';
  if (gaps === 0) return isProven ? 'nothing is missing' : NOT_PROVEN;
  return textCell(`what could not be archived: jobvault status ARCHIVE --user ${user} names it`);
}
