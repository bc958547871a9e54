/** The first sheet: user, service, times, counts, and the head of the archive. */
import { counted } from '../base/text/counted.js';
import { visibleDirections, visibleId } from '../base/text/direction.js';
import type { Archive } from '../archive/archive.js';
import { caveatsOf, type Caveat } from '../archive/reading/caveats/caveat.js';
import {
  headlineOf,
  namesIn,
  SEVERITY_WORDS,
  type Elsewhere,
} from '../archive/reading/caveats/caveat-text.js';
import {
  type SheetFile,
  type SheetLayout,
  type WorkbookFile,
} from '../formats/xlsx/workbook-file.js';
import { DATE, LABEL, LINK, PLAIN, TEXT, TIME, TITLE } from '../formats/xlsx/cell-styles.js';
import { type Cell } from '../formats/xlsx/exceljs.js';
import { excelTime } from '../formats/xlsx/excel-time.js';
import { textCell } from '../formats/xlsx/sheet-cells.js';
import { longTextTable } from '../formats/xlsx/long-texts.js';
import { gapCountTexts } from '../model/gap-counts.js';
import { parseFrom } from '../model/times/period.js';
import { isDay } from '../model/times/timestamp.js';
import type { ProductRequest } from '../making/making.js';
import type { Survey } from '../making/survey.js';
import { choiceText, type SearchChoice } from '../search/search-choice.js';
import { hitCountText } from '../search/search-facts.js';
import { SEARCH_FIELDS, searchedText } from '../search/search-fields.js';
import { ANSWER_TABLES, OF_TEXTS, type SheetCounts } from './answer-tables.js';
import { CONVERSATIONS } from './conversation-sheets.js';
import { type FileLinks } from './file-links.js';
import type { AskedEnd, AskedSpan } from './asked-span.js';
import { PeopleRows } from './people-rows.js';

export interface CoverFacts {
  readonly archive: Archive;
  readonly survey: Survey;
  /** What the user of the command asked for. */
  readonly choice: SearchChoice;
  readonly request: ProductRequest | undefined;
  /** Who makes it; undefined: nobody is named. */
  readonly by: string | undefined;
  readonly rows: PeopleRows;
  readonly asked: AskedSpan;
  /** How many questions of each user are in it, for each who has any. */
  readonly questions: ReadonlyMap<string, number>;
  readonly counts: SheetCounts;
  /** Stored files of the questions and their answers. */
  readonly fileCount: number;
  readonly links: FileLinks;
  readonly madeAt: Date;
}

const MAX_USERS = 200;
/** How many of each caveat are named. */
const NAMED = 200;
const ARTIFACTS = 'the sheet artifacts';
const NAMED_ELSEWHERE: Elsewhere = {
  unsettled: 'the sheet Conversations',
  suspicious_file: ARTIFACTS,
  lost_file: ARTIFACTS,
};

const FOLDED_NOTE =
  'Of the tables, columns that programs need are folded away: a + above the sheet shows them. They are not printed.';

