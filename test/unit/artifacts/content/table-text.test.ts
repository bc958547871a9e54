import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textOfTable } from '../../../../src/artifacts/content/table-text.js';
import { MAX_TABLE_TEXT_BYTES } from '../../../../src/model/tables.js';

const COMMAS = { encoding: 'utf-8', separator: ',' };
const whole = (text: string): string | null => textOfTable(Buffer.from(text), true, COMMAS);
const bytesOf = (text: string | null): number => Buffer.byteLength(text ?? '');

it('the text of a table has a line for each row, and a tab between two cells', () => {
  expect(whole('region,revenue\r\nBerlin,12\rRome,9\n\n')).toBe(
    'region\trevenue\nBerlin\t12\nRome\t9',
  );
  expect(textOfTable(Buffer.from('\ufeffa;b\n1;2,5\n'), true, { ...COMMAS, separator: ';' })).toBe(
    'a\tb\n1\t2,5',
  );
});

it('the text of a table has cells without their quotes, each on one line', () => {
  expect(whole('"a, b","say ""hi""",\n"two\nlines and\ta tab",5" pipe\n')).toBe(
    'a, b\tsay "hi"\t\ntwo lines and a tab\t5" pipe',
  );
  expect(whole('a,"never closed, b\n')).toBe('a\tnever closed, b');
});

it('the text of a table has the words that csv-parse has in its cells', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'é', '売', ' ', ',', '"', '\n', '\t', '.'),
  });
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(table, (rows) => {
      const csv = rows
        .map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','))
        .join('\n');
      const read: string[][] = parse(csv);
      const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
      expect(words(whole(csv) ?? '')).toEqual(words(read.flat().join(' ')));
    }),
  );
});

it('the text of an empty table is empty, and there is none in an unknown encoding', () => {
  expect(whole('')).toBe('');
  for (const encoding of [null, 'unknown']) {
    expect(textOfTable(Buffer.from('a,b'), true, { ...COMMAS, encoding })).toBeNull();
  }
});

it('the text of a table is decoded from its encoding', () => {
  const bytes = Buffer.from('\ufeffname,Wert\nü,1\n', 'utf16le');
  const read = (content: Buffer, encoding: string) =>
    textOfTable(content, true, { ...COMMAS, encoding });
  expect(read(bytes, 'utf-16le')).toBe('name\tWert\nü\t1');
  expect(read(Buffer.from(bytes).swap16(), 'utf-16be')).toBe('name\tWert\nü\t1');
  expect(read(Buffer.from('caf\xe9,\x80 9', 'latin1'), 'windows-1252')).toBe('café\t€ 9');
});

it('the text of a table has the rows that are in its first 16 KB as a whole', () => {
  for (const row of ['x'.repeat(99), '売'.repeat(33), `"${'y'.repeat(97)}"`]) {
    const bytes = Buffer.from(`${row}\n`.repeat(1000));
    const text = textOfTable(bytes, true, COMMAS)?.split('\n');
    expect(text).toHaveLength(Math.floor(MAX_TABLE_TEXT_BYTES / 100));
    expect(new Set(text)).toEqual(new Set([row.replaceAll('"', '')]));
  }
});

it('the text of a table leaves out the last row of what is not all of the table: it may be cut', () => {
  expect(textOfTable(Buffer.from('a,b\n1,2\n3,https://h/x?si'), false, COMMAS)).toBe('a\tb\n1\t2');
});

it('a first row that does not fit ends between two cells or words, with no part of one', () => {
  const cells = Array.from({ length: 3000 }, (_, at) => `cell${at}`);
  const text = whole(cells.join(',')) ?? '';
  expect(text.split('\t')).toEqual(cells.slice(0, text.split('\t').length));
  expect(bytesOf(text)).toBeGreaterThan(MAX_TABLE_TEXT_BYTES - 100);
  expect(whole(`some words ${'x'.repeat(MAX_TABLE_TEXT_BYTES)}`)).toBe('some words');
  expect(whole('x'.repeat(MAX_TABLE_TEXT_BYTES + 1))).toBe('');
});
