/**
 * A session as a text for people: what was asked, what was answered, which files belong to it. Whatever comes
 * from the service is indented or on a line with our words before it, so that no answer looks like another job. Control
 * and bidirectional characters are escapes here; the record keeps them.
 */
import { counted, partText } from '../base/text/counted.js';
import { visibleId } from '../base/text/direction.js';
import { shapeOf } from '../model/blocks/block-types.js';
import { boundAsText, type BindingHold } from '../archive/holds/holds.js';
import type { MadeJob } from '../making/conversations.js';
import { askedTimes, type AskedTimes } from '../model/times/asked-times.js';
import type { RowOf } from '../model/table-schema.js';
import type { artifactsTable } from '../model/tables.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import type { RecordPlace } from './record-list.js';
import { inBlockOrder } from '../archive/reading/rows/session-rows.js';
import { isCode } from './row-cells.js';
import { boundsText, minuteText } from '../model/times/timestamp.js';
import { doubtfulText } from './item-rows.js';
import { serviceStatus, type SessionPlan } from './plan.js';
import type { PackedJob } from './session-rows.js';
import { UNKNOWN_DATE } from '../archive/reading/caveats/in-search.js';
import { matchedText } from '../search/search-fields.js';
import { visible } from '../base/text/visible.js';

const RULE = '-'.repeat(72);

const HISTORY_WORDS = {
  read_to_end: 'its history was read to the end',
  in_doubt: 'its history was read to the end, and is in doubt: gaps.csv says why',
  not_read_to_end: 'its history was NOT read to the end',
} as const;

const ORDER_UNKNOWN = 'the order of its questions is not known; they have no numbers here\n';

/** @param holds those that bind it */
export function transcriptHead(
  plan: SessionPlan,
  name: string | null,
  holds: readonly BindingHold[],
): string {
  const { user, session, jobs, surveyed } = plan;
  const { jobs: archived, withheld: { withheld = 0 } = {}, history } = surveyed;
  const ofAll =
    jobs.size < archived ? ' of this conversation; the others are not in this pack' : '';
  const atService = serviceStatus(surveyed);
  return visible(
    [
      `${name === null ? '(no name)' : onOneLine(name)}\n`,
      `conversation ${visibleId(session)} of user ${visibleId(user)}\n`,
      `${partText(jobs.size, { archived, withheld }, 'question')}${ofAll}; ${HISTORY_WORDS[history]}\n`,
      ...([...jobs.values()].some(({ place }) => place === null) ? [ORDER_UNKNOWN] : []),
      ...(atService === null ? [] : [`${atService}\n`]),
      ...holds.map((hold) => {
        const { reason, by, since } = hold;
        const who = `asked for by ${onOneLine(by)}, since ${since.slice(0, 10)}${onOneLine(boundAsText(hold, user))}`;
        return `on hold: ${onOneLine(reason)} (${who})\n`;
      }),
    ].join(''),
  );
}

/** A place in the newest version of a job that shows a file. */
interface TranscribedFile {
  readonly row: RowOf<typeof artifactsTable>;
  /** Null where it is not in the pack. */
  readonly packPath: string | null;
}

export interface TranscribedJob extends Pick<PackedJob, 'plan' | 'made'> {
  /** Where the record of its newest version is. */
  readonly record: RecordPlace;
  readonly files: readonly TranscribedFile[];
}

export function transcriptJob({ plan, made, record, files }: TranscribedJob): string {
  const { job, place, state } = plan;
  const { matchedIn, isUndated, redaction, earlier, blocks } = made;
  const { question_text: question, answer_text: answer } = made.job;
  const lines = [
    `\n${RULE}\n`,
    `question${place === null ? '' : ` ${place}`} of the conversation, ${visibleId(job)}\n`,
    ...askedLines(askedTimes(made.job)),
    ...(isUndated ? [`${UNKNOWN_DATE}\n`] : []),
    ...(redaction === null ? [] : [`${onOneLine(redaction)}\n`]),
    ...(earlier.length > 0
      ? [`version ${earlier.length + 1}; the earlier ones are in records/\n`]
      : []),
    ...(state.settled ? [] : [made.mayChange ? OPEN : LEFT_OPEN]),
    `record: number ${record.number} in data/${record.packPath}\n`,
    ...(matchedIn.length === 0 ? [] : [`found in: ${matchedText(matchedIn)}\n`]),
    ...(matchedIn.includes('table') ? tableLines(files) : []),
    `\nQUESTION\n${question === null ? '(no text)' : indented(question)}\n`,
    ...inBlockOrder(blocks).map(codeText),
    `\nANSWER\n${answer === null ? withoutText(made) : indented(answer)}\n`,
    ...listed('Sources', inBlockOrder(made.sources, 'source_index').map(sourceLine)),
    ...listed(
      'Suggested follow-up questions',
      inBlockOrder(made.proposed_questions, 'question_index').map(({ question: text }) =>
        entryLine(text ?? '(no text)'),
      ),
    ),
    ...listed('Files', new Set(files.map(fileLine))),
  ];
  return visible(lines.join(''));
}

