/** Which number a job has beside those that were archived before, and whose rows are written again for it. */
import { describe, expect, it } from 'vitest';
import type { JobState } from '../../../../src/archive/state/user-state.js';
import { JobNumbers, mayDifferFromLog } from '../../../../src/export/history/job-numbers.js';
import type { JobPlace } from '../../../../src/export/history/job-places.js';
import { createdAtOf } from '../../../../src/model/created-at.js';
import { asJobId } from '../../../../src/model/ids.js';
import { NO_BOUNDS } from '../../../../src/model/period.js';
import { fault } from '../../../support/base/fault.js';

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
  const found = numbers.of(ids, placesOf(ids, story), true);
  return ids.filter((_, at) => found[at]?.isMisplaced);
}

describe('Rows are written again', () => {
  it('where they have another number than that from the oldest job, and no two ids told the order before', () => {
    const known = jobsIn({ x: 0, [FIRST]: 1, y: 2 });
    const ids = ['y', FIRST, 'x', SECOND];
    const numbers = new JobNumbers(known, { wasReadWhole: true, total: null });
    expect(misplaced(numbers, ids)).toEqual(['y', 'x']);
    expect(misplaced(numbers, ids)).toEqual([]);
  });

  it('where they have no bounds, and have some by now', () => {
    const bounded = { bounds: { after: 1n, before: null } };
    const ids = [FIRST, 'x', SECOND];
    const known = jobsIn({ [FIRST]: 0, x: 1 });
    expect(misplaced(new JobNumbers(known, { wasReadWhole: true, total: null }), ids)).toEqual([]);
    expect(
      misplaced(new JobNumbers(known, { wasReadWhole: true, total: null }), ids, bounded),
    ).toEqual(['x']);
    // then a page that is not archived may have told the order
    expect(
      misplaced(new JobNumbers(known, { wasReadWhole: false, total: null }), ids, bounded),
    ).toEqual([]);
    const told = jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 });
    expect(
      misplaced(new JobNumbers(told, { wasReadWhole: true, total: null }), ids, bounded),
    ).toEqual([]);
    const rows = new Map([['x', { version: 1, index: 1, isBounded: false }]]);
    expect(
      misplaced(new JobNumbers(told, { rows, wasReadWhole: true, total: null }), ids, bounded),
    ).toEqual(['x']);
  });

  it('where a run was broken off before it had written all: a number is there twice', () => {
    const ids = [FIRST, 'y', 'x', SECOND];
    const broken = jobsIn({ y: 1, [FIRST]: 2, x: 2, [SECOND]: 3 });
    expect(misplaced(new JobNumbers(broken, { wasReadWhole: true, total: null }), ids)).toEqual([
      FIRST,
    ]);
  });

  it('where two with times have one number, as rows that were not written when another came between: others of the log tell', () => {
    const ids = [FIRST, SECOND, 'x', THIRD];
    const known = jobsIn({ [FIRST]: 0, [SECOND]: 1, x: 2, [THIRD]: 3 });
    const row = (index: number) => ({ version: 1, index, isBounded: true });
    const rows = new Map([
      [FIRST, row(0)],
      [SECOND, row(0)],
      ['x', row(1)],
      [THIRD, row(3)],
    ]);
    const numbers = new JobNumbers(known, { rows, wasReadWhole: true, total: null });
    expect(misplaced(numbers, ids)).toEqual([SECOND, 'x']);
  });

  it('where they contradict the log, if the newest version has been read', () => {
    const ids = [FIRST, 'x', SECOND];
    const known = jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 });
    const rowsOf = (version: number) =>
      new Map([
        ['x', { version, index: 0, isBounded: true }],
        [FIRST, { version, index: 1, isBounded: true }],
      ]);
    expect(
      misplaced(new JobNumbers(known, { rows: rowsOf(1), wasReadWhole: true, total: null }), ids),
    ).toEqual([FIRST, 'x']);
    expect(
      misplaced(new JobNumbers(known, { rows: rowsOf(0), wasReadWhole: true, total: null }), ids),
    ).toEqual([]);
  });

  it(
    'not where a history shows them at another place each time: what the log has is another one than now',
    fault('F-129'),
    () => {
      const known = jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 });
      const rows = new Map([
        ['x', { version: 1, index: 0, isBounded: true }],
        [FIRST, { version: 1, index: 1, isBounded: true }],
        [SECOND, { version: 1, index: 2, isBounded: true }],
      ]);
      const numbers = new JobNumbers(known, { rows, wasReadWhole: true, total: null });
      expect(misplaced(numbers, [FIRST, SECOND, 'x'])).toEqual([]);
    },
  );

  it('not where numbers only have gaps, as where a job has left the history', () => {
    const known = jobsIn({ [FIRST]: 1, x: 4, [SECOND]: 5 });
    expect(
      misplaced(new JobNumbers(known, { wasReadWhole: true, total: null }), [FIRST, 'x', SECOND]),
    ).toEqual([]);
  });

  it(
    'not where older jobs have left the history: the others keep their numbers, and new ones have larger ones',
    fault('F-129'),
    () => {
      const known = jobsIn({ gone: 0, x: 1, [FIRST]: 2, [SECOND]: 3, y: 3 });
      const ids = ['x', FIRST, SECOND, 'new'];
      const found = new JobNumbers(known, { wasReadWhole: true, total: 4 }).of(
        ids,
        placesOf(ids),
        true,
      );
      expect(found.map(({ index, isMisplaced }) => [index, isMisplaced])).toEqual([
        [1, false],
        [2, false],
        [3, false],
        [4, false],
      ]);
      // a number there twice may also be of a run that was broken off
      const all = new JobNumbers(known, { wasReadWhole: true, total: 5 });
      expect(misplaced(all, ids)).toEqual(['x', FIRST, SECOND]);
    },
  );

  it(
    'where jobs have left a history whose order was not known: which are older nobody knows',
    fault('F-129'),
    () => {
      const known = jobsIn({ gone: 0, [FIRST]: 1 });
      const numbers = new JobNumbers(known, { wasReadWhole: true, total: 1 });
      expect(misplaced(numbers, [FIRST, SECOND])).toEqual([FIRST]);
    },
  );

  it('where older jobs have left a history whose numbers are not in its order', () => {
    const known = jobsIn({ gone: 0, x: 3, [FIRST]: 2, [SECOND]: 1 });
    const numbers = new JobNumbers(known, { wasReadWhole: true, total: 3 });
    expect(misplaced(numbers, ['x', FIRST, SECOND])).toEqual(['x', FIRST, SECOND]);
  });

  it('not where every id has a time, or nothing shows the order', () => {
    const dated = jobsIn({ [FIRST]: 2, [SECOND]: 1, [THIRD]: 0 });
    expect(
      misplaced(new JobNumbers(dated, { wasReadWhole: true, total: null }), [FIRST, SECOND, THIRD]),
    ).toEqual([]);
    const known = jobsIn({ x: 0, y: 1 });
    expect(
      misplaced(new JobNumbers(known, { wasReadWhole: true, total: null }), ['y', 'x'], {
        isFromOldest: false,
      }),
    ).toEqual([]);
  });
});

