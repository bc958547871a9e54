import { expect, it } from 'vitest';
import {
  adjoiningRange,
  exactRange,
  otherRange,
  overlappingRange,
} from '../../../src/service/page-range.js';

it('the page begins with the same item or before, has another size, and reaches nearly as far', () => {
  for (let pageSize = 2; pageSize <= 30; pageSize++) {
    for (let pageNumber = 1; pageNumber <= 8; pageNumber++) {
      const start = (pageNumber - 1) * pageSize;
      const sizes = new Set<number>();
      for (let pick = 0; pick < 40; pick++) {
        const other = otherRange({ pageNumber, pageSize }, pick);
        const begin = (other.pageNumber - 1) * other.pageSize;
        expect(other.pageSize).not.toBe(pageSize);
        expect(begin).toBeLessThanOrEqual(start);
        const reach = begin + other.pageSize - start;
        expect(reach).toBeGreaterThan(0);
        if (other.pageSize < pageSize) expect(reach).toBeGreaterThanOrEqual(0.75 * pageSize);
        sizes.add(other.pageSize);
      }
      if (pageSize === 30 && pageNumber === 1) expect(sizes.size).toBe(7);
    }
  }
});

it('the page that a cache has no answer for may reach three quarters as far', () => {
  expect(otherRange({ pageNumber: 1, pageSize: 4 }, 0)).toEqual({ pageNumber: 1, pageSize: 3 });
});

it('the page is a larger one where there is no smaller one that reaches as far', () => {
  expect(otherRange({ pageNumber: 1, pageSize: 1 }, 3)).toEqual({ pageNumber: 1, pageSize: 2 });
  expect(otherRange({ pageNumber: 4, pageSize: 1 }, 3)).toEqual({ pageNumber: 2, pageSize: 2 });
});

it.each([
  // covered, largest, its number and size
  [100, 100, 2, 99],
  [10, 10, 2, 9],
  [19, 10, 3, 9],
  [20, 10, 3, 9],
  [3, 3, 2, 2],
])(
  'the next page behind %i places, of %i at most, begins before their end: %i of %i',
  (covered, largest, ...is) => {
    const range = overlappingRange(covered, largest);
    expect([range?.pageNumber, range?.pageSize]).toEqual(is);
  },
);

it.each([
  [1, 1],
  [2, 1],
  [1, 2],
  [2, 2],
])('the next page behind %i places, of %i at most, cannot overlap', (covered, largest) => {
  expect(overlappingRange(covered, largest)).toBeUndefined();
});

it('the next page overlaps by one place at least, and reaches as far as any page that does', () => {
  for (let largest = 1; largest <= 12; largest++) {
    for (let covered = 1; covered <= 40; covered++) {
      let farthest = covered;
      for (let size = 1; size <= largest; size++) {
        for (let number = 2; (number - 1) * size < covered; number++) {
          farthest = Math.max(farthest, number * size);
        }
      }
      const range = overlappingRange(covered, largest);
      const end = range ? range.pageNumber * range.pageSize : covered;
      expect(end, `${covered} of ${largest}`).toBe(farthest);
      if (!range) continue;
      expect(range.pageNumber).toBeGreaterThan(1);
      expect((range.pageNumber - 1) * range.pageSize).toBeLessThan(covered);
      expect(range.pageSize).toBeLessThanOrEqual(largest);
    }
  }
});

it.each([
  [10, 10, 2],
  [11, 10, 2],
  [19, 10, 2],
  [20, 10, 3],
])(
  'the next page behind %i places, of a size of %i that is fixed, is page %i',
  (covered, pageSize, pageNumber) => {
    expect(adjoiningRange(covered, pageSize)).toEqual({ pageNumber, pageSize });
  },
);

it('begins right behind what is covered, and is as large as that allows', () => {
  expect(exactRange(10, 10)).toEqual({ pageNumber: 2, pageSize: 10 });
  expect(exactRange(35, 10)).toEqual({ pageNumber: 6, pageSize: 7 });
  expect(exactRange(37, 10)).toEqual({ pageNumber: 38, pageSize: 1 });
});
