/** The list of faults in test/fault/README.md has every fault once, in order, and each has a test that is tagged with it. */
import { expect, it } from 'vitest';
import { faults, testsOfFaults } from '../../config/fault-list.js';

it('the list has every fault once, in order of its number', () => {
  const tags = faults().map(({ tag }) => tag);
  expect(tags.length).toBeGreaterThan(150);
  const numbers = tags.map((tag) => Number(tag.slice('F-'.length)));
  // a number is never used again: one that has gone leaves a hole
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
});

it('every fault has a test, and every tag a fault', () => {
  const tagged = testsOfFaults();
  expect(faults().flatMap(({ tag }) => (tagged.has(tag) ? [] : [tag]))).toEqual([]);
  const known = new Set(faults().map(({ tag }) => tag));
  expect([...tagged.keys()].filter((tag) => !known.has(tag))).toEqual([]);
});
