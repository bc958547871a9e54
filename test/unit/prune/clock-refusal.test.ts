import { describe, expect, it } from 'vitest';
import { clockRefusal } from '../../../src/prune/clock-refusal.js';

const MINUTE = 60_000;
const byAge = { olderThanMs: 1, trustThisClock: false };
const byNothing = { trustThisClock: false };

describe('a deletion', () => {
  it('goes on by a clock that the service confirms', () => {
    expect(clockRefusal(5 * MINUTE, byAge)).toBeUndefined();
    expect(clockRefusal(-5 * MINUTE, byAge)).toBeUndefined();
  });

  it.each([byAge, byNothing, { ...byAge, trustThisClock: true }])(
    'is refused by a clock that the service contradicts: %j',
    (rules) => {
      expect(clockRefusal(6 * MINUTE, rules)?.detail).toMatch(/is 6 m 0 s ahead of/);
      expect(clockRefusal(-6 * MINUTE, rules)?.detail).toMatch(/is 6 m 0 s behind/);
    },
  );

  it('by age is refused where nothing confirms the clock, unless it is trusted', () => {
    expect(clockRefusal(null, byAge)?.reason).toBe('clock');
    expect(clockRefusal(null, { ...byAge, trustThisClock: true })).toBeUndefined();
    expect(clockRefusal(null, byNothing)).toBeUndefined();
  });
});
