import { expect, it } from 'vitest';
import { JobNumbers } from '../../../../src/export/history/job-numbers.js';
import type { JobPlace } from '../../../../src/export/history/job-places.js';
import { NO_BOUNDS } from '../../../../src/model/times/time-bounds.js';
import { fault } from '../../../support/base/fault.js';

function numbers(archived: Readonly<Record<string, number>> = {}): JobNumbers {
  return new JobNumbers(Object.entries(archived).map(([id, index]) => [id, { index }] as const));
}

/** The numbers of a page, by the places of its jobs. */
function numbered(all: JobNumbers, page: Readonly<Record<string, number>>) {
  const places = Object.values(page).map((index): JobPlace => ({
    index,
    isFromOldest: true,
    bounds: NO_BOUNDS,
    time: null,
  }));
  const ids = Object.keys(page);
  const found = all.numbered(ids, places);
  return Object.fromEntries(ids.map((id, at) => [id, found[at]?.index]));
}

it('a new session has its places as numbers, also where its newest page comes first', () => {
  const all = numbers();
  expect(all.first).toBe(0);
  expect(numbered(all, { d: 3, c: 2 })).toEqual({ d: 3, c: 2 });
  expect(numbered(all, { b: 1, a: 0 })).toEqual({ b: 1, a: 0 });
});

// I-66 in FORMAT.md
it('an archived job keeps its number, wherever it is now', () => {
  const all = numbers({ a: 0, b: 1, c: 7 });
  expect(numbered(all, { a: 2, b: 0, c: 1 })).toEqual({ a: 0, b: 1, c: 7 });
  expect(all.first).toBe(8);
});

it('a new job has its place, if that is above all archived ones', () => {
  expect(numbered(numbers({ a: 0, b: 1 }), { e: 4, d: 3, b: 1, a: 0 })).toMatchObject({
    d: 3,
    e: 4,
  });
});

it(
  'new jobs where others have left are above all archived ones, in the order of their places',
  fault('F-129'),
  () => {
    const all = numbers({ a: 0, b: 1, c: 2 });
    // a and b have left
    expect(numbered(all, { e: 2, d: 1, c: 0 })).toEqual({ c: 2, d: 3, e: 4 });
    expect(numbered(all, { f: 0 })).toEqual({ f: 5 });
  },
);

it('a job that is older than archived ones is above them, too: a number never changes', () => {
  expect(numbered(numbers({ b: 0, c: 1 }), { a: 0, b: 1, c: 2 })).toEqual({ a: 2, b: 0, c: 1 });
});

it('no number is given twice where the order is not known, and places are positions', () => {
  const all = numbers({ a: 0, b: 1 });
  expect(numbered(all, { d: 0, c: 1, b: 2 })).toEqual({ d: 2, c: 3, b: 1 });
  expect(numbered(all, { a: 3, e: 2, f: 3 })).toEqual({ a: 0, e: 4, f: 5 });
});
