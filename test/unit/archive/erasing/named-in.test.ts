import { expect, it } from 'vitest';
import { namedIn, namesAny } from '../../../../src/archive/erasing/named-in.js';

it.each([
  ['Art. 17 GDPR for Jonas Weber', 'jonas.weber', 'Jonas Weber'],
  ['for jonas-weber.', 'jonas.weber', 'jonas-weber'],
  ['Jonas.Weber asked', 'jonas.weber', 'Jonas.Weber'],
  ['JonasWeber', 'jonas.weber', 'JonasWeber'],
  ['of Mei Tanaka', 'mei.tanaka@example.com', 'Mei Tanaka'],
  ['of mei.tanaka@EXAMPLE.com', 'mei.tanaka@example.com', 'mei.tanaka@EXAMPLE.com'],
  ['for Zo\u0065\u0308 Gra\u00df', 'zo\u00eb.grass', 'Zo\u00eb Gra\u00df'],
  ['Ada asked', 'ada', 'Ada'],
  ['a. asked', 'a', 'a'],
  ['A.D.A. asked', 'ada', 'A.D.A'],
  ['that of J.W., by phone', 'jw', 'J.W'],
  ['in session 0B6F 11', '0b6f-11', '0B6F 11'],
  ['the one called --', '--', '--'],
  ['asked by Al', 'al', 'Al'],
  ['for Anna', 'anna@example.com', 'Anna'],
  ['of GRO\u1e9e', 'gro\u00df', 'GRO\u1e9e'],
  ['about Lo\u00advelace', 'lovelace', 'Lovelace'],
  ['about lovelace', 'love\u200blace', 'lovelace'],
  ['about \ufeffAda\u2060, then', 'ada', 'Ada'],
  ['Zoe\u200d\u0308 asked', 'zo\u00eb', 'Zo\u00eb'],
  ['mail to anna', 'an\u00adna\u200c@example.com', 'anna'],
  ['user 1234, by phone', '1234', '1234'],
  ['the one called “--”.', '--', '--'],
])('the text “%s” names %s', (text, id, words) => {
  const ids = new Set(['nobody.here', id]);
  expect(namedIn(text, ids)).toBe(words);
  expect(namesAny(text, ids)).toBe(true);
});

it.each([
  ['Art. 17 GDPR, case 2026-114', 'jonas.weber'],
  ['a day of a Dane', 'ada'],
  ['because', 'au'],
  ['because of the case', 'a'],
  ['the annual review of data', 'ann@example.com'],
  ['a text without the sign', '--'],
  ['Canada', 'ada'],
  ['that of Joan Nagy', 'anna'],
  ['asked by Staatsanwaltschaft', 's-anwalt'],
  ['the matter of Juliana Silva', 'ana.silva'],
  ['Der Betriebsrat will Akten', 'rat'],
  ['about user12', 'user1'],
  ['Can\u00adada', 'ada'],
  ['Betriebs\u200brat', 'rat'],
  ['ada\u200dm', 'ada'],
  ['invoice 51234', '1234'],
  ['case 2026-114', '-'],
  ['a --- line', '--'],
  ['nothing to see', '\u200b'],
  [null, 'ada'],
])('the text “%s” does not name %s', (text, id) => {
  expect(namedIn(text, new Set([id]))).toBeUndefined();
  expect(namesAny(text, new Set([id]))).toBe(false);
});

it('a text names somebody who is erased also by an id that is learned later', () => {
  const ids = new Set(['nobody.here']);
  expect(namedIn('session of spring', ids)).toBeUndefined();
  expect(namedIn('session of spring', ids.add('Of-Spring'))).toBe('of spring');
});
