import { expect, it } from 'vitest';
import { resultTable } from '../../../../src/cli/output/result-table.js';
import { cutTo, widthOf } from '../../../../src/cli/output/text-width.js';
import { resultColumn } from '../../../../src/query/result-columns.js';
import { fault } from '../../../support/base/fault.js';

const columns = [resultColumn('user', 'VARCHAR'), resultColumn('n', 'BIGINT')];

it('aligns texts to the left and numbers to the right, and counts rows', () => {
  const rows = [
    ['ada', '1'],
    ['日本', '1000'],
    [null, null],
  ];
  expect(resultTable({ columns, rows, rowCount: 3 })).toBe(
    ['user     n', '────  ────', 'ada      1', '日本  1000', 'NULL  NULL', '3 rows', ''].join('\n'),
  );
});

it('says how many rows it leaves out', () => {
  const text = resultTable({ columns, rows: [['ada', '1']], rowCount: 2001 });
  expect(text).toContain('2,001 rows; 2,000 more rows not shown, --max-rows 0 shows all\n');
});

it('takes as many rows as are asked for', () => {
  const rows = Array.from({ length: 200_000 }, () => ['ada', '1']);
  expect(resultTable({ columns, rows, rowCount: rows.length })).toContain('\n200,000 rows');
});

it('keeps lines within the terminal, and says that texts are cut', () => {
  const wide = ['a', 'b', 'c'].map((name) => resultColumn(name, 'VARCHAR'));
  const rows = [['x'.repeat(50), 'y'.repeat(50), 'z'.repeat(10)]];
  const text = resultTable({ columns: wide, rows, rowCount: 1, width: 60 });
  expect(Math.max(...text.split('\n').slice(0, 3).map(widthOf))).toBeLessThanOrEqual(60);
  expect(text).toContain('…');
  expect(text).toContain('1 row; long texts are cut');
});

it('lets no text of the service steer the terminal or break a line', fault('F-65'), () => {
  const rows = [['\u001b[31mred\nnext\u009b', '1']];
  const text = resultTable({ columns, rows, rowCount: 1 });
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\u009b');
  expect(text.split('\n')).toHaveLength(5);
});

it.each([
  ['abc', 3],
  ['日本語', 6],
  ['e\u0301', 1],
  ['👩‍👩‍👧', 2],
  ['ｱ', 1],
])('takes %s for %i columns wide', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

it('cuts between graphemes and never over the width', () => {
  expect(cutTo('日本語', 5)).toBe('日本…');
  expect(cutTo('日本語', 4)).toBe('日…');
  expect(cutTo('short', 5)).toBe('short');
});
