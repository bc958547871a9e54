/** Naming the first of several. */
import { expect, it } from 'vitest';
import { withMore } from '../../../../src/base/text/with-more.js';

it.each([
  [2, 'ada, ben'],
  [5, 'ada, ben and 3 more'],
])('the first two of %d are named, and the others counted', (count, text) => {
  expect(withMore(['ada', 'ben'], count)).toBe(text);
});
