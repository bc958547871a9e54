/** What a run does about the files of a job that is archived: lost ones, and those whose URLs have changed. */
import { describe, expect, it } from 'vitest';
import type { GapEntry } from '../../../../src/archive/log/commit.js';
import type { FileFacts } from '../../../../src/flatten/file-facts.js';
import { contentHash } from '../../../../src/flatten/content-hash.js';
import {
  archived,
  jobWith,
  lost,
  placed,
  prepare,
  RESPOND,
  stored,
  table,
} from '../../../support/rigs/job-rig.js';
import { NO_JOB } from '../../../support/store/archive-samples.js';

const [FIRST, SECOND] = ['answer/1/0', 'answer/2/0'] as const;
const withFiles = (parameter = 'v=1') =>
  jobWith(RESPOND, table(`https://host/a.csv?${parameter}`), table('https://host/b.csv'));
const record = withFiles();

/** What the archive has of a job with these files. */
function before(files: Readonly<Record<string, FileFacts>>) {
  return archived({ record, createdAtMs: 0, files });
}

it('Each file that is not stored is a gap of its job, which names it', async () => {
  const { knownGaps, known } = await before({ [SECOND]: lost('expired', 'too late') });
  expect(knownGaps).toEqual([
    {
      ...{ job: 'j', role: 'answer', block_index: 2, file_index: 0, kind: 'TABLE' },
      ...{ status: 'expired', reason: 'too late' },
    },
  ]);
  expect(known).toMatchObject({ gaps: 1, suspicious: 0 });
});

it('A file without a reason of its loss has an empty one', async () => {
  const { knownGaps } = await before({ [FIRST]: { status: 'failed', reason: null } });
  expect(knownGaps).toMatchObject([{ status: 'failed', reason: '' }]);
});

describe('A lost file', () => {
  it('is asked for alone, and is as lost as before where it does not come', async () => {
    const story = { record, createdAtMs: 0, files: { [SECOND]: lost('expired') } };
    const { prepared, asked } = await prepare({ ...story, ...(await archived(story)) });
    expect([prepared, asked]).toEqual([undefined, [[SECOND]]]);
  });

  it('that comes makes a new version of the job, with all files', async () => {
    const known = await before({ [FIRST]: lost('expired'), [SECOND]: lost('failed') });
    const files = { [FIRST]: stored('found'), [SECOND]: lost('failed') };
    const { prepared, asked } = await prepare({ record, ...known, files });
    expect(asked).toEqual([[FIRST, SECOND], 'all']);
    expect(prepared?.line).toMatchObject({ version: 2, gaps: 1, seen_at: known.known.seen_at });
    expect(prepared?.gaps).toMatchObject([{ block_index: 2, status: 'failed' }]);
    expect(prepared?.toWrite?.files.get(FIRST)).toEqual(files[FIRST]);
  });

  it('that comes while another one comes no more changes nothing of the archived rows', async () => {
    const known = await before({ [FIRST]: lost('expired', 'old') });
    const files = { [FIRST]: stored('found'), [SECOND]: lost('missing', '404') };
    const { prepared, asked } = await prepare({ record, ...known, files });
    expect(asked).toEqual([[FIRST], 'all']);
    const reason = 'its URL has changed, and it is unknown whether the file has changed: 404';
    expect(prepared).toMatchObject({
      line: { version: 1, gaps: 1 },
      gaps: [{ block_index: 2, status: 'doubtful', reason }],
      toWrite: undefined,
    });
  });

  it.each([
    ['forbidden', 'missing'],
    ['missing', 'failed'],
    ['expired', 'forbidden'],
    ['unresolved', 'expired'],
    ['failed', 'failed'],
  ] as const)(
    'a lost file that was %s and is %s has the newest reason in the log, and its rows stay',
    async (from, to) => {
      const known = await before({ [FIRST]: lost(from, 'old') });
      const { prepared, asked } = await prepare({
        record,
        ...known,
        files: { [FIRST]: lost(to, 'new') },
      });
      expect(asked).toEqual([[FIRST]]);
      expect(prepared).toMatchObject({
        line: { version: 1, gaps: 1 },
        gaps: [{ block_index: 1, status: to, reason: 'new' }],
        toWrite: undefined,
      });
    },
  );

  it('a lost file that is lost for the same reason is not told anew', async () => {
    const known = await before({ [FIRST]: lost('missing', 'old') });
    const files = { [FIRST]: lost('missing', 'old') };
    expect((await prepare({ record, ...known, files })).prepared).toBeUndefined();
  });

  it('is not asked for where the gap is of no file; of a doubtful one it says nothing new', async () => {
    const { known } = await before({});
    const whole: GapEntry = {
      ...NO_JOB,
      status: 'incomplete',
      reason: 'not read to its end',
    };
    const { prepared, asked } = await prepare({ record, known, knownGaps: [whole] });
    expect([prepared, asked]).toEqual([undefined, []]);
    const [gap] = (await before({ [FIRST]: lost('failed') })).knownGaps;
    if (!gap) throw new Error('no gap');
    const both = { record, known, knownGaps: [{ ...whole, status: 'failed' as const }, gap] };
    const beside = await prepare({ ...both, files: { [FIRST]: lost('failed') } });
    expect([beside.prepared, beside.asked]).toEqual([undefined, [[FIRST]]]);
    const doubt: GapEntry = { ...gap, status: 'doubtful' };
    const story = { record, known, knownGaps: [doubt], files: { [FIRST]: lost('missing') } };
    expect((await prepare(story)).prepared).toBeUndefined();
  });
});

