/** Reads the rows of the archive as facts of a pack. */
import { artifactOf } from '../archive/artifact-rows.js';
import { blockTypeOf, shapeOf } from '../model/block-types.js';
import { textIn } from '../model/mask-secrets.js';
import type { Row } from '../model/table-schema.js';
import {
  type ArtifactFact,
  type CodeFact,
  type EntryFact,
  type JobFact,
  type Origin,
  type SessionFact,
} from './facts.js';
import type { Part } from '../archive/reading/selected-rows.js';
import { beginningOf, SHOWN_CHARACTERS } from '../base/text/short-texts.js';
import { shownFileUrl } from '../model/urls/shown-url.js';
import { formatTimestamp } from '../model/timestamp.js';

export function sessionFact(row: Row, version: number, part: Part): SessionFact {
  return {
    kind: 'session',
    version,
    name: textIn(row, 'name'),
    createdAt: timeIn(row, 'created_at'),
    ...originOf(row, part),
  };
}

export function jobFact(row: Row, version: number, part: Part): JobFact {
  return {
    kind: 'job',
    version,
    isWithdrawn: row['is_withdrawn'] === true,
    question: beginningIn(row, 'question_text'),
    answer: beginningIn(row, 'answer_text'),
    createdAt: timeIn(row, 'created_at'),
    createdAfter: timeIn(row, 'created_after'),
    createdBefore: timeIn(row, 'created_before'),
    ...originOf(row, part),
  };
}

export function codeFact(row: Row, version: number, part: Part): CodeFact {
  const ofStep = !isCode(row);
  const name = textIn(row, ofStep ? 'group_name' : 'code_language');
  return {
    kind: ofStep ? 'step' : 'code',
    version,
    block: numberOrZero(row, 'block_index'),
    name: name === '' ? null : name,
    text: beginningIn(row, 'content_text') ?? '',
    ...originOf(row, part),
  };
}

export function sourceFact(row: Row, version: number, part: Part): EntryFact {
  const page = row['page_no'];
  const name = textIn(row, 'source') ?? '(no name)';
  return {
    kind: 'source',
    version,
    block: numberOrZero(row, 'block_index'),
    index: numberOrZero(row, 'source_index'),
    text: page === null || page === undefined ? name : `${name}, page ${Number(page)}`,
    passage: beginningIn(row, 'content'),
    ...originOf(row, part),
  };
}

export function questionFact(row: Row, version: number, part: Part): EntryFact {
  return {
    kind: 'question',
    version,
    block: numberOrZero(row, 'block_index'),
    index: numberOrZero(row, 'question_index'),
    text: beginningIn(row, 'question') ?? '(no text)',
    passage: null,
    ...originOf(row, part),
  };
}

/** A transcript is for people: the record has the whole text. */
function beginningIn(row: Row, column: string): string | null {
  const text = textIn(row, column);
  if (text === null || text.length <= SHOWN_CHARACTERS) return text;
  const beginning = beginningOf(text);
  return `${beginning}\n… (${text.length - beginning.length} more characters: see the record)`;
}

export function artifactFact(row: Row, version: number, part: Part): ArtifactFact {
  const url = textIn(row, 'url');
  return {
    kind: 'artifact',
    version,
    role: textIn(row, 'role'),
    block: numberOrZero(row, 'block_index'),
    file_index: numberOrZero(row, 'file_index'),
    type: textIn(row, 'kind'),
    name: textIn(row, 'name'),
    url: url === null ? null : shownFileUrl(url),
    status: textIn(row, 'status'),
    reason: textIn(row, 'reason'),
    doubt: textIn(row, 'suspicious'),
    mediaType: textIn(row, 'media_type'),
    file: artifactOf(row) ?? null,
    ...originOf(row, part),
  };
}

export function originOf(row: Row, { path, commit }: Part): Origin {
  return { path, commit, exportedAt: timeIn(row, 'exported_at') };
}

export function numberOrZero(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}

function timeIn(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === 'bigint' ? formatTimestamp(value) : null;
}

export function isCode(row: Row): boolean {
  return shapeOf(blockTypeOf(row['type'])) === 'code';
}
