import { expect, it } from 'vitest';
import { didYouMean, nearest } from '../../../src/base/text/short-texts.js';

const known = ['export', 'verify', 'files', 'page-size', 'checkpoint-interval', 'out', 'user'];

it.each([
  ['exprot', 'export'],
  ['verfy', 'verify'],
  ['page_size', 'page-size'],
  ['checkpont-intervall', 'checkpoint-interval'],
  ['outt', 'out'],
  ['out', 'out'],
])('%s was probably meant to be %s', (word, meant) => {
  expect(nearest(word, known)).toBe(meant);
});

it.each(['banana', 'x', 'ab', '', 'completely-different'])('%j is near none', (word) => {
  expect(nearest(word, known)).toBeUndefined();
});

it('without known names there is no nearest', () => {
  expect(nearest('export', [])).toBeUndefined();
});

it('of two names at the same distance the first is nearest', () => {
  expect(nearest('cat', ['car', 'can'])).toBe('car');
});

it('without a similar name, all known names are listed', () => {
  expect(didYouMean('user', 'adda', ['ben', 'ada'])).toBe('did you mean "ada"?');
  expect(didYouMean('user', 'x', ['b', 'a', 'b'])).toBe('users in it: a, b');
  expect(didYouMean('user', 'nobody', ['f1', 'e1', 'd1', 'c1', 'b1', 'a1'])).toBe(
    'users in it: a1, b1, c1, d1, e1, …',
  );
  expect(didYouMean('session', 'x', [])).toBe('there are no sessions in it');
});