describe('Where jobs have left the history', () => {
  /** Numbers of the jobs on each page, given oldest first within the page, of a history of so many pages. */
  function numbered(
    archived: Readonly<Record<string, number>>,
    pages: readonly (readonly string[])[],
    { order = 'oldest-first', ...story }: { order?: string; total?: number; from?: number } = {},
  ) {
    const known = { wasReadWhole: true, total: story.total ?? null };
    const numbers = new JobNumbers(jobsIn(archived), known);
    const isNewestFirst = order === 'newest-first';
    const read = isNewestFirst ? pages.toReversed() : pages;
    const all = pages.flat();
    const found = read.flatMap((ids) => {
      const first = all.indexOf(ids[0] ?? '') + (story.from ?? 0);
      const places = placesOf(ids).map((place) => ({ ...place, index: place.index + first }));
      const hasNewest = isNewestFirst || ids === pages.at(-1);
      const sent = isNewestFirst ? [ids.toReversed(), places.toReversed()] : [ids, places];
      const [sentIds, sentPlaces] = sent as [readonly string[], JobPlace[]];
      return numbers
        .of(sentIds, sentPlaces, hasNewest)
        .map(({ index, isMisplaced }, at) => [sentIds[at], isMisplaced ? `${index}!` : index]);
    });
    return Object.fromEntries(found) as Record<string, number | string>;
  }
  const orders = [{ order: 'oldest-first' }, { order: 'newest-first' }];

  it.each(orders)(
    'those that stay keep their numbers, and new ones come after them: $order',
    (by) => {
      const archived = { [FIRST]: 0, gone: 1, [SECOND]: 2 };
      const now = { [FIRST]: 0, [SECOND]: 2, new: 3, [THIRD]: 4 };
      expect(numbered(archived, [[FIRST, SECOND, 'new', THIRD]], by)).toEqual(now);
      expect(numbered(archived, [[FIRST], [SECOND, 'new', THIRD]], by)).toEqual(now);
      expect(
        numbered(
          archived,
          [
            [FIRST, SECOND],
            ['new', THIRD],
          ],
          { ...by, total: 2 },
        ),
      ).toEqual(now);
    },
  );

  it.each(orders)('several may have left, also the oldest and the newest: $order', (by) => {
    const archived = { gone: 0, [FIRST]: 1, gone2: 2, gone3: 3, [SECOND]: 4, x: 5, gone4: 6 };
    const now = { [FIRST]: 1, [SECOND]: 4, x: 5, new: 7, [THIRD]: 8 };
    expect(numbered(archived, [[FIRST, SECOND, 'x', 'new', THIRD]], by)).toEqual(now);
    expect(
      numbered(archived, [[FIRST], [SECOND, 'x'], ['new', THIRD]], { ...by, total: 3 }),
    ).toEqual(now);
  });

  it.each(orders)('one that comes back has its number: $order', (by) => {
    const archived = { [FIRST]: 0, back: 1, [SECOND]: 2, x: 3 };
    expect(numbered(archived, [[FIRST, 'back', SECOND, 'x', THIRD]], by)).toEqual({
      ...archived,
      [THIRD]: 4,
    });
    const more = { [FIRST]: 0, [SECOND]: 1, back: 2, x: 3 };
    expect(numbered(more, [[FIRST, SECOND, 'back', 'x', 'new']], by)).toEqual({ ...more, new: 4 });
  });

  it.each(orders)('new ones come after all that were there, if all have left: $order', (by) => {
    const archived = { [FIRST]: 0, gone: 1, [SECOND]: 2 };
    expect(numbered(archived, [['new', THIRD]], by)).toEqual({ new: 3, [THIRD]: 4 });
    const seenToLeave = { ...by, total: 0 };
    expect(numbered(archived, [['new'], [THIRD]], seenToLeave)).toEqual({ new: 3, [THIRD]: 4 });
  });

  it('the numbers of a run that was broken off are free for the jobs that they were for', () => {
    const archived = { [FIRST]: 0, gone: 1, [THIRD]: 5, z: 6 };
    const now = { [FIRST]: 0, new: 2, x: 3, [SECOND]: 4, [THIRD]: 5, z: 6 };
    const by = { order: 'newest-first' };
    const pages = [[FIRST, 'new', 'x', SECOND, THIRD, 'z']];
    expect(numbered(archived, pages, by)).toEqual(now);
    expect(
      numbered(
        archived,
        [
          [FIRST, 'new', 'x'],
          [SECOND, THIRD, 'z'],
        ],
        by,
      ),
    ).toEqual(now);
    expect(numbered(archived, [[FIRST], ['new', 'x', SECOND], [THIRD, 'z']], by)).toEqual(now);
  });

  it('numbers of a history that has other jobs before them count from its oldest job, as those of one read at once', () => {
    const archived = { [SECOND]: 0, [THIRD]: 1 };
    const all = [[FIRST, SECOND, THIRD, 'x']];
    expect(numbered(archived, all)).toEqual({ [FIRST]: 0, [SECOND]: '1!', [THIRD]: '2!', x: 3 });
    const now = { [FIRST]: 0, [SECOND]: 1, [THIRD]: '2!', x: 3 };
    expect(
      numbered(archived, [
        [FIRST, SECOND],
        [THIRD, 'x'],
      ]),
    ).toEqual(now);
    const turned = { [FIRST]: 5, x: 3, [SECOND]: 4 };
    expect(numbered(turned, [[FIRST, 'x', SECOND]])).toEqual({
      [FIRST]: '0!',
      x: '1!',
      [SECOND]: '2!',
    });
  });

  it('a page that comes again has the same numbers', () => {
    const archived = { [FIRST]: 0, gone: 1, [SECOND]: 2 };
    const numbers = new JobNumbers(jobsIn(archived), { wasReadWhole: true, total: 3 });
    const ids = [FIRST, SECOND, 'x'];
    const places = placesOf(ids);
    expect(numbers.of(ids, places, true).map(({ index }) => index)).toEqual([0, 2, 3]);
    expect(numbers.of(['x'], places.slice(2), true).map(({ index }) => index)).toEqual([3]);
  });

  it('where a job is expected is told by the jobs that were read', () => {
    const archived = { a: 0, b: 4, [FIRST]: 8, c: 9, [SECOND]: 10 };
    const numbers = new JobNumbers(jobsIn(archived), { wasReadWhole: true, total: 5 });
    expect(numbers.placeOf('c')).toBe(9);
    numbers.of([SECOND], [{ ...(placesOf([SECOND])[0] as JobPlace), index: 4 }], true);
    expect(['a', 'b', FIRST, 'c', SECOND].map((id) => numbers.placeOf(id))).toEqual([
      0, 0, 2, 3, 4,
    ]);
  });
});

