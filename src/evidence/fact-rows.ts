/** Rows of the archive's tables as facts. */
import { beginningOf, SHOWN_CHARACTERS } from '../base/text/beginning.js';
import { shownFileUrl } from '../model/shown-url.js';
import type { Row } from '../model/table-schema.js';
import { textIn } from '../model/text-in.js';
import { formatTimestamp } from '../model/timestamp.js';
import type { ArtifactFact, JobFact, Origin, SessionFact } from './facts.js';
import type { Part } from '../archive/reading/selected-rows.js';

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
    question: beginningIn(row, 'question_text'),
    answer: beginningIn(row, 'answer_text'),
    createdAt: timeIn(row, 'created_at'),
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
  const path = textIn(row, 'path');
  const sha256 = textIn(row, 'sha256');
  const isStored = row['status'] === 'stored' && path !== null && sha256 !== null;
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
    reason: textIn(row, 'reason') ?? doubtIn(row),
    mediaType: textIn(row, 'media_type'),
    file: isStored ? { path, sha256, bytes: numberOrZero(row, 'bytes') } : null,
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

/** What the archive says of a file that it holds and is not sure of. */
function doubtIn(row: Row): string | null {
  const suspicious = textIn(row, 'suspicious');
  return suspicious === null ? null : `stored, but doubtful: ${suspicious}`;
}
