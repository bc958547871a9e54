/** Counts of files read as a person would say them. */
import { expect, it } from 'vitest';
import { tablesAndImages } from '../../../../src/cli/output/tally.js';

it.each([
  [0, '0 tables and images'],
  [1, '1 table or image'],
  [2, '2 tables and images'],
])('%i: %s', (count, text) => {
  expect(tablesAndImages(count)).toBe(text);
});
