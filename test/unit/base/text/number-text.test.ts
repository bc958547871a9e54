import { expect, it } from 'vitest';
import { numberOfText } from '../../../../src/base/text/number-text.js';

it.each<readonly [string, ',' | '.', number]>([
  ['1.234,50', ',', 1234.5],
  ['12,5 %', ',', 12.5],
  ['-1 234,5', ',', -1234.5],
  ['1\u202f234\u202f567', ',', 1_234_567],
  ['2,125', ',', 2.125],
  ['2,125', '.', 2125],
  ['1,234.50', '.', 1234.5],
  ['12,34,567', '.', 1_234_567],
  ["1'234.5", '.', 1234.5],
  ['.5', '.', 0.5],
  ['(1,200)', '.', -1200],
  ['\u22127', '.', -7],
  ['€ 9', ',', 9],
  ['1.234,00 €', ',', 1234],
  ['$1,200', '.', 1200],
  ['1.2e-05', '.', 0.000012],
  ['1e+06', '.', 1_000_000],
  ['0', '.', 0],
])('a number is what people write as one: %s', (text, decimal, value) => {
  expect(numberOfText(text, decimal)).toBe(value);
});

it.each([
  '',
  ' ',
  '-',
  '007',
  '0x10',
  '1e5',
  '1.2.2026',
  '12:30',
  '1,2,3',
  '1.234.5',
  '5 apples',
  '.',
  ',',
  '1,23,4',
])('a number is nothing else: %j', (text) => {
  expect([numberOfText(text, ','), numberOfText(text, '.')]).toEqual([undefined, undefined]);
});
