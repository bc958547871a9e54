/** What exceljs, as a reader, finds of the looks of a sheet. */
import { text } from 'node:stream/consumers';
import ExcelJS from 'exceljs';
import { expect, it } from 'vitest';
import type { ByteSink } from '../../../src/formats/format.js';
import { WorkbookFile, type SheetLayout } from '../../../src/formats/xlsx/workbook-file.js';
import { HEADER, LINK, PLAIN, TEXT, TITLE } from '../../../src/formats/xlsx/cell-styles.js';
import { SheetXml } from '../../../src/formats/xlsx/exceljs.js';
import { MemorySink } from '../../support/base/memory-bytes.js';

const table: SheetLayout = {
  name: 'things',
  columns: [
    { title: 'id', width: 7, style: PLAIN },
    { title: 'text', width: 10, style: TEXT },
  ],
  hasHeader: true,
  showsWholeTexts: false,
};
const page: SheetLayout = { ...table, name: 'page', hasHeader: false };

async function read(bytes: Uint8Array): Promise<ExcelJS.Workbook> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(Buffer.from(bytes) as unknown as ExcelJS.Buffer);
  return workbook;
}

/** A workbook with one sheet, and that sheet as it was told while it was written. */
async function written(
  layout: SheetLayout,
  rows: readonly Parameters<Awaited<ReturnType<typeof opened>>['sheet']['write']>[0][] = [],
  footer?: string,
) {
  const sink = new MemorySink();
  const { file, sheet } = await opened(sink, layout, footer);
  for (const row of rows) await sheet.write(row);
  sheet.end();
  await file.finish();
  const workbook = await read(sink.bytes);
  return { sheet, workbook, found: workbook.worksheets[0]! };
}

async function opened(sink: ByteSink, layout = table, footer = '') {
  const file = await WorkbookFile.begin(sink, { footer });
  return { file, sheet: file.openSheet(layout) };
}

const FIRST_DATE_OF_ZIP = (1 << 5) | 1;

/** As the ZIP directory has them. */
function entryDates(bytes: Buffer): number[] {
  const dates: number[] = [];
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 1)) {
    dates.push(bytes.readUInt16LE(at + 14));
  }
  return dates;
}

it('a sheet with a header keeps it in sight, filters by it and prints it on every page', async () => {
  const { sheet, found } = await written(table, [
    [1, 'one'],
    [2, 'two'],
  ]);
  expect(found.name).toBe('things');
  expect(found.getRow(1).values).toEqual([undefined, 'id', 'text']);
  expect(found.getRow(1).height).toBe(20);
  expect([1, 2].map((at) => found.getRow(1).getCell(at).style)).toMatchObject([HEADER, HEADER]);
  expect(found.views).toMatchObject([{ state: 'frozen', ySplit: 1 }]);
  expect(found.autoFilter).toBe('A1:B3');
  expect(found.pageSetup.printTitlesRow).toBe('1:1');
  expect(found.columns.map(({ width }) => width)).toEqual([7, 10]);
  expect([sheet.rows, sheet.links]).toEqual([3, 0]);
});

it.each([
  [26, 'Z'],
  [27, 'AA'],
  [52, 'AZ'],
  [53, 'BA'],
  [702, 'ZZ'],
  [703, 'AAA'],
])('a sheet with a header filters all its %i columns, to %s', async (count, last) => {
  const columns = Array.from({ length: count }, (_, at) => ({
    title: `${at}`,
    width: 3,
    style: PLAIN,
  }));
  const { found } = await written({ ...table, columns });
  expect(found.autoFilter).toBe(`A1:${last}1`);
});

it('a sheet without a header is a page: its first row is the first, with no filter or grid', async () => {
  const { sheet, found } = await written(page, [['title', 'of the page']]);
  expect(found.getRow(1).values).toEqual([undefined, 'title', 'of the page']);
  expect(found.views).toMatchObject([{ state: 'normal', showGridLines: false }]);
  expect(found.autoFilter).toBeFalsy();
  expect(found.pageSetup.printTitlesRow).toBeUndefined();
  expect(sheet.rows).toBe(1);
});

it('a printed page is as wide as all columns, and says whose it is, which sheet and which page', async () => {
  const { found } = await written(page, [], 'R&D');
  expect(found.pageSetup).toMatchObject({
    orientation: 'landscape',
    paperSize: 9,
    fitToPage: true,
    fitToWidth: 1,
    fitToHeight: 0,
  });
  expect(found.headerFooter.oddFooter).toBe('&LR&&D&C&A&R&P / &N');
  expect((await written(page)).found.headerFooter.oddFooter).toBe('&L&C&A&R&P / &N');
});

it('a printed page says no more than 100 characters of its own, for which Excel has room', async () => {
  const { found } = await written(page, [], `${'x'.repeat(99)}&y`);
  expect(found.headerFooter.oddFooter).toBe(`&L${'x'.repeat(99)}&&&C&A&R&P / &N`);
});

const wide = (isFolded: boolean): SheetLayout => ({
  ...table,
  columns: [
    { title: 'folded', width: 60, style: TEXT, isKey: true, isFolded },
    { title: 'key', width: 60, style: TEXT, isKey: true },
    ...[1, 2].map((one) => ({ title: `text ${one}`, width: 90, style: TEXT })),
  ],
});

it('a table too wide for a page is printed on several readable ones, with the key on each', async () => {
  const { found } = await written(wide(false));
  expect(found.pageSetup).toMatchObject({ scale: 55, printTitlesColumn: 'A:B' });
});

