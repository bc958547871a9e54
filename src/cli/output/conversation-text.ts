/** Formats a conversation as plain text for a terminal. */
import { withoutData } from '../../model/urls/file-url.js';
import { completenessOf, headlineOf } from '../../archive/reading/caveats/caveat-text.js';
import type { Conversation } from '../../archive/reading/conversation.js';
import {
  answerBlockOf,
  blockKey,
  inBlockOrder,
  stepOf,
  type JobRows,
} from '../../archive/reading/rows/session-rows.js';
import { isAnswered, whyNoAnswer } from '../../model/blocks/answered.js';
import { visibleId } from '../../base/text/direction.js';
import { beginningOf, piecesOf } from '../../base/text/short-texts.js';
import { isFileShape, shapeOf, type ShownShape } from '../../model/blocks/block-types.js';
import { questionText, sourceFields } from '../../model/blocks/list-entries.js';
import { shownContent } from '../../model/blocks/shown-content.js';
import type { Row } from '../../model/table-schema.js';
import { textIn } from '../../model/mask-secrets.js';
import { askedText, askedTimes } from '../../model/times/asked-times.js';
import { isOrderKnown } from '../../model/times/oldest-first.js';
import { groupBy } from '../../base/group-by.js';
import { counted } from '../../base/text/counted.js';
import { secondText } from './texts/time-text.js';
import { visible } from '../../base/text/visible.js';

const ORDER_UNKNOWN = 'the order of its questions is not known: their';
const NO_TIMES = 'ids have no times that show it';
const CONTRADICTED = 'numbers (job_index) repeat, or contradict the times in their ids';
/** Whether one may still come, a caveat says. */
const NO_ANSWER = 'no answer in this archive';
const RULE = '─'.repeat(72);

type Shown = Pick<Conversation, 'session' | 'jobs'> & Partial<Pick<Conversation, 'caveats'>>;

/** In pieces, none longer than a block: an answer may have 64 MB. @param days columns of which the day alone is known */
export function* conversationText(
  { session, jobs, caveats = [] }: Shown,
  days?: ReadonlySet<string>,
): Generator<string> {
  const name = textIn(session, 'name') ?? '(no name)';
  const head = `${name}\nsession ${idIn(session, 'session_id')}, user ${idIn(session, 'user_id')}\n`;
  yield visible(head);
  if (completenessOf(caveats) !== 'complete') yield `${headlineOf(caveats)}\n`;
  yield orderText(jobs.map(({ job }) => job));
  for (const job of jobs) for (const text of jobTexts(job, days)) yield* visiblePieces(text);
  // they follow
  if (caveats.length > 0) yield '\n';
}

/** Nothing where it is known. */
function orderText(jobs: readonly Row[]): string {
  if (isOrderKnown(jobs)) return '';
  const times = new Set(jobs.map((job) => job['created_at']).filter((time) => time !== null));
  return `${ORDER_UNKNOWN} ${times.size < 2 ? NO_TIMES : CONTRADICTED}\n`;
}

/** A copy of a text of 64 MB takes more than the text. */
function* visiblePieces(text: string): Generator<string> {
  let held = '';
  for (const piece of piecesOf(text)) {
    // a line end stays whole
    const end = piece.endsWith('\r') ? piece.length - 1 : piece.length;
    yield visible(held + piece.slice(0, end));
    held = piece.slice(end);
  }
  if (held !== '') yield visible(held);
}

