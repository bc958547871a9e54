import { expect, it } from 'vitest';
import { SheetNames } from '../../../src/formats/xlsx/workbook-file.js';
import { INTEGER, PLAIN, TEXT, TIME } from '../../../src/formats/xlsx/cell-styles.js';
import { linesOf } from '../../../src/formats/xlsx/row-height.js';
import { rowCells, sheetColumns, textCell } from '../../../src/formats/xlsx/sheet-cells.js';
import { isLong, longTextRows } from '../../../src/formats/xlsx/long-texts.js';
import { defineTable, type Row } from '../../../src/model/table-schema.js';

const MOST = 32_767;
const CONTINUED = '… [the whole text is in the sheet long_text]';
const table = defineTable('things', {
  key: { id: 'int32', name: 'string' },
  rest: { text: 'string', size: 'int64', at: 'ts', good: 'bool' },
});

function thing(over: Partial<Row> = {}): Row {
  return { id: 1, name: 'n', text: null, size: null, at: null, good: null, ...over };
}

it('the name of a sheet is unique whatever the case, with a number where it is taken', () => {
  const names = new SheetNames();
  expect(['jobs', 'Jobs', 'jobs', 'jobs (2)'].map((name) => names.next(name))).toEqual([
    'jobs',
    'Jobs (2)',
    'jobs (3)',
    'jobs (2) (2)',
  ]);
});

it('the name of a sheet has at most 31 characters, no half of one, and none that Excel refuses', () => {
  const names = new SheetNames();
  expect(names.next('[a]:b*c?d/e\\f')).toBe('_a__b_c_d_e_f');
  expect(names.next("'it's'")).toBe("_it's_");
  expect(names.next('')).toBe('sheet');
  expect(names.next('x'.repeat(40))).toBe('x'.repeat(31));
  expect(names.next('x'.repeat(40))).toBe(`${'x'.repeat(27)} (2)`);
  expect(names.next(`${'y'.repeat(30)}\u{1f642}`)).toBe('y'.repeat(30));
  expect(names.next(`${'z'.repeat(29)}\u{1f642}z`)).toBe(`${'z'.repeat(29)}\u{1f642}`);
});

const lines = (text: string | undefined, width = 10, most = 8) =>
  linesOf([text], [{ width }], most);

it('lines are as many as the text takes in the column, counting what is wide twice', () => {
  expect(lines('')).toBe(1);
  expect(lines('short')).toBe(1);
  expect(lines('0123456789')).toBe(1);
  expect(lines('0123456789a')).toBe(2);
  expect(lines('012345678901234567890')).toBe(3);
  expect(lines('\u65e5'.repeat(5))).toBe(1);
  expect(lines('\u65e5'.repeat(6))).toBe(2);
  expect(lines('a\nb')).toBe(2);
  expect(lines('a\n\nb\n')).toBe(4);
  expect(lines('0123456789a\nb')).toBe(3);
});

it('lines are broken between words, as programs do: a long name begins a line of its own', () => {
  expect(lines('1234567 1234567 12')).toBe(2);
  expect(lines('12345 12345 12345')).toBe(3);
  expect(lines('12345 123456789012345')).toBe(3);
  expect(lines('123456789012345 12345')).toBe(3);
  expect(lines('123456789012 12345')).toBe(2);
});

it('the lines of a row are no more than the most', () => {
  expect(lines('x'.repeat(10_000))).toBe(8);
  expect(lines('\n'.repeat(100))).toBe(8);
  expect(lines('\u65e5'.repeat(70))).toBe(8);
  expect(lines('x'.repeat(80))).toBe(8);
  expect(lines('x'.repeat(75), 10, 27)).toBe(8);
});

it('lines are those of the cell that needs most; numbers and absent columns need one', () => {
  const columns = [{ width: 10 }, { width: 20 }];
  expect(linesOf([1, undefined, 'beyond the columns'], columns, 8)).toBe(1);
  expect(linesOf(['x'.repeat(15), 'x'.repeat(15)], columns, 8)).toBe(2);
  expect(linesOf(['x', 'x'.repeat(65)], columns, 8)).toBe(4);
  expect(linesOf(['x'.repeat(45), 'x'.repeat(25)], columns, 8)).toBe(5);
  const link = { text: 'x'.repeat(25), hyperlink: 'https://example.com' };
  expect(linesOf([link], columns, 8)).toBe(3);
});

const widths = (rows: readonly Row[]) => sheetColumns(table, rows).map(({ width }) => width);

it('the columns of a sheet have the names and the styles of the table', () => {
  const columns = sheetColumns(table, []);
  expect(columns.map(({ title }) => title)).toEqual(['id', 'name', 'text', 'size', 'at', 'good']);
  expect(columns.map(({ style }) => style)).toEqual([INTEGER, TEXT, TEXT, INTEGER, TIME, PLAIN]);
});

it('the columns of a sheet are folded where somebody names them', () => {
  const columns = sheetColumns(table, [], { folded: new Set(['text', 'of another table']) });
  expect(columns.flatMap(({ title, isFolded }) => (isFolded === true ? [title] : []))).toEqual([
    'text',
  ]);
});

