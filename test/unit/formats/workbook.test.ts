import { streamXlsxRows } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import { type ByteSink, FormatError } from '../../../src/formats/format.js';
import { SHEET_LIMITS, writeXlsx } from '../../../src/formats/xlsx/workbook.js';
import { sheetSource } from '../../../src/formats/xlsx/sheet-source.js';
import { defineTable, type Row } from '../../../src/model/table-schema.js';
import { MemorySink } from '../../support/base/memory-bytes.js';
import { foundSheets } from '../../support/tables/workbook-cells.js';
import { fault } from '../../support/base/fault.js';

const table = defineTable('things', { key: { id: 'int32' }, rest: { text: 'string' } });
const others = defineTable('others', { key: { id: 'int32' }, rest: {} });

// eslint-disable-next-line @typescript-eslint/require-await
async function* batches(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += 1000) yield rows.slice(at, at + 1000);
}
const ids = (count: number): Row[] => Array.from({ length: count }, (_, id) => ({ id }));

it('the sheets of a workbook are the tables that have rows', async () => {
  const sink = new MemorySink();
  const written = await writeXlsx(
    [sheetSource(table, () => batches([])), sheetSource(others, () => batches(ids(2)))],
    sink,
  );
  expect(written).toEqual({ rows: 2, sheets: 1 });
  const [sheet] = await foundSheets(sink.bytes);
  expect(sheet).toMatchObject({ name: 'others', rows: [['id'], [0], [1]], frozenRows: 1 });
});

it('the sheets of a workbook are one header where there is no row at all', async () => {
  const sink = new MemorySink();
  const written = await writeXlsx([sheetSource(table, () => batches([]))], sink);
  expect(written).toEqual({ rows: 0, sheets: 1 });
  expect(await foundSheets(sink.bytes)).toMatchObject([{ name: 'things', rows: [['id', 'text']] }]);
});

it('the sheets of a workbook are one empty long_text where there is no table', async () => {
  const sink = new MemorySink();
  expect(await writeXlsx([], sink)).toEqual({ rows: 0, sheets: 1 });
  expect(await foundSheets(sink.bytes)).toMatchObject([{ name: 'long_text' }]);
});

it('the sheets of a workbook are read once, and again only for texts that no cell can hold', async () => {
  for (const [length, reads] of [
    [10, 1],
    [40_000, 2],
  ] as const) {
    let asked = 0;
    const source = sheetSource(table, async function* () {
      asked++;
      yield* batches([{ id: 1, text: 'x'.repeat(length) }]);
    });
    await writeXlsx([source], new MemorySink());
    expect(asked).toBe(reads);
  }
});

it('a sheet of a workbook has as many rows as Excel has', fault('F-40'), () => {
  expect(SHEET_LIMITS.maxRows).toBe(1_048_576);
});

it('the sheets of a workbook go on when one is full, with the header again', async () => {
  const sink = new MemorySink();
  const written = await writeXlsx([sheetSource(others, () => batches(ids(7)))], sink, {
    limits: { maxRows: 4 },
  });
  expect(written).toEqual({ rows: 7, sheets: 3 });
  expect(await foundSheets(sink.bytes)).toMatchObject([
    { name: 'others', rows: [['id'], [0], [1], [2]], filter: 'A1:A4' },
    { name: 'others (2)', rows: [['id'], [3], [4], [5]], filter: 'A1:A4' },
    { name: 'others (3)', rows: [['id'], [6]], filter: 'A1:A2' },
  ]);
});

it('the sheets of a workbook go on when one has become too large, also in long_text', async () => {
  const sink = new MemorySink();
  const rows = [1, 2].map((id) => ({ id, text: `${id}`.repeat(70_000) }));
  const written = await writeXlsx([sheetSource(table, () => batches(rows))], sink, {
    limits: { maxCharacters: 30_000 },
  });
  expect(written).toEqual({ rows: 2, sheets: 7 });
  const sheets = await foundSheets(sink.bytes);
  expect(sheets.slice(0, 3).map(({ name }) => name)).toEqual(['things', 'things (2)', 'long_text']);
  const parts = sheets.slice(2).flatMap((sheet) => sheet.rows.slice(1));
  expect(parts.map(([, key, part]) => [key, part])).toEqual(
    [1, 2].flatMap((id) => [1, 2, 3].map((part) => [`{"id":${id},"column":"text"}`, part])),
  );
  expect(parts.map(([, , , text]) => text).join('')).toBe(rows.map(({ text }) => text).join(''));
});

it('writing a workbook gives markup, quotes, white space at the ends and empty text back', async () => {
  const texts = [
    '<f>1&2</f>]]>',
    `"'`,
    '  a \n',
    '\t',
    ' ',
    '',
    '$1 $& ${x}',
    '</v><v>',
    't="str"><v>x',
  ];
  const rows = texts.map((text, id) => ({ id, text }));
  const sink = new MemorySink();
  await writeXlsx([sheetSource(table, () => batches(rows))], sink);
  const [sheet] = await foundSheets(sink.bytes);
  expect(sheet?.rows.slice(1)).toEqual(texts.map((text, id) => [id, text]));
  const found: unknown[] = [];
  for await (const row of streamXlsxRows(sink.bytes)) found.push(row.values[1]);
  expect(found.slice(1)).toEqual(texts);
});

it('writing a workbook writes the same bytes for the same rows', async () => {
  const [first, second] = [new MemorySink(), new MemorySink()];
  for (const sink of [first, second]) {
    await writeXlsx([sheetSource(others, () => batches(ids(50)))], sink);
  }
  expect(first.bytes).toEqual(second.bytes);
});

it('writing a workbook refuses a source that can be read only once', async () => {
  const source = { table: others, rows: batches(ids(1)) };
  await expect(writeXlsx([source], new MemorySink())).rejects.toThrow(
    'The rows of others can be read only once',
  );
});

it('writing a workbook refuses a row that is not of its table', async () => {
  const source = sheetSource(others, () => batches([{ id: 'one' }]));
  await expect(writeXlsx([source], new MemorySink())).rejects.toThrow(FormatError);
});

it('writing a workbook passes on what the rows throw, and releases what it read', async () => {
  const lost = new Error('connection lost');
  // eslint-disable-next-line @typescript-eslint/require-await
  const source = sheetSource(others, async function* () {
    yield ids(3);
    throw lost;
  });
  await expect(writeXlsx([source], new MemorySink())).rejects.toBe(lost);
});

it.each([1, 2, 3, 5, 8])(
  'writing a workbook passes on what the sink throws at write %i',
  async (failing) => {
    const full = new Error('no space left');
    let writes = 0;
    const sink: ByteSink = {
      write: () => (++writes === failing ? Promise.reject(full) : Promise.resolve()),
    };
    const rows = Array.from({ length: 3000 }, (_, id) => ({ id, text: crypto.randomUUID() }));
    await expect(writeXlsx([sheetSource(table, () => batches(rows))], sink)).rejects.toBe(full);
    expect(writes).toBe(failing);
  },
);
