import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../src/base/backoff.js';

const random = (fraction: number) => ({ fraction: () => fraction, bytes: () => new Uint8Array() });

describe('backoffMs', () => {
  it('is anything between nothing and a cap that doubles up to 30 s', () => {
    expect(backoffMs(1, random(0))).toBe(0);
    expect([1, 2, 3, 20].map((attempt) => backoffMs(attempt, random(0.5)))).toEqual([
      250, 500, 1000, 15_000,
    ]);
  });
});
