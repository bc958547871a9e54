import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textOfTable } from '../../../../src/artifacts/content/table-text.js';
import { MAX_TABLE_TEXT_BYTES } from '../../../../src/model/tables.js';

const whole = (text: string): string | null => textOfTable(Buffer.from(text), true);
const bytesOf = (text: string | null): number => Buffer.byteLength(text ?? '');

it('the text of a table has a line for each row, and a tab between two cells', () => {
  expect(whole('region,revenue\r\nBerlin,12\rRome,9\n\n')).toBe(
    'region\trevenue\nBerlin\t12\nRome\t9',
  );
  expect(whole('\ufeffa;b\n1;2\n')).toBe('a;b\n1;2');
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

it('the text of a table is nothing of an empty table, and not there where the bytes are no text', () => {
  expect(whole('')).toBe('');
  expect(textOfTable(Buffer.from([0x50, 0x4b, 3, 4, 0, 1]), true)).toBeNull();
});

it('the text of a table reads UTF-16 of both ends', () => {
  const bytes = Buffer.from('\ufeffname,Wert\nü,1\n', 'utf16le');
  expect(textOfTable(bytes, true)).toBe('name\tWert\nü\t1');
  expect(textOfTable(Buffer.from(bytes).swap16(), true)).toBe('name\tWert\nü\t1');
});

it('the text of a table has the rows that fit as a whole, up to 16 KB, whatever the encoding', () => {
  for (const row of ['x'.repeat(99), '売'.repeat(33)]) {
    const csv = `${row}\n`.repeat(1000);
    for (const bytes of [Buffer.from(csv), Buffer.from(`\ufeff${csv}`, 'utf16le')]) {
      const text = textOfTable(bytes, true);
      expect(bytesOf(text)).toBeLessThanOrEqual(MAX_TABLE_TEXT_BYTES);
      expect(bytesOf(text)).toBeGreaterThan(MAX_TABLE_TEXT_BYTES - 200);
      expect(new Set(text?.split('\n'))).toEqual(new Set([row]));
    }
  }
});

it('the text of a table leaves out the last row of what is not all of the table: it may be cut', () => {
  expect(textOfTable(Buffer.from('a,b\n1,2\n3,https://h/x?si'), false)).toBe('a\tb\n1\t2');
});

it('the text of a table of a first row that does not fit ends between two cells or words, and has no part of one', () => {
  const cells = Array.from({ length: 3000 }, (_, at) => `cell${at}`);
  const text = whole(cells.join(',')) ?? '';
  expect(text.split('\t')).toEqual(cells.slice(0, text.split('\t').length));
  expect(bytesOf(text)).toBeGreaterThan(MAX_TABLE_TEXT_BYTES - 100);
  expect(whole(`some words ${'x'.repeat(MAX_TABLE_TEXT_BYTES)}`)).toBe('some words');
  expect(whole('x'.repeat(MAX_TABLE_TEXT_BYTES + 1))).toBe('');
});
