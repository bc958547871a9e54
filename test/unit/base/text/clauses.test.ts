/** Joining clauses. */
import { expect, it } from 'vitest';
import { clauses } from '../../../../src/base/text/clauses.js';

it('a sentence has the clauses that hold', () => {
  expect(clauses('; ', 'two', false, null, 'of three')).toBe('two; of three');
});

it('a sentence of which nothing holds is empty', () => {
  expect(clauses(', ', false, null)).toBe('');
});
