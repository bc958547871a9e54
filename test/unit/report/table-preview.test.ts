import { expect, it } from 'vitest';
import { previewTable } from '../../../src/report/piece-tables.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

async function preview(bytes: string | Uint8Array, rowCount: number | null = null) {
  const storage = createMemoryStorage();
  const content = Buffer.from(bytes);
  await storage.put('t.csv', content);
  return previewTable(storage, { path: 't.csv', bytes: content.length, rowCount });
}

it('the first rows of a table are those after the header, with what the archive has counted', async () => {
  expect(await preview('a,b\n1,"x,\ny"\n', 1)).toEqual({
    header: ['a', 'b'],
    rows: [['1', 'x,\ny']],
    rowCount: 1,
    columnCount: 2,
  });
});

it('the first rows of a table are a hundred at most, of fifty columns at most, with long cells cut', async () => {
  const wide = Array.from({ length: 60 }, (_one, index) => `c${index}`).join(',');
  const line = `${'x'.repeat(400)},${'1,'.repeat(58)}1\n`;
  const table = await preview(`${wide}\n${line.repeat(150)}`, 150);
  expect(table?.rows).toHaveLength(100);
  expect(table?.rows[0]).toHaveLength(50);
  expect(table?.rows[0]?.[0]).toHaveLength(301);
  expect(table).toMatchObject({ rowCount: 150, columnCount: 60 });
});

it('the first rows of a table never end with half a row where the file is read in part', async () => {
  const long = 'y'.repeat(9000);
  const table = await preview(`a,b\n${`${long},1\n`.repeat(80)}`, 80);
  expect(table?.rows.length).toBeGreaterThan(20);
  expect(table?.rows.every((row) => row.length === 2)).toBe(true);
});

it('the first rows of a table are read as UTF-16 where the file is', async () => {
  const table = await preview(Buffer.from('\ufeffä\tb,c\n1,2\n', 'utf16le'));
  expect(table?.header).toEqual(['ä\tb', 'c']);
});

it('the first rows of a table are none of an empty file, and nothing of a binary one', async () => {
  expect(await preview('')).toMatchObject({ header: [], rows: [] });
  expect(await preview(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0]))).toBeNull();
});
