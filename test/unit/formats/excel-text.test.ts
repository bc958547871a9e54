import { describe, expect, it } from 'vitest';
import { escapeForExcel } from '../../../src/formats/xlsx/excel-text.js';
import { excelTime } from '../../../src/formats/xlsx/excel-time.js';
import { isLong, longTextRows } from '../../../src/formats/xlsx/long-texts.js';
import { SheetNames } from '../../../src/formats/xlsx/workbook-file.js';
import { defineTable } from '../../../src/model/table-schema.js';
import { parseTimestamp } from '../../../src/model/times/timestamp.js';
import { fault } from '../../support/base/fault.js';

it.each([
  ['plain 🙂 text\twith\nlines', 'plain 🙂 text\twith\nlines'],
  ['\u0000\u0001\u001F', '_x0000__x0001__x001F_'],
  ['a\r\nb', 'a_x000D_\nb'],
  ['\u007F\u0080', '_x007F_\u0080'],
  ['\uFFFE\uFFFF', '_xFFFE__xFFFF_'],
  ['_x0041_', '_x005F_x0041_'],
  ['_xabCD_', '_x005F_xabCD_'],
  ['_x0041_x0042_', '_x005F_x0041_x005F_x0042_'],
  ['_x0041\u0001', '_x005F_x0041_x0001_'],
  ['\u0001x0041_', '_x0001_x0041_'],
  ['_x0041', '_x0041'],
  ['_X0041_', '_X0041_'],
  ['_x00G1_', '_x00G1_'],
])('text for Excel of %j is %j', (text, escaped) => {
  expect(escapeForExcel(text)).toBe(escaped);
});

const table = defineTable('things', { key: { id: 'string' }, rest: { text: 'string' } });
const partsOf = (text: string) =>
  [...longTextRows(table, { id: 'a', text }, 1)].map((row) => String(row['text']));

it('a text too long for a cell has more than 32,767 UTF-16 code units', fault('F-40'), () => {
  expect(isLong('x'.repeat(32_767))).toBe(false);
  expect(isLong('x'.repeat(32_768))).toBe(true);
  expect(isLong('🙂'.repeat(16_383))).toBe(false);
  expect(isLong('🙂'.repeat(16_384))).toBe(true);
});

it('a text too long for a cell may be shorter where its escapes are not', () => {
  expect(isLong('\u0001'.repeat(4681))).toBe(false);
  expect(isLong('\u0001'.repeat(4682))).toBe(true);
});

it(
  'a text too long for a cell is cut beside a surrogate pair, never through it',
  fault('F-40'),
  () => {
    for (let before = 32_700; before < 32_770; before++) {
      const text = `${'x'.repeat(before)}${'🙂'.repeat(50)}${'y'.repeat(40_000)}`;
      const parts = partsOf(text);
      expect(parts.join('')).toBe(text);
      expect(parts.every((part) => part.isWellFormed() && part.length <= 32_767)).toBe(true);
    }
  },
);

it('a text too long for a cell is named by its row’s keys and its column', () => {
  const row = { id: 'a "b"', text: 'x'.repeat(40_000) };
  const [first] = longTextRows(table, row, 3);
  expect(first).toMatchObject({
    table: 'things',
    key: '{"id":"a \\"b\\"","column":"text"}',
    part: 1,
  });
});

it('a text too long for a cell is named by its row’s place where the keys are too long', () => {
  const keys = [...longTextRows(table, { id: 'x'.repeat(40_000), text: null }, 3)];
  expect(keys[0]).toMatchObject({ key: '{"row":3,"column":"id"}' });
});

it('the name of a sheet is the table’s, then numbered', () => {
  const names = new SheetNames();
  expect([names.next('jobs'), names.next('jobs'), names.next('JOBS')]).toEqual([
    'jobs',
    'jobs (2)',
    'JOBS (3)',
  ]);
});

it(
  'the name of a sheet has at most 31 characters and none that Excel forbids',
  fault('F-40'),
  () => {
    const names = new SheetNames();
    expect(names.next('a/b\\c?d*e[f]g:h')).toBe('a_b_c_d_e_f_g_h');
    expect(names.next('n'.repeat(40))).toBe('n'.repeat(31));
    expect(names.next('n'.repeat(40))).toBe(`${'n'.repeat(27)} (2)`);
    expect(names.next(`${'n'.repeat(30)}🙂`)).toBe('n'.repeat(30));
    expect(names.next("'quoted'")).toBe('_quoted_');
    expect(names.next('')).toBe('sheet');
  },
);

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
