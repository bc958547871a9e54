/** A job that a history shows again: the same, changed meanwhile, or two at once. */
import { beforeEach, describe, expect, it } from 'vitest';
import { RepeatedJobs } from '../../../../src/export/history/repeated-jobs.js';
import { contentHash } from '../../../../src/flatten/content-hash.js';
import { textHash } from '../../../../src/flatten/text-hash.js';
import type { JobRecord, Verbatim } from '../../../../src/model/records.js';
import { PageGrant } from '../../../../src/service/page.js';
import { type PageRange } from '../../../../src/service/page-range.js';
import { PageReader, type PlacedRecord } from '../../../../src/service/page-reader.js';
import type { FreshPage } from '../../../../src/service/read-all.js';
import { job } from '../../../support/store/archived-sessions.js';

const record = (id: string, words: string): Verbatim<JobRecord> => {
  const text = `{"job_id":"${id}","question":"${words}"}`;
  return { value: JSON.parse(text) as JobRecord, text };
};

/** Pages of two as the service shows them now, and those that were read. */
let pages: Map<number, Verbatim<JobRecord>[]>;
let read: number[];
let repeated: RepeatedJobs;
beforeEach(() => {
  [pages, read] = [new Map(), []];
  const reader = new PageReader<JobRecord>({
    fetchPage: ({ pageNumber, pageSize }: PageRange) => {
      read.push(pageNumber);
      const records = pages.get(pageNumber) ?? [];
      const served = { sentAtMonotonicMs: 0, dateMs: 0 } as never;
      return Promise.resolve({ pageNumber, pageSize, totalItems: 4, records, served });
    },
    idOf: (one) => one.job_id,
    grant: new PageGrant(10),
    what: 'the history of session s',
  });
  repeated = new RepeatedJobs(reader);
});

const on = (pageNumber: number, one: Verbatim<JobRecord>): PlacedRecord<JobRecord> =>
  ({
    ...{ id: one.value.job_id, record: one, position: 0 },
    range: { pageNumber, pageSize: 10 },
  }) as unknown as PlacedRecord<JobRecord>;

const saw = (...items: PlacedRecord<JobRecord>[]) => {
  repeated.saw({ items } as unknown as FreshPage<JobRecord>);
};

const OLD = record('j', 'old');
const NEW = record('j', 'new');
const known = job({ hash: contentHash(OLD), text_hash: textHash(OLD.text) });

describe('repeated jobs', () => {
  beforeEach(() => {
    saw(on(1, OLD), on(1, record('k', 'other')));
  });

  it('a job that comes again as archived is not looked at, nor is one that is not archived', async () => {
    expect(await repeated.newer(on(2, OLD), known)).toBeUndefined();
    const reordered = record('j', 'old');
    const spaced = { ...reordered, text: reordered.text.replace('{', '{ ') };
    expect(await repeated.newer(on(2, spaced), job({ hash: contentHash(OLD) }))).toBeUndefined();
    expect(await repeated.newer(on(2, NEW), undefined)).toBeUndefined();
    expect([read, [...repeated.ids], repeated.gap]).toEqual([[], ['j', 'k'], undefined]);
  });

  it('a job that comes again with another content has changed where both pages show that', async () => {
    pages.set(1, [NEW, record('k', 'other')]).set(2, [NEW]);
    expect((await repeated.newer(on(2, NEW), known))?.record).toEqual(NEW);
    expect([read, repeated.gap]).toEqual([[1, 2], undefined]);
  });

  it('a job that comes again has not changed where both pages show what is archived by now', async () => {
    pages.set(1, [OLD]).set(2, [OLD]);
    expect(await repeated.newer(on(2, NEW), known)).toBeUndefined();
    expect(repeated.gap).toBeUndefined();
  });

  it('a job that comes again has a third content, or two changes, where both show that', async () => {
    const third = record('j', 'third');
    pages.set(1, [third]).set(2, [third]);
    expect((await repeated.newer(on(2, NEW), known))?.record).toEqual(third);
  });

  it('a job that comes again is a gap where two contents are shown at once, or none is', async () => {
    pages.set(1, [OLD]).set(2, [NEW]);
    expect(await repeated.newer(on(2, NEW), known)).toBeUndefined();
    expect(repeated.gap?.message).toContain(
      'the history of session s: job j is listed more than once, with different contents',
    );
    const first = repeated.gap;
    pages.clear();
    expect(await repeated.newer(on(2, NEW), known)).toBeUndefined();
    expect(repeated.gap).toBe(first);
  });

  it('a job that comes again on its own page is read once', async () => {
    pages.set(1, [OLD, NEW]);
    expect(await repeated.newer(on(1, NEW), known)).toBeUndefined();
    expect([read, repeated.gap !== undefined]).toEqual([[1], true]);
  });

  it('a job that comes again on a page of another size is read in both', async () => {
    pages.set(1, [NEW]);
    const other = { ...on(1, NEW), range: { pageNumber: 1, pageSize: 20 } };
    expect((await repeated.newer(other, known))?.record).toEqual(NEW);
    expect(read).toEqual([1, 1]);
  });

  it('a job that comes again that was not seen before is read where it came', async () => {
    const unseen = record('n', 'new');
    pages.set(2, [unseen]);
    expect((await repeated.newer(on(2, unseen), known))?.record).toEqual(unseen);
    expect(read).toEqual([2]);
  });
});