/** What stands for an answer without a text: whether there is one, such as a table alone. An error may stand among the steps. */
function withoutText({ job }: MadeJob): string {
  const { respond_block_count: ofAnswer, analyze_block_count: ofSteps } = job;
  if (ofAnswer !== 0) return '(no text)';
  const none = 'there was no answer when this was archived';
  return ofSteps === null || ofSteps === 0
    ? `(${none})`
    : `(${none}; the record has ${counted(ofSteps, 'block')} of steps on the way to one, which may say why)`;
}

/** When it was asked, and how that is known; nothing where nothing tells. */
function askedLines(times: AskedTimes): string[] {
  if (times.created_at !== null)
    return [`asked ${minuteText(times.created_at)}, as its id tells\n`];
  const bounds = boundsText(times.created_after, times.created_before);
  return bounds === null ? [] : [`asked ${bounds}, ${AS_NEIGHBOURS_TELL}\n`];
}

const OPEN = 'its answer may still come or change\n';
const LEFT_OPEN =
  'nothing showed that its answer was final before its conversation was gone from the service\n';

const AS_NEIGHBOURS_TELL = 'as the questions before and after it in the conversation tell';

/** Code, or the text of a step. */
function codeText(block: MadeJob['blocks'][number]): string {
  const name = isCode(block) ? block.code_language : block.group_name;
  const heading = isCode(block) ? 'CODE' : 'STEP';
  const text = indented(block.content_text ?? '');
  return `\n${heading}${name === null || name === '' ? '' : ` (${onOneLine(name)})`}\n${text}\n`;
}

/** Which files may have the words that were found in a table: a transcript does not show what is in them. Each once: an answer repeats the table of a step. */
function tableLines(files: readonly TranscribedFile[]): string[] {
  const tables = files.filter((file) => shapeOf(file.row.kind) === 'table' && mayHaveWords(file));
  const lines = tables.map((table) => {
    const isLost = table.row.status === LOST_STATUS;
    return `${isLost ? 'table that may have had them' : 'table to look in'}: ${fileLine(table)}`;
  });
  return [...new Set(lines)];
}

/**
 * Whether a file may have words, also one that is lost: its words are in the archive's rows. One that is not stored or
 * has no byte has none.
 */
function mayHaveWords({ row: { status, bytes }, packPath }: TranscribedFile): boolean {
  return status === LOST_STATUS || (packPath !== null && Number(bytes) > 0);
}

function listed(heading: string, lines: Iterable<string>): string[] {
  const all = [...lines];
  return all.length === 0 ? [] : [`\n${heading.toUpperCase()}\n`, ...all];
}

function sourceLine({ source, page_no: page, content }: MadeJob['sources'][number]): string {
  const name = source ?? '(no name)';
  return entryLine(page === null ? name : `${name}, page ${page}`, content);
}

/** @param passage what is cited */
function entryLine(text: string, passage: string | null = null): string {
  const cited = passage === null || passage === '' ? '' : `: “${onOneLine(passage)}”`;
  return `    - ${onOneLine(text)}${cited}\n`;
}

function fileLine({ row, packPath }: TranscribedFile): string {
  const { status, reason, suspicious } = row;
  const where =
    packPath === null
      ? `${status === LOST_STATUS ? 'NOT IN THE PACK' : 'NOT ARCHIVED'}, ${status ?? 'no status'}: ${reason ?? ''}`
      : `data/${packPath}${suspicious === null ? '' : ` (${doubtfulText(row) ?? ''})`}`;
  return `${row.kind ?? 'FILE'} "${onOneLine(row.name ?? '(no name)')}": ${where}\n`;
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}
