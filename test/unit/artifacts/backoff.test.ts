import { describe, expect, it } from 'vitest';
import { backoffMs, retryAfterMs } from '../../../src/artifacts/backoff.js';

const random = (fraction: number) => ({ fraction: () => fraction, bytes: () => new Uint8Array() });
const nowMs = Date.UTC(2026, 10, 2, 12);

describe('backoffMs', () => {
  it('is anything between nothing and a cap that doubles up to 30 s', () => {
    expect(backoffMs(1, random(0))).toBe(0);
    expect([1, 2, 3, 20].map((failures) => backoffMs(failures, random(0.5)))).toEqual([
      500, 1000, 2000, 15_000,
    ]);
  });
});

describe('retryAfterMs', () => {
  it('reads seconds and HTTP dates; a date in the past is now', () => {
    expect(retryAfterMs('2', nowMs)).toBe(2000);
    expect(retryAfterMs(' 0 ', nowMs)).toBe(0);
    expect(retryAfterMs('Mon, 02 Nov 2026 12:00:05 GMT', nowMs)).toBe(5000);
    expect(retryAfterMs('Mon, 02 Nov 2026 11:00:00 GMT', nowMs)).toBe(0);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '2026-11-02', 'Monday', '99999999999'])(
    'is null for %j',
    (header) => {
      expect(retryAfterMs(header, nowMs)).toBeNull();
    },
  );
});
