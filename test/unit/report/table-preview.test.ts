import { expect, it } from 'vitest';
import { TableInspector } from '../../../src/artifacts/content/table-inspector.js';
import { previewTable } from '../../../src/report/preview-table.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

/** As an export describes the file and a report shows it. */
async function preview(bytes: string | Uint8Array, charset: string | null = null) {
  const storage = createMemoryStorage();
  const content = Buffer.from(bytes);
  await storage.put('t.csv', content);
  const inspector = new TableInspector(charset);
  inspector.write(content);
  const { encoding = null, separator = null, headingLine = null, shape } = inspector.end() ?? {};
  return previewTable(storage, {
    path: 't.csv',
    bytes: content.length,
    rowCount: shape?.rowCount ?? null,
    columnCount: shape?.columnCount ?? null,
    encoding,
    separator,
    headingLine,
  });
}

it('the first rows of a table are those after the header, with what the archive has counted', async () => {
  expect(await preview('a,b\n1,"x,\ny"\n')).toEqual({
    above: [],
    header: ['a', 'b'],
    rows: [['1', 'x,\ny']],
    rowCount: 1,
    columnCount: 2,
    encoding: 'utf-8',
    hasDecimalComma: false,
    words: null,
  });
});

it('the rows are a hundred at most, of fifty columns at most, with long cells cut', async () => {
  const wide = Array.from({ length: 60 }, (_one, index) => `c${index}`).join(',');
  const line = `${'x'.repeat(400)},${'1,'.repeat(58)}1\n`;
  const table = await preview(`${wide}\n${line.repeat(150)}`);
  expect(table?.rows).toHaveLength(100);
  expect(table?.rows[0]).toHaveLength(50);
  expect(table?.rows[0]?.[0]).toHaveLength(301);
  expect(table).toMatchObject({ rowCount: 150, columnCount: 60 });
});

it('the rows have their words beside them where a search looks through more or less', async () => {
  const rows = Array.from({ length: 200 }, (_, at) => `row${at},1\n`).join('');
  expect((await preview(`a,b\n${rows}`))?.words).toMatch(/^ a b row0 1 .* row199 1 $/);
  const long = await preview(`a,b\n${`${'x '.repeat(100)},1\n`.repeat(99)}end,2\n`);
  expect(long?.rows.at(-1)).toEqual(['end', '2']);
  expect(long?.words).not.toContain(' end ');
});

it('the first rows of a table never end with half a row where the file is read in part', async () => {
  const long = 'y'.repeat(9000);
  const table = await preview(`a,b\n${`${long},1\n`.repeat(80)}`);
  expect(table?.rows.length).toBeGreaterThan(20);
  expect(table?.rows.every((row) => row.length === 2)).toBe(true);
});

it('the first rows of a table are read as UTF-16 where the file is', async () => {
  const table = await preview(Buffer.from('\ufeffä\tb\tc\n1\t2,5\t3\n', 'utf16le'));
  expect(table?.header).toEqual(['ä', 'b', 'c']);
});

it('the first rows of a table have a name for each column of the widest row, and titles above', async () => {
  expect(await preview('Umsatz 2026\n\nFiliale;Umsatz;\nKöln;1,5;\nBonn;2,5;neu\n')).toMatchObject({
    above: ['Umsatz 2026'],
    header: ['Filiale', 'Umsatz', ''],
    rowCount: 2,
    columnCount: 3,
    hasDecimalComma: true,
  });
});

it('the first rows of a table are a guess where nobody knows the encoding', async () => {
  const bytes = Buffer.from('name\nWroc\xb3aw\n', 'latin1');
  expect(await preview(bytes)).toMatchObject({ encoding: null, rows: [['Wroc\ufffdaw']] });
  expect(await preview(bytes, 'windows-1250')).toMatchObject({ rows: [['Wrocław']] });
});

it('the first rows of a table are none of an empty file, and nothing of a binary one', async () => {
  expect(await preview('')).toMatchObject({ header: [], rows: [] });
  expect(await preview(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0]))).toBeNull();
});