it('a table too wide for a page fits where enough is folded, which a + above it shows', async () => {
  const { found } = await written(wide(true), [['x'.repeat(1000), 'key', 'x'.repeat(100)]]);
  expect(found.pageSetup).toMatchObject({ fitToPage: true, fitToWidth: 1 });
  expect(found.pageSetup.printTitlesColumn).toBeUndefined();
  const columns = [1, 2].map((at) => found.getColumn(at));
  expect(columns.map(({ hidden, outlineLevel }) => [hidden, outlineLevel])).toEqual([
    [true, 1],
    [false, 0],
  ]);
  expect(found.getRow(2).getCell(1).value).toHaveLength(1000);
  // what is folded makes no row higher
  expect(found.getRow(2).height).toBe(30);
});

it.each([
  [false, 3],
  [true, 27],
])(
  'a row is as high as its wrapped text, whole texts %s: %i lines at most',
  async (showsAll, most) => {
    const { found } = await written({ ...table, showsWholeTexts: showsAll }, [
      [1, 'one line'],
      [2, 'x'.repeat(25)],
      [3, 'x'.repeat(1000)],
    ]);
    const heights = [2, 3, 4].map((at) => found.getRow(at).height);
    expect(heights).toEqual([undefined, 3 * 15, most * 15]);
  },
);

it('a row is not higher for a text that is not wrapped', async () => {
  const { found } = await written(table, [['x'.repeat(25), undefined]]);
  expect(found.getRow(2).height).toBeUndefined();
});

it('a row has the styles of its columns, but for cells with their own style', async () => {
  const wrapped = { value: 'x'.repeat(25), style: TEXT };
  const link = { value: { text: 'there', hyperlink: '#page!A1' }, style: LINK };
  const { sheet, found } = await written(table, [
    ['1', 'one'],
    [wrapped, { value: 'y'.repeat(25), style: TITLE }],
    [link, undefined, 'beyond the columns'],
    [{ text: 'also there', hyperlink: '#page!A2' }, link],
  ]);
  const styles = (row: number) => [1, 2].map((at) => found.getRow(row).getCell(at).style);
  expect(styles(2)).toMatchObject([PLAIN, TEXT]);
  expect(styles(3)).toMatchObject([TEXT, TITLE]);
  expect(styles(4)[0]).toMatchObject(LINK);
  expect(found.getRow(4).getCell(2).value).toBeNull();
  expect(styles(5)).toMatchObject([PLAIN, LINK]);
  // 25 letters in 7 columns: four lines, of which a table shows three
  expect([2, 3, 4].map((row) => found.getRow(row).height)).toEqual([undefined, 45, undefined]);
  expect(found.getRow(4).getCell(1).hyperlink).toBe('#page!A1');
  expect(sheet.links).toBe(3);
});

it('a workbook counts its sheets, and has one date whenever it was written', async () => {
  const sink = new MemorySink();
  const { file, sheet } = await opened(sink);
  sheet.end();
  file.openSheet(table).end();
  await file.finish();
  const { worksheets, creator, lastModifiedBy, created } = await read(sink.bytes);
  expect(worksheets.map(({ name }) => name)).toEqual(['things', 'things (2)']);
  expect(file.sheets).toBe(2);
  expect([creator, lastModifiedBy]).toEqual(['jobvault', 'jobvault']);
  expect(created.toISOString()).toBe('1980-01-01T00:00:00.000Z');
  expect(new Set(entryDates(sink.bytes))).toEqual(new Set([FIRST_DATE_OF_ZIP]));
});

it('a workbook takes no more rows while the sink is busy', async () => {
  let release: () => void = () => undefined;
  const busy = new Promise<void>((resolve) => (release = resolve));
  const sink = new MemorySink();
  const slow: ByteSink = { write: (chunk) => busy.then(() => sink.write(chunk)) };
  const { file, sheet } = await opened(slow);
  const count = 4000;
  const writing = (async () => {
    for (let id = 0; id < count; id++) await sheet.write([id, crypto.randomUUID().repeat(9)]);
  })();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(sheet.rows).toBeLessThan(count);
  release();
  await writing;
  sheet.end();
  await file.finish();
  expect((await read(sink.bytes)).worksheets[0]?.rowCount).toBe(count + 1);
});

it('a workbook is not finished, and takes no more rows, after the sink has failed', async () => {
  const full = new Error('no space left');
  const { file, sheet } = await opened({ write: () => Promise.reject(full) });
  const write = async () => {
    for (let id = 0; id < 4000; id++) await sheet.write([id, crypto.randomUUID().repeat(9)]);
  };
  await expect(write()).rejects.toBe(full);
  await expect(write()).rejects.toBe(full);
  await expect(file.finish()).rejects.toBe(full);
});

it('the XML of a sheet has texts in their cells, and the white space at their ends', async () => {
  const xml = new SheetXml();
  const cell = '<c t="str"><v> two words </v></c>';
  xml.write(cell);
  xml.write({ toBuffer: () => Buffer.from('<c><v>1</v></c>') });
  xml.end();
  const written = await text(xml.stream);
  expect(written).toBe(
    '<c t="inlineStr"><is><t xml:space="preserve"> two words </t></is></c><c><v>1</v></c>',
  );
  expect(xml.characters).toBe(written.length);
});

it('the XML of a sheet waits for its reader only where it is full, no longer than wanted', async () => {
  const xml = new SheetXml();
  const { signal } = new AbortController();
  await xml.drained(signal);
  while (!xml.isFull) xml.write('x'.repeat(10_000));
  const enough = new Error('enough');
  const abort = new AbortController();
  const waiting = xml.drained(abort.signal);
  abort.abort(enough);
  await expect(waiting).rejects.toBe(enough);
  const drained = xml.drained(signal);
  xml.stream.resume();
  await drained;
  expect(xml.isFull).toBe(false);
});
