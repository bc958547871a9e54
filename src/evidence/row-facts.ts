/** Reads the rows of a pack as facts that its files tell. */
import { artifactOf } from '../archive/artifact-rows.js';
import { shownFileUrl } from '../model/urls/shown-url.js';
import { blockTypeOf, shapeOf } from '../model/block-types.js';
import { textIn, textOrEmpty } from '../model/mask-secrets.js';
import type { Row } from '../model/table-schema.js';
import { formatTimestamp } from '../model/timestamp.js';
import type {
  ArtifactFact,
  CodeFact,
  EntryFact,
  JobFact,
  Origin,
  RecordFact,
  RecordPlace,
  SessionFact,
} from './facts.js';

export function sessionFact(row: Row): SessionFact {
  return {
    version: numberOrZero(row, 'session_version'),
    name: textIn(row, 'name'),
    createdAt: timeIn(row, 'created_at'),
    ...originOf(row),
  };
}

export function jobFact(row: Row): JobFact {
  return {
    version: numberOrZero(row, 'job_version'),
    question: textIn(row, 'question_text'),
    answer: textIn(row, 'answer_text'),
    createdAt: timeIn(row, 'created_at'),
    createdAfter: timeIn(row, 'created_after'),
    createdBefore: timeIn(row, 'created_before'),
    ...originOf(row),
  };
}

export function codeFact(row: Row): CodeFact {
  const ofStep = !isCode(row);
  const name = textIn(row, ofStep ? 'group_name' : 'code_language');
  return {
    kind: ofStep ? 'step' : 'code',
    name: name === '' ? null : name,
    text: textOrEmpty(row, 'content_text'),
  };
}

export function sourceFact(row: Row): EntryFact {
  const page = row['page_no'];
  const name = textIn(row, 'source') ?? '(no name)';
  return {
    kind: 'source',
    text: page === null || page === undefined ? name : `${name}, page ${Number(page)}`,
    passage: textIn(row, 'content'),
  };
}

export function questionFact(row: Row): EntryFact {
  return { kind: 'question', text: textIn(row, 'question') ?? '(no text)', passage: null };
}

export function recordFact(row: Row, place: RecordPlace): RecordFact {
  const [bytes, sha256] = [numberOrZero(row, 'record_bytes'), textOrEmpty(row, 'record_sha256')];
  return { ...place, bytes, sha256, ...originOf(row) };
}

export function artifactFact(row: Row): ArtifactFact {
  const url = textIn(row, 'url');
  return {
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
    ...originOf(row),
  };
}

function originOf(row: Row): Origin {
  return {
    path: textOrEmpty(row, 'archive_path'),
    commit: numberOrZero(row, 'commit'),
    exportedAt: timeIn(row, 'exported_at'),
  };
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
