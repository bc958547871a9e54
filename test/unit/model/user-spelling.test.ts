import { describe, expect, it } from 'vitest';
import { isSameUser } from '../../../src/model/user-spelling.js';

describe('isSameUser', () => {
  it.each([
    ['ana', 'Ana'],
    ['ana', ' ana\t'],
    ['jos\u00e9', 'JOSE\u0301'],
    ['strasse', 'Straße'],
    ['σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['ﬁona', 'FIONA'],
    ['WEIẞ', 'weiß'],
    ['\u212Aim', 'kim'],
  ])('takes %j for %j', (a, b) => {
    expect(isSameUser(a, b)).toBe(true);
    expect(isSameUser(b, a)).toBe(true);
  });

  it.each([
    ['ana', 'anna'],
    ['ana', 'án'],
    ['a b', 'ab'],
    ['ana@x.example', 'ana'],
  ])('tells %j from %j', (a, b) => {
    expect(isSameUser(a, b)).toBe(false);
  });
});
