/** What hostile records become, pinned: rows, hashes and traces are in archives, and no change of the code may change them. */
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { contentHash } from '../../../src/flatten/content-hash.js';
import { fileReferences, placeKey } from '../../../src/flatten/file-references.js';
import { urlTraces } from '../../../src/flatten/url-traces.js';
import { type FileFacts, filesDigest } from '../../../src/flatten/file-facts.js';
import { asUserId } from '../../../src/model/ids.js';
import type { JobRecord, Verbatim } from '../../../src/model/records.js';
import type { Row } from '../../../src/model/table-schema.js';
import { TABLES } from '../../../src/model/tables.js';
import { NO_BOUNDS } from '../../../src/model/times/time-bounds.js';
import { parseResponse } from '../../../src/service/parse-response.js';
import { readPage } from '../../../src/service/page.js';
import { flattened, STORED } from '../../support/tables/flattened-job.js';
import { HostileRecords } from '../../support/http/hostile-records.js';
import { memorySource, writtenBytes, allFormats } from '../../support/base/memory-bytes.js';

const RECORDS = 80;
interface Pinned {
  readonly traces: string;
  readonly altered: number;
  /** By table: its name, how many rows, and their digest. */
  readonly rows: readonly string[];
}

const PINNED: Readonly<Record<number, Pinned>> = {
  1: {
    traces: '3aa3e23ab26f6709',
    altered: 141,
    rows: [
      'jobs 80 dd50063cc71449ce',
      'blocks 473 5cf4bff65ec2aacd',
      'sources 57 0875aec347d6e64a',
      'proposed_questions 29 c38d4e63ef86ee29',
      'artifacts 998 589ed2b44d3e5cf6',
      'raw_jobs 80 dd9616c4dfb6dfd9',
    ],
  },
  2026: {
    traces: '2a4f959aaae6e016',
    altered: 162,
    rows: [
      'jobs 80 193e7e01d87b6e5d',
      'blocks 595 570f8468bdacd00a',
      'sources 74 1e6db7defdb2bd02',
      'proposed_questions 50 aae5c60490982ef0',
      'artifacts 1103 b372f3febd460c42',
      'raw_jobs 80 017bb82df1007567',
    ],
  },
};
const LOST: FileFacts = { status: 'missing', reason: 'HTTP 404' };

function recordsOf(seed: number): readonly Verbatim<JobRecord>[] {
  const text = `{"code":0,"data":{"page_size":${RECORDS},"records":${new HostileRecords(seed).page(RECORDS)}}}`;
  const facts = { operation: 'x', attempts: 1, externalTraceId: 't', redact: String };
  const served = { sentAtMonotonicMs: 0, dateMs: null };
  const answer = { status: 200, header: () => null, text, served, answeredAtMonotonicMs: 0 };
  const success = parseResponse(answer, facts, { nowMs: 0, origin: 'http://host' });
  return readPage<JobRecord>(success, { userId: asUserId('u') }, { idField: 'job_id' }).records;
}

function filesOf(record: Verbatim<JobRecord>): Map<string, FileFacts> {
  const references = fileReferences(record);
  return new Map(references.map((one, n) => [placeKey(one), n % 3 === 0 ? LOST : STORED]));
}

function digestOf(values: readonly unknown[]): string {
  const told = (_key: string, value: unknown): unknown =>
    typeof value === 'bigint' ? `${value}n` : value;
  return sha256Hex(values.map((value) => JSON.stringify(value, told)).join('\n')).slice(0, 16);
}

describe.each([1, 2026])('seed %i', (seed) => {
  const records = recordsOf(seed);
  const jobs = records.map((record, index) =>
    flattened(record, {
      files: filesOf(record),
      place: { index, bounds: NO_BOUNDS },
      contentHash: contentHash(record),
    }),
  );
  const rows = new Map<string, Row[]>(
    TABLES.map(({ name, columns }) => [
      name,
      jobs
        .flatMap(({ tables }) => tables.filter(({ table }) => table.name === name))
        .flatMap((own) => [...own.rows])
        .map((row) =>
          Object.fromEntries(columns.map((column) => [column.name, row[column.name]!])),
        ),
    ]),
  );

  it('has the hashes, the files and the traces that it always had', () => {
    const traces = records.map((record) => [
      contentHash(record),
      urlTraces(record),
      fileReferences(record),
      filesDigest(fileReferences(record), filesOf(record)),
    ]);
    expect(digestOf(traces)).toBe(PINNED[seed]?.traces);
  });

  it('has the rows that it always had, through every format', async () => {
    for (const table of TABLES) {
      const made = rows.get(table.name) ?? [];
      for (const format of allFormats) {
        const bytes = await writtenBytes(format, table, made);
        const read: Row[] = [];
        for await (const batch of format.readRows(table, memorySource(bytes))) read.push(...batch);
        expect(digestOf(read)).toBe(digestOf(made));
      }
    }
    const all = [...rows].filter(([, made]) => made.length > 0);
    const pinned = all.map(([name, made]) => `${name} ${made.length} ${digestOf(made)}`);
    expect(pinned).toEqual(PINNED[seed]?.rows);
    const altered = jobs.map(({ alteredTexts }) => alteredTexts);
    expect(altered.reduce((sum, count) => sum + count)).toBe(PINNED[seed]?.altered);
  });
});
