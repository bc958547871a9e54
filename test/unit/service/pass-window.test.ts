import { expect, it } from 'vitest';
import { PassWindow } from '../../../src/service/pass-window.js';
import type { PlacedPage } from '../../../src/service/page-reader.js';

/** A page as the window sees it: the place of its first record, and `abc` for the ids a, b and c. */
type Seen = readonly [start: number, ids: string, total?: number | null];

/** A pass over a listing whose total is `total`, but for pages that say another. */
function pass(window: PassWindow, total: number | null, ...pages: readonly Seen[]) {
  window.beginPass();
  for (const [start, ids, own = total] of pages) {
    window.add({ start, ids: Array.from(ids), size: 3 } as unknown as PlacedPage<unknown>, own);
  }
  const { proven: ids, cameNearer } = window.endPass();
  return { isProven: ids !== undefined, cameNearer };
}

const proven = (window: PassWindow, ...of: [total: number | null, ...pages: Seen[]]) =>
  pass(window, ...of).isProven;

it.each([
  [3, 'abc', true],
  [null, 'abc', false],
  [null, 'ab', false],
  [null, '', true],
  [0, '', true],
  [4, 'abc', false],
  [2, 'abc', false],
  [3, 'aba', false],
  [null, 'aba', false],
] as const)(
  'one page with a total of %j and the ids %j proves the listing: %j',
  (total, ids, isProven) => {
    expect(proven(new PassWindow(), total, [0, ids])).toBe(isProven);
  },
);

it('one page proves nothing without a total, though it is short and an empty one follows', () => {
  // what the service left out of it may have moved to the front before the empty one was read
  expect(proven(new PassWindow(), null, [0, 'ab'], [2, ''])).toBe(false);
  expect(proven(new PassWindow(), null, [0, 'ab'], [9, ''])).toBe(false);
  expect(proven(new PassWindow(), null, [0, 'ab'], [1, ''])).toBe(false);
  expect(proven(new PassWindow(), null, [0, 'abc'], [3, ''])).toBe(false);
});

it('one page proves the listing without a total where the next pass sees the same', () => {
  const window = new PassWindow();
  expect(proven(window, null, [0, 'ab'], [2, ''])).toBe(false);
  expect(proven(window, null, [0, 'ab'], [2, ''])).toBe(true);
});

it('overlapping pages prove the listing where each shows the ids that stood there before', () => {
  expect(proven(new PassWindow(), 5, [0, 'abc'], [2, 'cde'])).toBe(true);
  expect(proven(new PassWindow(), 5, [0, 'abcd'], [2, 'cde'])).toBe(true);
  expect(proven(new PassWindow(), 6, [0, 'abc'], [2, 'cd'], [3, 'def'])).toBe(true);
});

it('pages that overlap prove nothing without a total', () => {
  expect(proven(new PassWindow(), null, [0, 'abc'], [2, 'cde'])).toBe(false);
});

it('overlapping pages prove nothing where one shows another id, for all the right number', () => {
  expect(proven(new PassWindow(), 5, [0, 'abc'], [2, 'xde'])).toBe(false);
  expect(proven(new PassWindow(), 5, [0, 'abcd'], [2, 'cxe'])).toBe(false);
  expect(proven(new PassWindow(), 5, [0, 'abcd'], [2, 'xde'])).toBe(false);
});

it('pages that overlap prove nothing if two pages in a row disagree', () => {
  expect(proven(new PassWindow(), 6, [0, 'abc'], [2, 'xd'], [4, 'e'], [4, 'ef'])).toBe(false);
  expect(proven(new PassWindow(), 6, [0, 'abc'], [2, 'xd'], [3, 'def'])).toBe(false);
});

it('pages that overlap prove nothing where one ends before what was covered', () => {
  expect(proven(new PassWindow(), 4, [0, 'abcd'], [1, 'bc'])).toBe(false);
  expect(proven(new PassWindow(), 4, [0, 'abcd'], [1, 'bcd'])).toBe(true);
});

it('pages that overlap prove nothing where places between two of them were not seen', () => {
  expect(proven(new PassWindow(), 5, [0, 'abc'], [4, 'de'])).toBe(false);
});

it('pages that overlap prove nothing where the total moved, to whatever it came', () => {
  expect(proven(new PassWindow(), 5, [0, 'abc', 4], [2, 'cde'])).toBe(false);
  expect(proven(new PassWindow(), 5, [0, 'abc'], [2, 'cde', 6])).toBe(false);
  expect(proven(new PassWindow(), 5, [0, 'abc', null], [2, 'cde'])).toBe(false);
});

it('pages that overlap prove nothing where their ids are more or fewer than the total', () => {
  expect(proven(new PassWindow(), 6, [0, 'abc'], [2, 'cde'])).toBe(false);
  expect(proven(new PassWindow(), 4, [0, 'abc'], [2, 'cde'])).toBe(false);
});

it.each([4, null])(
  'pages that merely adjoin prove the listing by a second pass like the first (total %j)',
  (total) => {
    const window = new PassWindow();
    expect(proven(window, total, [0, 'ab'], [2, 'cd'], [4, ''])).toBe(false);
    expect(proven(window, total, [0, 'ab'], [2, 'cd'], [4, ''])).toBe(true);
  },
);

