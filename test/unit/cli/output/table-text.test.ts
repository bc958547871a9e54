import { expect, it } from 'vitest';
import { tableText } from '../../../../src/cli/output/table-text.js';
import { widthOf } from '../../../../src/cli/output/text-width.js';

const ID = '01a02047-8535-7361-9751-7649c1a782f9';
const words = (text: string) => text.split(/\s+/).filter(Boolean);

it('a table is as wide as it needs to be where there is no terminal', () => {
  const name = 'word '.repeat(100).trim();
  expect(tableText(['id', 'name'], [[ID, name]], undefined)).toBe(
    `${'id'.padEnd(ID.length)}  name\n${ID}  ${name}\n`,
  );
});

it('a table goes on in the next line instead of cutting, and breaks no id', () => {
  const name = 'Returned orders by product line, first half of 2025';
  const text = tableText(['id', 'name'], [[ID, name]], 60);
  for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60);
  expect(text).toContain(ID);
  expect(words(text.replace(ID, '').replace('id', ''))).toEqual(['name', ...words(name)]);
});

it("a narrow terminal leaves out a table's spare columns, the last first, and says so", () => {
  const headings = ['id', 'name', 'jobs', 'mode'];
  const rows = [[ID, 'Returned orders by month', '12', 'AUTOMATIC']];
  const spare = ['jobs', 'mode'];
  expect(tableText(headings, rows, 80, spare)).not.toContain('left out');
  for (const width of [64, 54]) {
    const text = tableText(headings, rows, width, spare);
    expect(text).toContain(ID);
    const [table = '', note = ''] = text.split('left out');
    expect(table).not.toContain('mode');
    expect(table.includes('jobs')).toBe(width === 64);
    expect(note).toBe(
      ` to fit ${width} columns: ${width === 64 ? 'mode' : 'jobs, mode'}; --json has everything\n`,
    );
    for (const line of table.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
  }
});

it('a table becomes a list where the terminal is too narrow', () => {
  expect(
    tableText(
      ['id', 'name'],
      [
        [ID, 'a b'],
        ['2', 'c'],
      ],
      40,
    ),
  ).toBe(`  id\n    ${ID}\n  name  a b\n\n  id    2\n  name  c\n`);
});

it('a table leaves empty cells out of a list', () => {
  const text = tableText(['id', 'name', 'released'], [[ID, 'a b', '']], 40);
  expect(text).toBe(`  id\n    ${ID}\n  name  a b\n`);
});

it('paths and variables are broken before there is a list, but not what is copied', () => {
  const rows = [
    ['a_setting_with_a_long_name', '/etc/ssl/certs/ca-certificates.crt', 'JOBVAULT_ALLOW'],
  ];
  const text = tableText(['setting', 'value', 'said by'], rows, 62);
  expect(text).toBe(
    [
      'setting                     value                said by',
      'a_setting_with_a_long_name  /etc/ssl/certs/      JOBVAULT_',
      '                            ca-certificates.crt  ALLOW',
      '',
    ].join('\n'),
  );
});

it('a table breaks what has no spaces and is too long for the terminal', () => {
  const url = `https://example.com/${'x'.repeat(100)}`;
  const text = tableText(['name', 'url'], [['a', url]], 50);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
  expect(text.replace(/\s/g, '')).toContain(url);
});

it('a table aligns what takes two columns a character, or none', () => {
  const rows = [
    ['売上', '1'],
    ['e\u0301te\u0301', '2'],
    ['👩‍👩‍👧', '3'],
  ];
  expect(tableText(['name', 'n'], rows, 80)).toBe(
    ['name  n', '売上  1', 'e\u0301te\u0301   2', '👩‍👩‍👧    3', ''].join('\n'),
  );
});

it('a table keeps to its lines whatever a cell holds', () => {
  const text = tableText(['a', 'b'], [['one\ntwo\tthree', '\u001b[31mred']], 80);
  expect(text).toBe('a              b\none two three  \\u001b[31mred\n');
});

it('a table has room for more rows, and more words in a cell, than a call has for arguments', () => {
  const many = 200_000;
  const text = tableText(['id', 'words'], [['1', 'a '.repeat(many)]], undefined);
  expect(text.length).toBeGreaterThan(2 * many);
  const rows = Array.from({ length: many }, (_, row) => [String(row)]);
  expect(tableText(['id'], rows, 80).split('\n')).toHaveLength(many + 2);
});