describe('Where jobs have come between archived ones', () => {
  const [mixed, dated] = [
    { [FIRST]: 0, x: 1, [THIRD]: 2 },
    { [FIRST]: 0, [SECOND]: 1 },
  ];
  const now = (archived: Readonly<Record<string, number>>, ids: readonly string[]) => {
    const numbers = new JobNumbers(jobsIn(archived), { wasReadWhole: true, total: null });
    return numbers.of(ids, placesOf(ids), true).map(({ index, isMisplaced }) => {
      return isMisplaced ? `${index}!` : index;
    });
  };

  it('the newer ones get larger numbers, and new rows with these', () => {
    expect(now(mixed, [FIRST, SECOND, 'x', THIRD, 'y'])).toEqual([0, 1, '2!', '3!', 4]);
    expect(now(dated, ['x', FIRST, 'y', SECOND, THIRD])).toEqual([0, '1!', 2, '3!', 4]);
  });

  it('only where there are jobs without a time, and not where the history changes while it is read', () => {
    expect(now(dated, [FIRST, THIRD, SECOND])).toEqual([0, 1, 2]);
    const numbers = new JobNumbers(jobsIn(mixed), { wasReadWhole: true, total: null });
    expect(misplaced(numbers, [FIRST, 'x', THIRD, 'y'])).toEqual([]);
    expect(misplaced(numbers, [FIRST, 'z', 'x', THIRD, 'y'])).toEqual([]);
  });

  it('those above which jobs have left keep their numbers where there is room', () => {
    const archived = { [FIRST]: 0, gone: 1, gone2: 2, x: 3, [SECOND]: 4 };
    expect(now(archived, [FIRST, 'x', 'y', SECOND])).toEqual([0, 3, 4, '5!']);
  });

  it('not where archived jobs are not in the order of their numbers: they may be shown elsewhere each time', () => {
    expect(now({ ...dated, x: 2 }, [FIRST, 'y', 'x', SECOND])).toEqual([0, 1, 2, 3]);
  });
});

