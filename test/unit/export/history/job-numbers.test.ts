/** Which number a job has beside those that were archived before, and whose rows are written again for it. */
import { describe, expect, it } from 'vitest';
import type { JobState } from '../../../../src/archive/state/user-state.js';
import { JobNumbers, mayDifferFromLog } from '../../../../src/export/history/job-numbers.js';
import type { JobPlace } from '../../../../src/export/history/job-places.js';
import { createdAtOf } from '../../../../src/model/created-at.js';
import { asJobId } from '../../../../src/model/ids.js';
import { NO_BOUNDS } from '../../../../src/model/period.js';

/** Made on the first, second, third day. */
const [FIRST, SECOND, THIRD] = ['01KDVDNA00', '01KDY02100', '01KE0JER00'].map(
  (time) => `${time}0000000000000000`,
) as [string, string, string];

const jobsIn = (numbers: Readonly<Record<string, number>>) =>
  new Map(
    Object.entries(numbers).map(([id, index]) => [
      asJobId(id),
      { version: 1, index } as Partial<JobState> as JobState,
    ]),
  );

/** The place of each job, the oldest first. */
function placesOf(ids: readonly string[], story: Partial<JobPlace> = {}): JobPlace[] {
  return ids.map((id, index) => {
    const time = createdAtOf(id) ?? null;
    return { index, isFromOldest: true, bounds: NO_BOUNDS, time, ...story };
  });
}

/** Those whose rows are to be written again. */
function misplaced(numbers: JobNumbers, ids: readonly string[], story?: Partial<JobPlace>) {
  const found = numbers.of(ids, placesOf(ids, story));
  return ids.filter((_, at) => found[at]?.isMisplaced);
}