const changed = withFiles('v=2');

it('a file with another parameter is compared, and nothing is new where bytes are equal', async () => {
  const known = await before({});
  const { prepared, asked } = await prepare({ record: changed, ...known });
  expect([prepared, asked]).toEqual([undefined, ['all']]);
});

it('a file with another parameter is a new version of the job where its bytes are others', async () => {
  const known = await before({});
  const files = { [FIRST]: stored('other') };
  const { prepared, asked } = await prepare({ record: changed, ...known, files });
  expect(asked).toEqual(['all']);
  expect(prepared?.line).toMatchObject({ version: 2, gaps: 0 });
  expect(prepared?.toWrite?.files.get(FIRST)).toEqual(files[FIRST]);
});

it('a file with another parameter is in doubt where it does not come, and its rows stay', async () => {
  const known = await before({ [SECOND]: lost('expired', 'old') });
  const files = { [FIRST]: lost('failed', 'no answer'), [SECOND]: lost('failed', 'later') };
  const { prepared } = await prepare({ record: changed, ...known, files });
  const reason = 'its URL has changed, and it is unknown whether the file has changed: no answer';
  expect(prepared).toMatchObject({
    line: { version: 1, gaps: 2 },
    gaps: [
      { block_index: 1, status: 'doubtful', reason },
      { block_index: 2, status: 'failed', reason: 'later' },
    ],
    toWrite: undefined,
  });
});

it('a file with another parameter is in doubt again next time, not one its rows lack', async () => {
  const known = await before({});
  const files = { [FIRST]: lost('failed', 'no answer') };
  const doubt = (await prepare({ record: changed, ...known, files })).prepared;
  const story = { record: changed, known: { ...known.known, gaps: 1 }, files };
  const { prepared } = await prepare({ ...story, knownGaps: doubt?.gaps ?? [] });
  expect([doubt?.gaps.length, prepared]).toEqual([1, undefined]);
});

it('a file with another parameter is no new version where only what rows lack is lacking', async () => {
  const known = await before({ [FIRST]: lost('failed', 'no answer') });
  const files = { [FIRST]: lost('missing', '404') };
  const { prepared } = await prepare({ record: changed, ...known, files });
  expect(prepared).toMatchObject({ gaps: [{ status: 'missing' }], toWrite: undefined });
  expect(prepared?.line.version).toBe(1);
});

const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) =>
  jobWith(`{"type":"MESSAGE","content":"${text}"}`, table('https://host/a.csv')),
);
const [first = record] = texts;

it('a job that changes during its downloads is archived as it is then, with its own files', async () => {
  const { prepared, asked, history } = await prepare({
    record: first,
    onSettle: (of, times) => {
      if (times === 1) of.track(placed(texts[1] ?? record));
    },
  });
  expect(asked).toEqual(['all', 'all']);
  expect(prepared?.line.hash).toBe(contentHash(texts[1] ?? record));
  expect(prepared?.toWrite).toMatchObject({ record: texts[1], contentHash: prepared?.line.hash });
  expect(history.latest('j')).toBeUndefined();
});

it('a job that changes during its downloads is fetched four times at most', async () => {
  const { prepared, asked } = await prepare({
    record: first,
    onSettle: (of, times) => {
      of.track(placed(texts[times] ?? record));
    },
  });
  expect(asked).toHaveLength(4);
  expect(prepared?.toWrite?.record).toBe(texts[3]);
});

it('a job that changes during its downloads is fetched once where only URLs were reread', async () => {
  const { prepared, asked } = await prepare({
    record,
    onSettle: (of) => {
      of.track(placed(withFiles('v=3')));
    },
  });
  expect(asked).toHaveLength(1);
  expect(prepared?.toWrite?.record).toBe(record);
});

it('a job that changes during its downloads is not kept fresh any more after a failure', async () => {
  const failure = new Error('the disk is full');
  let latest: unknown;
  const failing = prepare({
    record,
    onSettle: (of) => {
      latest = () => of.latest('j');
      expect(of.latest('j')?.record).toBe(record);
      throw failure;
    },
  });
  await expect(failing).rejects.toBe(failure);
  expect((latest as () => unknown)()).toBeUndefined();
});
