/**
 * A session as a text for people: what was asked, what was answered, which files belong to it. Whatever comes
 * from the service is indented or on a line with our words before it, so that no answer looks like another job.
 */
import { partText } from '../base/text/counted.js';
import { escapedCharacter, visibleId } from '../base/text/direction.js';
import { shapeOf } from '../model/block-types.js';
import type { HoldRecord } from '../archive/log/notes.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import {
  type ArtifactFact,
  type CodeFact,
  type EntryFact,
  type JobFact,
  type RecordPlace,
} from './facts.js';
import { boundsText, minuteText } from '../model/timestamp.js';
import { doubtfulText } from './item-rows.js';
import { serviceStatus, type SessionPlan } from './plan.js';
import { UNKNOWN_DATE } from '../archive/reading/caveats/caveat.js';
import { type SearchField, matchedText } from '../search/search-fields.js';
import { STEERING } from '../base/text/short-texts.js';

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
  holds: readonly HoldRecord[],
): string {
  const { user, session, jobs, surveyed } = plan;
  const { jobs: archived, withheld: { withheld = 0 } = {}, history } = surveyed;
  const ofAll =
    jobs.size < archived ? ' of this conversation; the others are not in this pack' : '';
  const atService = serviceStatus(surveyed);
  return shown(
    [
      `${name === null ? '(no name)' : onOneLine(name)}\n`,
      `conversation ${visibleId(session)} of user ${visibleId(user)}\n`,
      `${partText(jobs.size, { archived, withheld }, 'question')}${ofAll}; ${HISTORY_WORDS[history]}\n`,
      ...([...jobs.values()].some(({ place }) => place === null) ? [ORDER_UNKNOWN] : []),
      ...(atService === null ? [] : [`${atService}\n`]),
      ...holds.map(({ reason, by, since }) => {
        const who = `asked for by ${onOneLine(by)}, since ${since.slice(0, 10)}`;
        return `on hold: ${onOneLine(reason)} (${who})\n`;
      }),
    ].join(''),
  );
}

export interface TranscribedJob {
  readonly job: string;
  /** As `JobPlan`. */
  readonly place: number | null;
  /** Whether nothing tells if it was asked within the period of the search. */
  readonly isUndated: boolean;
  /** The decision that redacts it; null of none. */
  readonly redaction: string | null;
  readonly isSettled: boolean;
  readonly versions: number;
  /** The newest version of the job. */
  readonly fact: JobFact;
  /** Of its newest version. */
  readonly record: RecordPlace;
  /** Where the words of a search stand; empty without one. */
  readonly matchedIn: readonly SearchField[];
  /** The steps of a job that was found by its code, or by its answer. */
  readonly code: readonly CodeFact[];
  /** Its sources and proposed questions. */
  readonly entries: readonly EntryFact[];
  readonly files: readonly { readonly fact: ArtifactFact; readonly packPath: string | null }[];
}

export function transcriptJob(transcribed: TranscribedJob): string {
  const { job, place, isSettled, isUndated, redaction, versions, fact, record } = transcribed;
  const { matchedIn, code, entries, files } = transcribed;
  const lines = [
    `\n${RULE}\n`,
    `question${place === null ? '' : ` ${place}`} of the conversation, ${visibleId(job)}\n`,
    ...askedLines(fact),
    ...(isUndated ? [`${UNKNOWN_DATE}\n`] : []),
    ...(redaction === null ? [] : [`${onOneLine(redaction)}\n`]),
    ...(versions > 1 ? [`version ${versions}; the earlier ones are in records/\n`] : []),
    ...(isSettled ? [] : ['the answer may still have been changing when it was archived\n']),
    `record: number ${record.number} in data/${record.packPath}\n`,
    ...(matchedIn.length === 0 ? [] : [`found in: ${matchedText(matchedIn)}\n`]),
    ...(matchedIn.includes('table') ? tableLines(files) : []),
    `\nQUESTION\n${fact.question === null ? '(no text)' : indented(fact.question)}\n`,
    ...code.map(codeText),
    `\nANSWER\n${fact.answer === null ? '(no text)' : indented(fact.answer)}\n`,
    ...entriesText(entries, 'source'),
    ...entriesText(entries, 'question'),
    ...(files.length > 0 ? ['\nFILES\n', ...new Set(files.map(fileLine))] : []),
  ];
  return shown(lines.join(''));
}

/** When it was asked, and how that is known; nothing where nothing tells. */
function askedLines({ createdAt, createdAfter, createdBefore }: JobFact): string[] {
  if (createdAt !== null) return [`asked ${minuteText(createdAt)}, as its id tells\n`];
  const bounds = boundsText(createdAfter, createdBefore);
  return bounds === null ? [] : [`asked ${bounds}, ${AS_NEIGHBOURS_TELL}\n`];
}

const AS_NEIGHBOURS_TELL = 'as the questions before and after it in the conversation tell';

function codeText({ kind, name, text }: CodeFact): string {
  const heading = kind === 'code' ? 'CODE' : 'STEP';
  return `\n${heading}${name === null ? '' : ` (${onOneLine(name)})`}\n${indented(text)}\n`;
}

/** Which files may have the words that were found in a table: a transcript does not show what is in them. Each once: an answer repeats the table of a step. */
function tableLines(files: TranscribedJob['files']): string[] {
  const tables = files.filter(({ fact }) => shapeOf(fact.type) === 'table' && mayHaveWords(fact));
  const lines = tables.map((table) => {
    const isLost = table.fact.status === LOST_STATUS;
    return `${isLost ? 'table that may have had them' : 'table to look in'}: ${fileLine(table)}`;
  });
  return [...new Set(lines)];
}

/**
 * Whether a file may have words, also one that is lost: its words are in the archive's rows. One that is not stored or
 * has no byte has none.
 */
function mayHaveWords({ file, status }: ArtifactFact): boolean {
  return status === LOST_STATUS || (file !== null && file.bytes > 0);
}

const ENTRIES_HEADINGS = { source: '\nSOURCES\n', question: '\nSUGGESTED FOLLOW-UP QUESTIONS\n' };

function entriesText(all: TranscribedJob['entries'], kind: EntryFact['kind']): string[] {
  const entries = all.filter((entry) => entry.kind === kind);
  if (entries.length === 0) return [];
  const lines = entries.map(({ text, passage }) => {
    const cited = passage === null || passage === '' ? '' : `: “${onOneLine(passage)}”`;
    return `    - ${onOneLine(text)}${cited}\n`;
  });
  return [ENTRIES_HEADINGS[kind], ...lines];
}

function fileLine({ fact, packPath }: TranscribedJob['files'][number]): string {
  const where =
    packPath === null
      ? `${fact.status === LOST_STATUS ? 'NOT IN THE PACK' : 'NOT ARCHIVED'}, ${fact.status ?? 'no status'}: ${fact.reason ?? ''}`
      : `data/${packPath}${fact.doubt === null ? '' : ` (${doubtfulText(fact) ?? ''})`}`;
  const name = onOneLine(fact.name ?? '(no name)');
  return `${fact.type ?? 'FILE'} "${name}": ${where}\n`;
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}

const IN_TEXT = new RegExp(`(?![\\n\\t])[${STEERING}]`, 'gu');

/** Control and bidirectional characters become their escapes; the record keeps them. */
function shown(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(IN_TEXT, escapedCharacter);
}
