import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../../src/base/retry-after.js';
import { fault } from '../../../support/base/fault.js';

const nowMs = Date.UTC(2026, 10, 2, 12, 0, 0);

describe('Retry-After', () => {
  it.each([
    ['2', 2000],
    [' 0 ', 0],
    ['1.5', 1500],
    ['0.125', 125],
    ['86400', 86_400_000],
    ['Mon, 02 Nov 2026 12:00:30 GMT', 30_000],
    ['Monday, 02-Nov-26 12:00:30 GMT', 30_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('%j asks for %i ms', fault('F-5'), (header, ms) => {
    expect(parseRetryAfter(header, nowMs)).toBe(ms);
  });

  it.each([null, '', 'soon', '-5', '1e3', 'Mon, never', '2026-11-02T12:00:30Z', '0x10', '1,2'])(
    '%j asks for nothing',
    fault('F-5'),
    (header) => {
      expect(parseRetryAfter(header, nowMs)).toBeNull();
    },
  );
});
