/** A job's record as JSON text, and the rows that it becomes. */
import { parseJson } from '../../../src/base/text/parse-json.js';
import { contentHash } from '../../../src/flatten/content-hash.js';
import { fileReferences, placeKey } from '../../../src/flatten/file-references.js';
import { type FileFacts } from '../../../src/flatten/file-facts.js';
import { flattenJob, type JobToFlatten } from '../../../src/flatten/flatten-job.js';
import { asJobId, asRunId, asSessionId, asUserId } from '../../../src/model/ids.js';
import type { JobRecord, Verbatim } from '../../../src/model/records.js';
import type { Row } from '../../../src/model/table-schema.js';
import { NO_BOUNDS } from '../../../src/model/times/time-bounds.js';

export const STORED: FileFacts = {
  status: 'stored',
  reason: null,
  stored: {
    path: 'artifacts/ab/abc.csv',
    sha256: 'abc',
    bytes: 12,
    mediaType: 'text/csv',
    suspicious: null,
    rowCount: 2,
    columnCount: 3,
    width: null,
    height: null,
    sentName: null,
    encoding: 'utf-8',
    separator: ',',
    headingLine: 1,
    hasTableText: true,
  },
};

export function recordOf(text: string): Verbatim<JobRecord> {
  return { value: parseJson(text) as JobRecord, text };
}

/** A record whose answer has these blocks, each a JSON text. */
export function answerOf(...blocks: readonly string[]): Verbatim<JobRecord> {
  return recordOf(
    `{"job_id":"j","question":{"blocks":[]},"answer":{"blocks":[${blocks.join(',')}]}}`,
  );
}

/** Every file is stored unless `changes` says otherwise. */
export function jobToFlatten(
  record: Verbatim<JobRecord>,
  changes: Partial<JobToFlatten> = {},
): JobToFlatten {
  const references = fileReferences(record);
  return {
    userId: asUserId('u'),
    sessionId: asSessionId('s'),
    jobId: asJobId('j'),
    jobVersion: 1,
    runId: asRunId('run'),
    exportedAt: 5n,
    record,
    place: { index: 0, bounds: NO_BOUNDS },
    isSettled: true,
    contentHash: contentHash(record),
    files: new Map(references.map((reference) => [placeKey(reference), STORED])),
    ...changes,
  };
}

/** With the rows as arrays. */
export function flattened(record: Verbatim<JobRecord>, changes: Partial<JobToFlatten> = {}) {
  const { tables, alteredTexts } = flattenJob(jobToFlatten(record, changes));
  return { tables: tables.map(({ table, rows }) => ({ table, rows: [...rows] })), alteredTexts };
}

/** The rows of one table; none where the job has none. */
export function rowsOf(
  table: string,
  record: Verbatim<JobRecord>,
  changes: Partial<JobToFlatten> = {},
): readonly Row[] {
  const { tables } = flattened(record, changes);
  return tables.find((one) => one.table.name === table)?.rows ?? [];
}

/** The `blocks` row of an answer's only block. */
export function blockRow(block: string): Row {
  return rowsOf('blocks', answerOf(block))[0]!;
}
