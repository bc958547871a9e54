import { expect, it } from 'vitest';
import { nearest } from '../../../src/config/nearest.js';

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

it('of nothing known there is no nearest', () => {
  expect(nearest('export', [])).toBeUndefined();
});

it('of two equally near the first is taken', () => {
  expect(nearest('cat', ['car', 'can'])).toBe('car');
});