const VERSIONS_NOTE =
  'They may have questions that turned out to be of another conversation (is_withdrawn): no list and no number of questions has these.';

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
  const { survey, request, by, asked, links, madeAt } = facts;
  const caveats = caveatsOf(survey.making.reading, { audience: 'recipient' });
  const { identity, tool } = facts.archive;
  const sheet = workbook.openSheet(COVER);
  await sheet.write([{ value: textCell(titleOf(survey)), style: TITLE }]);
  await sheet.write([]);
  // wrapped: over the edge of its column it would make the printed sheet as wide as itself
  await writeFact(sheet, 'In short', headlineOf(caveats));
  await sheet.write([]);
  await writeCaveats(sheet, caveats);
  const { base_url: service, project } = identity.service;
  await writeUsers(sheet, facts);
  if (request) {
    const { name, by, since, reason } = request;
    const asked = `of ${since.slice(0, 10)}, asked by ${by}: ${reason}`;
    await writeFact(sheet, 'Request', name, asked);
  }
  await writeFact(sheet, 'Service', project === null ? service : `${service}, project ${project}`);
  await writeAsked(sheet, 'First question', asked.first);
  await writeAsked(sheet, 'Last question', asked.last);
  await sheet.write([]);
  await writeNumber(sheet, 'Conversations', survey.sessionCount, undefined);
  await writeNumber(
    sheet,
    'Questions',
    survey.jobCount,
    'with their answers, as far as there are any, in the newest version',
  );
  await writeNumber(sheet, 'Files', facts.fileCount, filesNote(links));
  await writeSearch(sheet, facts);
  await sheet.write([]);
  await writeFact(sheet, 'Archive', identity.id);
  const { asOf, readUntil } = survey.making;
  if (readUntil !== null) {
    const since = isDay(readUntil) ? 'later' : 'since';
    await writeTime(sheet, 'Exported', readUntil, `what was asked ${since} is not here`);
  }
  const newest = asOf ? `${asOf.number}:${asOf.digest}` : 'no commit yet';
  await writeFact(sheet, 'Head', newest, 'jobvault verify ARCHIVE --expect-head proves this state');
  await writeTime(
    sheet,
    'Made',
    madeAt.toISOString(),
    by === undefined ? `by ${tool}` : `by ${by} with ${tool}`,
  );
  await sheet.write([]);
  await writeContents(sheet, facts);
  await sheet.write([]);
  await writeFact(sheet, 'Times', 'All times are UTC.');
  await writeFact(sheet, 'Long texts', 'A cell holds 32,767 characters; long_text has the rest.');
  await writeFact(sheet, 'Printing', 'Cover and Conversations are made for paper.', FOLDED_NOTE);
  await writeFact(sheet, 'Tables', 'What the archive has, in every version.', VERSIONS_NOTE);
  sheet.end();
}

/** A row for each, with what it names below; nothing where all is whole. */
async function writeCaveats(sheet: SheetFile, caveats: readonly Caveat[]): Promise<void> {
  for (const caveat of caveats) {
    const { severity, headline, why } = caveat;
    await writeFact(sheet, SEVERITY_WORDS[severity], headline, why ?? undefined);
    for (const line of namesIn(caveat, NAMED, NAMED_ELSEWHERE)) await writeFact(sheet, '', line);
  }
  if (caveats.length > 0) await sheet.write([]);
}

/** Which jobs are here, and how many were looked at to find them; nothing where all are here. */
async function writeSearch(
  sheet: SheetFile,
  { survey: { making }, choice: { match, from, to, ...choice } }: CoverFacts,
): Promise<void> {
  const search = making.found?.facts;
  if (!search) return;
  const { time_unknown: unknown } = search;
  if (match !== undefined) {
    const where = searchedText(choice.in ?? search.searched_in ?? SEARCH_FIELDS);
    const note = `only questions and answers are here that have these words in one of: ${where}`;
    await writeFact(sheet, 'Words', match, note);
  }
  const hasPeriod = from !== undefined || to !== undefined;
  if (hasPeriod) {
    const mayBe = search.undated === 'include' && unknown > 0 ? ', or may have been,' : '';
    const note = `only what was asked in this period${mayBe} is here`;
    await writeFact(sheet, 'Period', choiceText({ from, to }), note);
  }
  await writeFact(sheet, 'Searched', hitCountText(search), choiceText({ match, from, to }));
}

async function writeContents(
  sheet: SheetFile,
  { survey, rows, counts: { answerTables, ...counts } }: CoverFacts,
): Promise<void> {
  await writeSheetLine(sheet, 'Sheets', CONVERSATIONS.name, {
    has: `${counted(survey.jobCount, 'question')} in ${rowsText(counts.rows)}`,
    meaning:
      'Questions and answers in order, with the files of the answers, each further one in a row of its own; those of steps on the way are in artifacts',
  });
  if (answerTables > 0) {
    await writeSheetLine(sheet, '', ANSWER_TABLES, {
      has: counted(answerTables, 'table'),
      meaning: OF_TEXTS,
    });
  }
  for (const table of PeopleRows.tables) {
    const count = rows.count(table);
    if (count === 0) continue;
    await writeSheetLine(sheet, '', table.name, { has: rowsText(count), meaning: table.meaning });
  }
  if (rows.longTextRows > 0) {
    const meaning = 'Texts that are longer than a cell, in parts';
    const has = rowsText(rows.longTextRows);
    await writeSheetLine(sheet, '', longTextTable.name, { has, meaning });
  }
}

