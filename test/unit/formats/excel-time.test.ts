import { describe, expect, it } from 'vitest';
import { excelTime } from '../../../src/formats/xlsx/excel-text.js';
import { parseTimestamp } from '../../../src/model/created-at.js';

const serialOf = (iso: string): number | undefined => excelTime(parseTimestamp(iso) ?? 0n);

describe('a time in Excel', () => {
  it.each([
    ['1900-03-01T00:00:00Z', 61],
    ['1970-01-01T00:00:00Z', 25_569],
    ['2000-02-29T12:00:00Z', 36_585.5],
    ['2024-11-21T18:00:00Z', 45_617.75],
    ['9999-12-31T00:00:00Z', 2_958_465],
  ])('of %s is %d days', (iso, days) => {
    expect(serialOf(iso)).toBe(days);
  });

  it.each(['1900-02-28T23:59:59Z', '1601-01-01T00:00:00Z'])('of %s is none', (iso) => {
    expect(serialOf(iso)).toBeUndefined();
  });

  it('after the year 9999 is none', () => {
    expect(excelTime(253_402_300_800_000_000n)).toBeUndefined();
  });

  it('keeps every microsecond of the next years', () => {
    for (const start of [
      '2001-01-01T00:00:00Z',
      '2026-11-21T23:59:59.999900Z',
      '2040-06-05T00:00:00Z',
    ]) {
      for (let micro = 0n; micro < 200n; micro++) {
        const time = (parseTimestamp(start) ?? 0n) + micro;
        const days = excelTime(time) ?? 0;
        expect(BigInt(Math.round((days - 25_569) * 86_400_000_000))).toBe(time);
      }
    }
  });
});