describe('Without an order', () => {
  const numbersOf = (numbers: JobNumbers, ids: readonly string[]) =>
    numbers.of(ids, placesOf(ids, { isFromOldest: false }), true).map(({ index }) => index);

  it('a new job gets a number that no other has, and archived ones keep theirs', () => {
    expect(
      numbersOf(new JobNumbers(new Map(), { wasReadWhole: true, total: null }), ['b', 'a']),
    ).toEqual([0, 1]);
    const known = jobsIn({ b: 0, a: 1 });
    expect(
      numbersOf(new JobNumbers(known, { wasReadWhole: true, total: null }), ['d', 'c', 'b', 'a']),
    ).toEqual([2, 3, 0, 1]);
    expect(
      numbersOf(new JobNumbers(known, { wasReadWhole: true, total: null }), ['b', 'a', 'c']),
    ).toEqual([0, 1, 2]);
  });

  it('a number is there twice where times would make bounds of it', () => {
    const known = jobsIn({ [SECOND]: 0, [FIRST]: 1 });
    expect(
      numbersOf(new JobNumbers(known, { wasReadWhole: true, total: null }), ['x', SECOND, FIRST]),
    ).toEqual([0, 0, 1]);
  });
});

it('rows may differ from the log where the order is known and a job has no time', () => {
  expect(mayDifferFromLog(jobsIn({ [FIRST]: 0, x: 1, [SECOND]: 2 }))).toBe(true);
  expect(mayDifferFromLog(jobsIn({ [FIRST]: 0, [SECOND]: 1 }))).toBe(false);
  expect(mayDifferFromLog(jobsIn({ [FIRST]: 0, x: 1 }))).toBe(false);
});