async function writeSheetLine(
  sheet: SheetFile,
  label: string,
  name: string,
  { has, meaning }: { readonly has: string; readonly meaning: string },
): Promise<void> {
  const link = { text: name, hyperlink: `#'${name}'!A1` };
  await sheet.write([label, { value: link, style: LINK }, `${has}: ${meaning}`]);
}

function rowsText(count: number): string {
  return counted(count, 'row');
}

/** What would turn the direction of a name or a reason is shown. */
function shownCell(text: string): string {
  return textCell(visibleDirections(text));
}

async function writeFact(sheet: SheetFile, label: string, value: string, note?: string) {
  await sheet.write([label, shownCell(value), note === undefined ? undefined : shownCell(note)]);
}

async function writeNumber(sheet: SheetFile, label: string, value: number, note: Cell) {
  await sheet.write([
    label,
    { value, style: { ...PLAIN, alignment: { vertical: 'top', horizontal: 'left' } } },
    note,
  ]);
}

/** Nothing where no time is known. */
async function writeAsked(sheet: SheetFile, label: string, end: AskedEnd | undefined) {
  if (!end) return;
  if ('bound' in end) await writeFact(sheet, label, end.bound, end.note);
  else await writeTime(sheet, label, end.at, end.note);
}

/** @param at ISO 8601, or a day */
async function writeTime(sheet: SheetFile, label: string, at: string, note?: string) {
  const value = excelTime(parseFrom(at) ?? 0n);
  const style = isDay(at) ? DATE : TIME;
  if (value !== undefined) await sheet.write([label, { value, style }, note]);
}

/** The note on files for a recipient of the workbook alone, who gets no file with it. */
function filesNote({ archive, isCopy }: FileLinks): Cell {
  if (isCopy) return 'tables and images are not in this pseudonymised copy';
  return archive === undefined
    ? 'tables and images, which are not in this workbook; each is named with its path in the archive'
    : textCell(
        `tables and images, which are not in this workbook: links lead from its folder to the archive (${archive}), and open nothing where this file is moved or sent elsewhere; jobvault evidence makes a pack that has the files`,
      );
}

function titleOf(survey: Survey): string {
  const whose = whoseText(survey);
  const { found, selection } = survey.making;
  const isPart =
    found !== undefined || selection.scope.sessions.length > 0 || !selection.decisions.isEmpty;
  return isPart ? `A part of the conversations of ${whose}` : `Conversations of ${whose}`;
}

/** `ada`, or `3 users`. */
export function whoseText({ users, peopleCount, isOfOne }: Survey): string {
  const [first] = users.keys();
  if (isOfOne && first !== undefined) return visibleId(first);
  return counted(peopleCount, 'user');
}

async function writeUsers(sheet: SheetFile, { survey, questions }: CoverFacts): Promise<void> {
  const { peopleCount, isOfOne } = survey;
  if (isOfOne) return writeFact(sheet, 'User', whoseText(survey));
  const { usersById: users } = survey;
  // each id has a line: spellings of a user, and who has no conversation
  const ids = users.length === peopleCount ? '' : `; below are all ${users.length} ids`;
  await writeNumber(sheet, 'Users', peopleCount, `with conversations${ids}`);
  for (const user of users.slice(0, MAX_USERS)) {
    const counts = [
      counted(user.sessions.length, 'conversation'),
      counted(questions.get(user.user) ?? 0, 'question'),
      ...gapCountTexts(user.missing),
    ];
    await writeFact(sheet, '', visibleId(user.user), counts.join(', '));
  }
  if (users.length > MAX_USERS) await writeFact(sheet, '', `and ${users.length - MAX_USERS} more`);
}