function* jobTexts(
  { job, blocks, artifacts }: JobRows,
  days: ReadonlySet<string> | undefined,
): Generator<string> {
  const version = job['job_version'] > 1 ? `, version ${cell(job, 'job_version')}` : '';
  const answer = blocks.filter((block) => block['role'] === 'answer');
  const steps = stepsIn(answer);
  const files = groupBy(artifacts, blockKey);
  const inQuestion = artifacts.filter((file) => file['role'] === 'question');
  const outside = artifacts.filter((file) => file['role'] === 'record');
  yield `\n${RULE}\n${idIn(job, 'job_id')}${version}, ${askedText(askedTimes(job, days), secondText)}\n`;
  yield `\nQ: ${withoutData(textIn(job, 'question_text') ?? '(no text)')}\n`;
  for (const block of blocks.filter((candidate) => candidate['role'] === 'question')) {
    const { json } = shownContent(block, files.has(blockKey(block)));
    if (json !== null) yield `[${cell(block, 'type')}] ${json}\n`;
  }
  for (const file of inQuestion) yield `${fileText(file)}\n`;
  if (steps > 0) yield `\n[${counted(steps, 'step')} of analysis]\n`;
  for (const block of answer) {
    if (!stepOf(block)) yield* blockTexts(block, files.get(blockKey(block)) ?? []);
  }
  if (!isAnswered(blocks.map(answerBlockOf))) {
    const isAnythingShown = answer.some((block) => !stepOf(block));
    const where = steps > 0 ? 'the steps, which --json has,' : null;
    yield `\n(${NO_ANSWER}${whyNoAnswer(isAnythingShown, where)})\n`;
  }
  for (const file of outside) yield `\n${fileText(file)}\n`;
}

/** As the report counts them: blocks of one step that follow each other are one. */
function stepsIn(blocks: readonly Row[]): number {
  const ids = inBlockOrder(blocks)
    .map((block) => stepOf(block)?.id)
    .filter((id) => id !== undefined);
  return ids.filter((id, at) => id !== ids[at - 1]).length;
}

function* blockTexts(block: Row, files: readonly Row[]): Generator<string> {
  const type = cell(block, 'type');
  const { text, entries, json } = shownContent(block, files.length > 0);
  const isFile = isFileShape(shapeOf(type));
  yield text === null || isFile || shapeOf(type) === 'prose' ? '\n' : `\n[${type}]\n`;
  // a caption stands below its table or image
  if (isFile) for (const file of files) yield `${fileText(file)}\n`;
  if (text !== null) {
    yield withoutData(text);
    yield '\n';
  }
  if (entries !== null) yield `[${type}]${entriesText(entries, shapeOf(type))}\n`;
  if (json !== null) yield `[${type}] ${json}\n`;
  const isEmpty = text === null && entries === null && json === null && files.length === 0;
  if (isEmpty) yield `[${type}] (its content is not in this archive)\n`;
  if (!isFile) for (const file of files) yield `${fileText(file)}\n`;
}

/** Lists sources, with the cited passage, and the suggested questions; an entry that is neither stays JSON. */
function entriesText(entries: readonly unknown[], shape: ShownShape): string {
  const nameOf = shape === 'questions' ? questionText : sourceText;
  return entries.map((entry) => `\n- ${nameOf(entry) ?? JSON.stringify(entry)}`).join('');
}

function sourceText(entry: unknown): string | undefined {
  const { source, content, page_no: page } = sourceFields(entry) ?? {};
  if (typeof source !== 'string' || source === '') return undefined;
  const hasPage = typeof page === 'number' || (typeof page === 'string' && page !== '');
  const place = hasPage ? `${source}, page ${page}` : source;
  return typeof content === 'string' && content !== '' ? `${place}: ${cited(content)}` : place;
}

/** The characters of a passage that are shown. */
const SHOWN_PASSAGE = 500;

/** The beginning of a passage, on one line. */
function cited(passage: string): string {
  const beginning = beginningOf(passage, SHOWN_PASSAGE);
  const line = beginning.replaceAll(/\s+/g, ' ').trim();
  return beginning.length < passage.length ? `“${line}…” (--json has the whole)` : `“${line}”`;
}

function fileText(file: Row): string {
  const [path, status, reason] = ['path', 'status', 'reason'].map((column) => cell(file, column));
  const lost = reason === '' ? (status ?? '') : `${status}: ${reason}`;
  const where = status === 'stored' ? (path ?? '') : lost;
  // a pseudonymised copy has no paths
  const place = where === '' ? '(the file is not in this archive)' : `→ ${where}`;
  return `[${cell(file, 'kind')}] ${textIn(file, 'name') ?? '(no name)'} ${place}`;
}

/** With what cannot be seen in it. */
function idIn(row: Row, column: string): string {
  return visibleId(cell(row, column));
}

function cell(row: Row, column: string): string {
  return String(row[column] ?? '');
}
