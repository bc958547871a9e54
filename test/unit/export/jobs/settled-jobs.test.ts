/** When a job counts as settled, by which clock, and what makes it new. */
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../../../src/flatten/content-hash.js';
import { textHash } from '../../../../src/flatten/text-hash.js';
import { recordOf } from '../../../support/tables/flattened-job.js';
import {
  archived,
  jobWith,
  NOW_MS,
  prepare,
  RESPOND,
  SETTLE_TIME_MS,
  stored,
  table,
} from '../../../support/rigs/job-rig.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (ms: number) => new Date(ms).toISOString();
const answered = jobWith(RESPOND);
const unanswered = jobWith();

async function isSettled(story: Parameters<typeof prepare>[0]): Promise<boolean | undefined> {
  return (await prepare(story)).prepared?.line.settled;
}

it('A new job is version 1, as it was read, with all that its rows are made from', async () => {
  const record = jobWith(RESPOND, table('https://host/f.csv?v=1'));
  const story = { record, index: 7, files: { 'answer/1/0': stored('abc', 'no table') } };
  const { prepared, asked } = await prepare(story);
  const hash = contentHash(record);
  expect(asked).toEqual(['all']);
  expect(prepared?.line).toMatchObject({ user: 'ann', session: 's', job: 'j', version: 1, hash });
  expect(prepared?.line).toMatchObject({ index: 7, gaps: 0, suspicious: 1, settled: false });
  expect(prepared?.line).toMatchObject({ text_hash: textHash(record.text), seen_at: at(NOW_MS) });
  expect(Object.keys(prepared?.line.urls ?? {})).not.toEqual([]);
  expect(prepared?.line.files).toMatch(/^[0-9a-f]{64}$/);
  expect(prepared?.toWrite).toMatchObject({
    ...{ userId: 'ann', sessionId: 's', jobId: 'j', jobVersion: 1, runId: 'run', exportedAt: 5n },
    ...{ record, isSettled: false, contentHash: hash, place: { index: 7 } },
  });
});

describe('A job with an answer is settled', () => {
  it('as soon as it is as old as the settle time, by its id', async () => {
    const record = answered;
    const old = NOW_MS - SETTLE_TIME_MS;
    expect(await isSettled({ record, createdAtMs: old })).toBe(true);
    expect(await isSettled({ record, createdAtMs: old + 1 })).toBe(false);
    expect(await isSettled({ record })).toBe(false);
    const { prepared } = await prepare({ record, createdAtMs: old });
    expect(prepared?.toWrite?.isSettled).toBe(true);
  });

  it('by the service’s clock where ours is ahead, and never by a later one', async () => {
    const created = { record: answered, createdAtMs: NOW_MS - SETTLE_TIME_MS };
    expect(await isSettled({ ...created, clockGapMs: 1 })).toBe(false);
    expect(await isSettled({ ...created, nowMs: NOW_MS + 1, clockGapMs: 1 })).toBe(true);
    expect(await isSettled({ ...created, nowMs: NOW_MS - 1, clockGapMs: -HOUR })).toBe(false);
  });

  it('once it was the same for ten minutes, and nothing but that is new then', async () => {
    const before = await archived({ record: answered });
    const story = { record: answered, ...before };
    expect((await prepare({ ...story, nowMs: NOW_MS + 10 * MINUTE - 1 })).prepared).toBeUndefined();
    const { prepared, asked } = await prepare({ ...story, nowMs: NOW_MS + 10 * MINUTE });
    expect(prepared?.line).toEqual({
      ...{ user: 'ann', session: 's', job: 'j' },
      ...{ ...before.known, settled: true },
    });
    expect([prepared?.toWrite, prepared?.gaps, asked]).toEqual([undefined, [], []]);
  });

  it('and stays so, whatever its id tells later', async () => {
    const story = { record: answered, createdAtMs: NOW_MS - SETTLE_TIME_MS };
    const before = await archived(story);
    expect((await prepare({ ...story, createdAtMs: NOW_MS, ...before })).prepared).toBeUndefined();
  });
});

it('A job without an answer is settled once it was the same for a day, however old it is', async () => {
  const story = { record: unanswered, createdAtMs: 0 };
  const before = await archived(story);
  expect(before.known.settled).toBe(false);
  const later = (ms: number) => prepare({ ...story, ...before, nowMs: NOW_MS + ms });
  expect((await later(24 * HOUR - 1)).prepared).toBeUndefined();
  expect((await later(24 * HOUR)).prepared?.line.settled).toBe(true);
});

describe('What a cache gave from its memory', () => {
  const old = { createdAtMs: 0, stale: 'Age: 12' };

  it('settles nothing', async () => {
    expect(await isSettled({ record: answered, ...old })).toBe(false);
  });

  it('changes nothing of a job that the archive has', async () => {
    const before = await archived({ record: unanswered });
    const { prepared, asked } = await prepare({ record: answered, ...old, ...before });
    expect([prepared, asked]).toEqual([undefined, []]);
  });
});

it('A job that was seen before keeps the time with its content, and has a new one with another', async () => {
  const files = { record: jobWith(RESPOND, table('https://host/f.csv?v=1')) };
  const before = await archived(files);
  const other = { ...before, nowMs: NOW_MS + HOUR, files: { 'answer/1/0': stored('other') } };
  const record = jobWith(RESPOND, table('https://host/f.csv?v=2'));
  const { prepared } = await prepare({ record, ...other });
  expect(prepared?.line).toMatchObject({ version: 2, seen_at: at(NOW_MS), settled: true });
  const changed = await prepare({ record: jobWith(RESPOND, RESPOND), ...other });
  expect(changed.prepared?.line).toMatchObject({ version: 2, seen_at: at(NOW_MS + HOUR) });
});

it('A job that the archive has is not looked at more closely where its text is the same', async () => {
  const record = jobWith(RESPOND, table('https://host/f.csv?v=1'));
  const before = await archived({ record });
  const { prepared, asked, history } = await prepare({ record, ...before });
  expect([prepared, asked, history.latest('j')]).toEqual([undefined, [], undefined]);
});

it.each([false, true])(
  "an archived job is the same where only its members' order is another (not hashed: %s)",
  async (isUnhashed) => {
    const { known } = await archived({ record: recordOf('{"job_id":"j","question":1}') });
    const record = recordOf(
      isUnhashed ? '{"job_id":"j","question":1}' : '{"question":1,"job_id":"j"}',
    );
    const before = isUnhashed ? { ...known, text_hash: null } : known;
    const { prepared, asked } = await prepare({ record, known: before });
    expect([prepared, asked]).toEqual([undefined, []]);
  },
);

it('A job that was withdrawn comes back as its next version', async () => {
  const { known } = await archived({ record: answered, index: 3 });
  const { prepared } = await prepare({ record: answered, index: 3, withdrawn: known });
  expect(prepared?.line).toMatchObject({ version: 2, index: 3 });
  expect(prepared?.line).not.toHaveProperty('withdrawn');
  expect(prepared?.toWrite?.jobVersion).toBe(2);
});
