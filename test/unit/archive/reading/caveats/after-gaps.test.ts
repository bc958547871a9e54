import { expect, it } from 'vitest';
import { afterGaps } from '../../../../../src/archive/reading/caveats/after-gaps.js';

it('both counts of what no normal export fills are told of all open gaps', () => {
  const text = JSON.stringify(afterGaps({ open: 7, ofAbsent: 3, ofUnread: 1 }));
  expect(text.match(/\(\d+ of the \d+\)/g)).toEqual(['(3 of the 7)', '(1 of the 7)']);
});