it('adjoining pages prove nothing without a total where no empty one ends them', () => {
  const window = new PassWindow();
  expect(proven(window, null, [0, 'ab'], [2, 'cd'])).toBe(false);
  expect(proven(window, null, [0, 'ab'], [2, 'cd'])).toBe(false);
});

it.each(['abdc', 'bacd', 'abce', 'abc', 'abcde'])(
  'adjoining pages prove nothing where the second pass has another order or ids: %s',
  (ids) => {
    const window = new PassWindow();
    proven(window, null, [0, 'ab'], [2, 'cd']);
    expect(proven(window, null, [0, ids.slice(0, 2)], [2, ids.slice(2)])).toBe(false);
  },
);

it('adjoining pages prove nothing where the first pass was like the third, not the second', () => {
  const window = new PassWindow();
  proven(window, null, [0, 'ab'], [2, 'cd']);
  proven(window, null, [0, 'ab'], [2, 'ce']);
  expect(proven(window, null, [0, 'ab'], [2, 'cd'])).toBe(false);
});

it('pages that merely adjoin prove nothing together with one that overlaps', () => {
  expect(proven(new PassWindow(), 6, [0, 'ab'], [2, 'cd'], [3, 'def'])).toBe(false);
});

it('pages that merely adjoin prove nothing where the total moves, however like the passes are', () => {
  const window = new PassWindow();
  proven(window, 4, [0, 'ab'], [2, 'cd', 5]);
  expect(proven(window, 4, [0, 'ab'], [2, 'cd', 5])).toBe(false);
});

it('adjoining pages prove nothing where an id stands in two places, however like the passes', () => {
  const window = new PassWindow();
  proven(window, null, [0, 'ab'], [2, 'bc']);
  expect(proven(window, null, [0, 'ab'], [2, 'bc'])).toBe(false);
});

it('a moving order is proven by two passes in a row with the same ids, as many as the total', () => {
  const window = new PassWindow();
  expect(pass(window, 4, [0, 'ab'], [2, 'cd'])).toEqual({ isProven: false, cameNearer: true });
  expect(pass(window, 4, [0, 'db'], [2, 'ac'])).toEqual({ isProven: true, cameNearer: true });
});

it('a moving order is not proven by one pass: a deleted record may count for a missed one', () => {
  // a b c d; after the first page a is deleted and e comes: b has been passed over
  const window = new PassWindow();
  expect(proven(window, 4, [0, 'ac'], [2, 'de'])).toBe(false);
  expect(proven(window, 4, [0, 'cb'], [2, 'ed'])).toBe(false);
  expect(proven(window, 4, [0, 'eb'], [2, 'dc'])).toBe(true);
});

it('a moving order may need several passes to see all ids, and as many to see them again', () => {
  const window = new PassWindow();
  expect(pass(window, 4, [0, 'ab'], [2, 'bc'])).toEqual({ isProven: false, cameNearer: true });
  expect(pass(window, 4, [0, 'ba'], [2, 'cc'])).toEqual({ isProven: false, cameNearer: false });
  expect(pass(window, 4, [0, 'da'], [2, 'bc'])).toEqual({ isProven: false, cameNearer: true });
  expect(pass(window, 4, [0, 'cd'], [2, 'dc'])).toEqual({ isProven: false, cameNearer: true });
  expect(pass(window, 4, [0, 'ab'], [2, 'ba'])).toEqual({ isProven: true, cameNearer: true });
});

it('a moving order begins again where the total has changed, also where it comes back', () => {
  const window = new PassWindow();
  proven(window, 4, [0, 'ab'], [2, 'cd']);
  expect(proven(window, 5, [0, 'ba'], [2, 'ced'])).toBe(false);
  expect(proven(window, 4, [0, 'dc'], [2, 'ba'])).toBe(false);
  expect(proven(window, 4, [0, 'cd'], [2, 'ab'])).toBe(true);
});

it.each([null, 5])(
  'a moving order begins again after a pass in which the total moved to %j',
  (moved) => {
    const window = new PassWindow();
    proven(window, 4, [0, 'ab'], [2, 'cd']);
    expect(proven(window, 4, [0, 'ba'], [2, 'dc', moved])).toBe(false);
    expect(proven(window, 4, [0, 'dc'], [2, 'ba'])).toBe(false);
    expect(proven(window, 4, [0, 'cd'], [2, 'ab'])).toBe(true);
  },
);

it('a listing in another order with every request is not proven without a total', () => {
  const window = new PassWindow();
  expect(pass(window, null, [0, 'ab'], [2, 'cd'])).toEqual({
    isProven: false,
    cameNearer: false,
  });
  expect(proven(window, null, [0, 'db'], [2, 'ac'])).toBe(false);
});

it('a moving order is not proven by passes that found more than the total', () => {
  const window = new PassWindow();
  expect(pass(window, 4, [0, 'abc'], [3, 'de'])).toEqual({ isProven: false, cameNearer: false });
  expect(proven(window, 4, [0, 'dea'], [3, 'bc'])).toBe(false);
  expect(proven(window, 4, [0, 'ab'], [2, 'cd'])).toBe(false);
  expect(proven(window, 4, [0, 'dea'], [3, 'bc'])).toBe(false);
  expect(proven(window, 4, [0, 'cb'], [2, 'ad'])).toBe(false);
  expect(proven(window, 4, [0, 'ad'], [2, 'cb'])).toBe(true);
});