describe('Rows are written again', () => {
  it('where they have another number than that from the oldest job, and no two ids told the order before', () => {
    const known = jobsIn({ x: 0, [FIRST]: 1, y: 2 });
    const ids = ['y', FIRST, 'x', SECOND];
    const numbers = new JobNumbers(known, { wasReadWhole: true });
    expect(misplaced(numbers, ids)).toEqual(['y', 'x']);
    expect(misplaced(numbers, ids)).toEqual([]);
  });

  it('where they have no bounds, and have some by now', () => {
    const bounded = { bounds: { after: 1n, before: null } };
    const ids = [FIRST, 'x', SECOND];
    const known = jobsIn({ [FIRST]: 0, x: 1 });
    expect(misplaced(new JobNumbers(known, { wasReadWhole: true }), ids)).toEqual([]);
    expect(misplaced(new JobNumbers(known, { wasReadWhole: true }), ids, bounded)).toEqual(['x']);
    // then a page that is not archived may have told the order
    expect(misplaced(new JobNumbers(known, { wasReadWhole: false }), ids, bounded)).toEqual([]);
    const told = jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 });
    expect(misplaced(new JobNumbers(told, { wasReadWhole: true }), ids, bounded)).toEqual([]);
    const rows = new Map([['x', { version: 1, index: 1, isBounded: false }]]);
    expect(misplaced(new JobNumbers(told, { rows, wasReadWhole: true }), ids, bounded)).toEqual([
      'x',
    ]);
  });

  it('where a run was broken off before it had written all: a number is there twice', () => {
    const ids = [FIRST, 'y', 'x', SECOND];
    const broken = jobsIn({ y: 1, [FIRST]: 2, x: 2, [SECOND]: 3 });
    expect(misplaced(new JobNumbers(broken, { wasReadWhole: true }), ids)).toEqual([FIRST]);
  });

  it('where they contradict the log, if the newest version has been read', () => {
    const ids = [FIRST, 'x', SECOND];
    const known = jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 });
    const rowsOf = (version: number) =>
      new Map([
        ['x', { version, index: 0, isBounded: true }],
        [FIRST, { version, index: 1, isBounded: true }],
      ]);
    expect(misplaced(new JobNumbers(known, { rows: rowsOf(1), wasReadWhole: true }), ids)).toEqual([
      FIRST,
      'x',
    ]);
    expect(misplaced(new JobNumbers(known, { rows: rowsOf(0), wasReadWhole: true }), ids)).toEqual(
      [],
    );
  });

  it('not where a history shows them at another place each time: what the log has is another one than now', () => {
    const known = jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 });
    const rows = new Map([
      ['x', { version: 1, index: 0, isBounded: true }],
      [FIRST, { version: 1, index: 1, isBounded: true }],
      [SECOND, { version: 1, index: 2, isBounded: true }],
    ]);
    const numbers = new JobNumbers(known, { rows, wasReadWhole: true });
    expect(misplaced(numbers, [FIRST, SECOND, 'x'])).toEqual([]);
  });

  it('not where numbers only have gaps, as where a job has left the history', () => {
    const known = jobsIn({ [FIRST]: 1, x: 4, [SECOND]: 5 });
    expect(misplaced(new JobNumbers(known, { wasReadWhole: true }), [FIRST, 'x', SECOND])).toEqual(
      [],
    );
  });

  it('not where older jobs have left the history: the others keep their numbers, and new ones have larger ones', () => {
    const known = jobsIn({ gone: 0, x: 1, [FIRST]: 2, [SECOND]: 3, y: 3 });
    const ids = ['x', FIRST, SECOND, 'new'];
    const found = new JobNumbers(known, { wasReadWhole: true, total: 4 }).of(ids, placesOf(ids));
    expect(found.map(({ index, isMisplaced }) => [index, isMisplaced])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, false],
    ]);
    // a number there twice may also be of a run that was broken off
    const all = new JobNumbers(known, { wasReadWhole: true, total: 5 });
    expect(misplaced(all, ids)).toEqual(['x', FIRST, SECOND]);
  });

  it('where jobs have left a history whose order was not known: which are older nobody knows', () => {
    const known = jobsIn({ gone: 0, [FIRST]: 1 });
    const numbers = new JobNumbers(known, { wasReadWhole: true, total: 1 });
    expect(misplaced(numbers, [FIRST, SECOND])).toEqual([FIRST]);
  });

  it('where older jobs have left a history whose numbers are not in its order', () => {
    const known = jobsIn({ gone: 0, x: 3, [FIRST]: 2, [SECOND]: 1 });
    const numbers = new JobNumbers(known, { wasReadWhole: true, total: 3 });
    expect(misplaced(numbers, ['x', FIRST, SECOND])).toEqual(['x', FIRST, SECOND]);
  });

  it('not where every id has a time, or nothing shows the order', () => {
    const dated = jobsIn({ [FIRST]: 2, [SECOND]: 1, [THIRD]: 0 });
    expect(
      misplaced(new JobNumbers(dated, { wasReadWhole: true }), [FIRST, SECOND, THIRD]),
    ).toEqual([]);
    const known = jobsIn({ x: 0, y: 1 });
    expect(
      misplaced(new JobNumbers(known, { wasReadWhole: true }), ['y', 'x'], { isFromOldest: false }),
    ).toEqual([]);
  });
});

describe('Without an order', () => {
  const numbersOf = (numbers: JobNumbers, ids: readonly string[]) =>
    numbers.of(ids, placesOf(ids, { isFromOldest: false })).map(({ index }) => index);

  it('a new job gets a number that no other has, and archived ones keep theirs', () => {
    expect(numbersOf(new JobNumbers(new Map(), { wasReadWhole: true }), ['b', 'a'])).toEqual([
      0, 1,
    ]);
    const known = jobsIn({ b: 0, a: 1 });
    expect(numbersOf(new JobNumbers(known, { wasReadWhole: true }), ['d', 'c', 'b', 'a'])).toEqual([
      2, 3, 0, 1,
    ]);
    expect(numbersOf(new JobNumbers(known, { wasReadWhole: true }), ['b', 'a', 'c'])).toEqual([
      0, 1, 2,
    ]);
  });

  it('a number is there twice where times would make bounds of it', () => {
    const known = jobsIn({ [SECOND]: 0, [FIRST]: 1 });
    expect(numbersOf(new JobNumbers(known, { wasReadWhole: true }), ['x', SECOND, FIRST])).toEqual([
      0, 0, 1,
    ]);
  });
});

it('rows may differ from the log where the order is known and a job has no time', () => {
  expect(mayDifferFromLog(jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 }))).toBe(true);
  expect(mayDifferFromLog(jobsIn({ [FIRST]: 0, [SECOND]: 1 }))).toBe(false);
  expect(mayDifferFromLog(jobsIn({ [FIRST]: 0, x: 1 }))).toBe(false);
});
