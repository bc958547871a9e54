import { expect, it } from 'vitest';
import { foundText, hitCountText } from '../../../src/search/search-facts.js';

const found = (matches: number, withheld = 0, searched_in: [] | null = []) => {
  return { total: 16, searched: 16, matches, withheld, searched_in };
};

it('hits are counted with those that are withheld, which are told beside them', () => {
  expect([foundText(found(13)), foundText(found(13, 2)), foundText(found(1, 1))]).toEqual([
    '13',
    '13, 2 of them withheld',
    '1, which is withheld',
  ]);
  expect(hitCountText(found(13))).toBe('13 hits in 16 questions');
  expect(hitCountText(found(13, 2))).toBe('13 hits, 2 of them withheld, in 16 questions');
});

it('where a period left some out, it is said what the others are, and of which commit', () => {
  const part = { ...found(13), searched: 15 };
  expect(hitCountText(part, 4)).toBe(
    '13 hits in 15 of the 16 questions of commit 4 that are or may be of the period',
  );
  expect(hitCountText({ ...found(0), total: 1, searched: 0 })).toBe(
    '0 hits in 0 of the 1 question that is or may be of the period',
  );
});

it('without words the questions of the period are those that were found', () => {
  expect(hitCountText(found(16, 0, null), 4)).toBe('16 questions of commit 4');
  expect(hitCountText(found(16, 1, null))).toBe('16 questions; 1 of the 16 is withheld');
});