it("columns are as wide as their values' first line or their name, between bounds", () => {
  expect(widths([])).toEqual([6, 8, 8, 8, 20, 8]);
  expect(widths([thing({ text: 'twelve chars\nand a second line that is longer' })])[2]).toBe(14);
  expect(widths([thing({ text: 'x'.repeat(58) })])[2]).toBe(60);
  expect(widths([thing({ text: 'x'.repeat(400) })])[2]).toBe(60);
  expect(widths([thing({ size: 2n ** 62n }), thing({ size: 1n })])[3]).toBe(21);
});

it('the columns of a sheet are sized by the first 200 rows', () => {
  const rows = Array.from({ length: 199 }, () => thing());
  const wide = thing({ text: 'x'.repeat(30) });
  expect(widths([...rows, wide])[2]).toBe(32);
  expect(widths([...rows, thing(), wide])[2]).toBe(8);
});

const cellsOf = (over: Partial<Row>) => rowCells(table, thing(over)).cells;

it('cells are numbers, truth values and dates of Excel; what it cannot hold is text', () => {
  const day = 86_400_000_000n;
  expect(cellsOf({ size: 7n, at: day / 2n, good: false })).toEqual([
    1,
    'n',
    undefined,
    7,
    25_569.5,
    false,
  ]);
  expect(cellsOf({ size: 2n ** 53n })[3]).toBe('9007199254740992');
  expect(cellsOf({ size: 999_999_999_999_999n })[3]).toBe(999_999_999_999_999);
  // Excel would show its last digit as 0
  expect(cellsOf({ size: 1_000_000_000_000_001n })[3]).toBe('1000000000000001');
  expect(cellsOf({ at: -70n * 366n * day })[4]).toMatch(/^1899-.*Z$/);
});

it('cells hold a text of 32,767 characters, as they are escaped, and mark a longer one', () => {
  const escaped = '\u0001'.repeat(4681); // seven characters each
  for (const text of ['x'.repeat(MOST), escaped, `_x0041_${'x'.repeat(MOST - 13)}`]) {
    expect(isLong(text)).toBe(false);
    expect(rowCells(table, thing({ text })).hasLongText).toBe(false);
    expect(textCell(text)).toHaveLength(MOST);
    const { cells, hasLongText } = rowCells(table, thing({ text: `${text}y` }));
    expect([isLong(`${text}y`), hasLongText]).toEqual([true, true]);
    expect(cells[2]).toBe(textCell(`${text}y`));
    expect(cells[2]).toHaveLength(MOST - (text === escaped ? (MOST - CONTINUED.length) % 7 : 0));
    expect(cells[2]).toMatch(/… \[the whole text is in the sheet long_text\]$/);
  }
});

it('the cells of a row hold no half of a surrogate pair', () => {
  expect(cellsOf({ text: 'a\ud83d' })[2]).toBe('a\ufffd');
  expect(textCell('a\ud83d')).toBe('a\ufffd');
});

const partsOf = (over: Partial<Row>) => [...longTextRows(table, thing(over), 9)];

it('parts of a long text fill cells, split no character, and join to the text', () => {
  for (const text of [
    'x'.repeat(100_000),
    'x'.repeat(MOST - CONTINUED.length) + 'y'.repeat(MOST),
    `x${'\u{1f642}'.repeat(40_000)}`,
    `xy${'\u0001'.repeat(20_000)}`,
    `${'a\ud83d'.repeat(30_000)}b`,
  ]) {
    const rows = partsOf({ text });
    expect(rows.map(({ part }) => part)).toEqual(rows.map((_, at) => at + 1));
    const parts = rows.map((row) => String(row['text']));
    expect(parts.join('')).toBe(text.toWellFormed());
    const lengths = parts.map((part) => textCell(part).length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MOST);
    expect(lengths[0]).toBeLessThanOrEqual(MOST - CONTINUED.length);
    expect(lengths[0]).toBeGreaterThan(MOST - CONTINUED.length - 7);
    for (const length of lengths.slice(1, -1)) expect(length).toBeGreaterThan(MOST - 7);
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
  }
  const two = 'x'.repeat(MOST - CONTINUED.length) + 'y'.repeat(MOST);
  expect(partsOf({ text: two })).toHaveLength(2);
  expect(partsOf({ text: `${two}z` })).toHaveLength(3);
});

it("parts of a long text are named by the row's keys, or its place where these are long", () => {
  const text = 'x'.repeat(40_000);
  expect(partsOf({ text })).toMatchObject([
    { table: 'things', key: '{"id":1,"name":"n","column":"text"}', part: 1 },
    { table: 'things', key: '{"id":1,"name":"n","column":"text"}', part: 2 },
  ]);
  expect(partsOf({ name: 'm\ud83d', text })[0]?.['key']).toBe(
    '{"id":1,"name":"m\ufffd","column":"text"}',
  );
  expect(partsOf({ name: text }).map(({ key }) => key)).toEqual([
    '{"row":9,"column":"name"}',
    '{"row":9,"column":"name"}',
  ]);
  expect(partsOf({ text: 'short' })).toEqual([]);
});
