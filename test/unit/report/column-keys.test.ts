import { describe, expect, it } from 'vitest';
import { columnKeys } from '../../../src/report/page/column-keys.js';

function sorted(cells: readonly string[], hasDecimalComma = false): string[] {
  const { keys } = columnKeys(cells, hasDecimalComma);
  return cells
    .map((cell, at) => ({ cell, key: keys[at] ?? null }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
      if (typeof a.key === 'number' && typeof b.key === 'number') return a.key - b.key;
      return String(a.key) < String(b.key) ? -1 : 1;
    })
    .map(({ cell }) => cell);
}

describe('a column is sorted', () => {
  it.each<readonly [string, readonly string[]]>([
    ['by decimal commas', ['1,5', '2,125', '10,25']],
    ['by decimal points', ['1.5', '2.125', '10.25']],
    ['by thousands of a comma', ['999', '1,234', '12,000']],
    ['by percent', ['9,8 %', '12,5 %', '77,7 %']],
    ['by days of a point', ['3.12.2025', '11.1.2026', '1.2.2026']],
    ['by days of a bar with the month first', ['12/31/2025', '1/2/2026', '11/1/2026']],
    ['by days of a bar with the day first', ['31/12/2025', '2/1/2026', '1/11/2026']],
    ['by days as ISO has them', ['2025-12-31', '2026-01-02 09:30', '2026-01-02T10:00:00Z']],
    ['by times of several zones', ['2026-01-02T10:00:00+02:00', '2026-01-02T09:00:00Z']],
  ])('%s', (_what, cells) => {
    expect(sorted(cells.toReversed())).toEqual(cells);
  });

  it.each<readonly [string, readonly string[]]>([
    ['by thousands of a point', ['999', '1.234', '12.000']],
    ['by days of a bar with the day first', ['2/1/2026', '1/2/2026']],
  ])('%s where the table has semicolons', (_what, cells) => {
    expect(sorted(cells.toReversed(), true)).toEqual(cells);
  });

  it('with nothing at its end', () => {
    expect(sorted(['n/a', '10', '', '9'])).toEqual(['9', '10', 'n/a', '']);
  });

  it('as text where it has codes', () => {
    for (const cells of [
      ['0x10', '1e5', '20'],
      ['01067', '1067', '20095'],
    ]) {
      expect(columnKeys(cells, false)).toEqual({ keys: cells, isNumber: false });
    }
  });

  it('as text where a day is none', () => {
    expect(columnKeys(['31.2.2026', '1.1.2026'], false).keys).toEqual(['31.2.2026', '1.1.2026']);
  });
});
