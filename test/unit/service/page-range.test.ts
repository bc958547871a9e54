import { describe, expect, it } from 'vitest';
import { adjoiningRange, exactRange, overlappingRange } from '../../../src/service/page-range.js';

describe('the next page', () => {
  it.each([
    // covered, largest, its number and size
    [100, 100, 2, 99],
    [10, 10, 2, 9],
    [19, 10, 3, 9],
    [20, 10, 3, 9],
    [3, 3, 2, 2],
  ])(
    'behind %i places, of %i at most, begins before their end: %i of %i',
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
  ])('behind %i places, of %i at most, cannot overlap', (covered, largest) => {
    expect(overlappingRange(covered, largest)).toBeUndefined();
  });

  it('overlaps by one place at least, and reaches as far as any page that does', () => {
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
    'behind %i places, of a size of %i that is fixed, is page %i',
    (covered, pageSize, pageNumber) => {
      expect(adjoiningRange(covered, pageSize)).toEqual({ pageNumber, pageSize });
    },
  );
});

it('begins right behind what is covered, and is as large as that allows', () => {
  expect(exactRange(10, 10)).toEqual({ pageNumber: 2, pageSize: 10 });
  expect(exactRange(35, 10)).toEqual({ pageNumber: 6, pageSize: 7 });
  expect(exactRange(37, 10)).toEqual({ pageNumber: 38, pageSize: 1 });
});
