import { expect, it } from 'vitest';
import { isSameUser, otherSpellings } from '../../../src/model/user-spelling.js';

it.each([
  ['ana', 'Ana'],
  ['ana', ' ana\t'],
  ['jos\u00e9', 'JOSE\u0301'],
  ['strasse', 'Straße'],
  ['σίσυφος', 'ΣΊΣΥΦΟΣ'],
  ['ﬁona', 'FIONA'],
  ['WEIẞ', 'weiß'],
  ['\u212Aim', 'kim'],
  // marks in another order: brought to NFC before their case changes
  ['\u1FB4', '\u03B1\u0345\u0301'],
  // and afterwards: a small letter whose capital has two marks of its own
  ['\u0390', '\u03AA\u0301'],
])('isSameUser takes %j for %j', (a, b) => {
  expect(isSameUser(a, b)).toBe(true);
  expect(isSameUser(b, a)).toBe(true);
});

it.each([
  ['ana', 'anna'],
  ['ana', 'án'],
  ['a b', 'ab'],
  ['ana@x.example', 'ana'],
])('isSameUser tells %j from %j', (a, b) => {
  expect(isSameUser(a, b)).toBe(false);
});

it('otherSpellings has those of the known users who are spelled in another way, and no others', () => {
  const known = ['ana', 'Ana', ' ANA', 'anna', 'ben', 'BEN', 'cyd'];
  expect(otherSpellings(['ana'], known)).toEqual(['Ana', ' ANA']);
  expect(otherSpellings(['Ana', 'ben'], known)).toEqual(['ana', ' ANA', 'BEN']);
  expect(otherSpellings(['aNA'], known)).toEqual(['ana', 'Ana', ' ANA']);
  expect(otherSpellings(['cyd', 'dan'], known)).toEqual([]);
  expect(otherSpellings([], known)).toEqual([]);
});
