/** Any rows of any table come back from every format; any text comes back from Excel's escapes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createJsonlFormat } from '../../src/formats/jsonl/jsonl-format.js';
import { createParquetFormat } from '../../src/formats/parquet/parquet-format.js';
import { escapeForExcel } from '../../src/formats/xlsx/excel-text.js';
import { longTextRows } from '../../src/formats/xlsx/long-texts.js';
import { writeXlsx } from '../../src/formats/xlsx/workbook.js';
import { sheetSource } from '../../src/formats/xlsx/sheet-source.js';
import {
  defineTable,
  type CellValue,
  type Column,
  type Row,
  type TableSchema,
} from '../../src/model/table-schema.js';
import { SEARCH_COLUMNS, TABLES } from '../../src/model/tables.js';
import { anyCharacter } from '../support/base/any-character.js';
import { MemorySink, readBack, writtenBytes } from '../support/base/memory-bytes.js';
import { decodedByExcel, foundSheets, shownValue } from '../support/tables/workbook-cells.js';
import { fault } from '../support/base/fault.js';

/** What Excel's escapes are made of, and what XML forbids. */
const trickyText = fc.string({
  unit: fc.constantFrom(
    ...[
      '_',
      'x',
      '0',
      '4',
      'a',
      'F',
      '\u0000',
      '\u0001',
      '\r',
      '\n',
      '\t',
      '\uFFFE',
      '\uFFFF',
      '🙂',
      ' ',
      '<',
      '&',
    ],
    ...['_x0041_', '_x005F_', '_x000'],
  ),
});
const text = fc.oneof(fc.string({ unit: anyCharacter }), trickyText);
const bigInt64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const micros = fc.bigInt({ min: -8_640_000_000_000_000_000n, max: 8_640_000_000_000_000_000n });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

function cell({ type, isKey }: Column): fc.Arbitrary<CellValue> {
  const value: fc.Arbitrary<CellValue> = {
    string: text,
    int32,
    int64: bigInt64,
    bool: fc.boolean(),
    ts: micros,
  }[type];
  return isKey ? value : fc.option(value);
}

const tableAndRows = fc.constantFrom(...TABLES).chain((table) => {
  const row: fc.Arbitrary<Row> = fc.record(
    Object.fromEntries(table.columns.map((column) => [column.name, cell(column)])),
    { noNullPrototype: true },
  );
  return fc.tuple(fc.constant(table), fc.array(row, { maxLength: 40 }));
});

/** In the year 9784 a double of days is exact to 40 microseconds: too coarse to round half a millisecond alike. */
function toMilliseconds(table: TableSchema, row: Row): Row {
  const times = table.columns.filter(({ type }) => type === 'ts').map(({ name }) => name);
  const rounded = times.map((name) => {
    const micros = row[name];
    return [name, typeof micros === 'bigint' ? (micros / 1000n) * 1000n : micros];
  });
  return { ...row, ...(Object.fromEntries(rounded) as Row) };
}

it.each([
  ['parquet with zstd', createParquetFormat({ rowGroupRows: 7 })],
  [
    'parquet with snappy and dictionaries',
    createParquetFormat({ codec: 'snappy', dictionary: true }),
  ],
  ['parquet in row groups of 2 KB', createParquetFormat({ rowGroupBytes: 2000, codec: 'gzip' })],
  ['jsonl', createJsonlFormat()],
])('any rows of any table come back from %s', async (_name, format) => {
  await fc.assert(
    fc.asyncProperty(tableAndRows, async ([table, rows]) => {
      expect(await readBack(format, table, await writtenBytes(format, table, rows))).toEqual(rows);
    }),
    { numRuns: 60 },
  );
});

it('any rows of any table come back from a workbook', fault('F-39'), async () => {
  await fc.assert(
    fc.asyncProperty(tableAndRows, async ([table, made]) => {
      const rows = made.map((row) => toMilliseconds(table, row));
      const sink = new MemorySink();
      // eslint-disable-next-line @typescript-eslint/require-await
      const source = sheetSource(table, async function* () {
        yield rows;
      });
      await writeXlsx([source], sink);
      const [sheet] = await foundSheets(sink.bytes);
      const shown = rows.map((row) =>
        table.columns
          .filter(({ name }) => !SEARCH_COLUMNS.includes(name))
          .map(({ name }) => shownValue(table, row, name)),
      );
      expect(sheet?.rows.slice(1)).toEqual(shown);
    }),
    { numRuns: 40 },
  );
});

it(
  'any text comes back from Excel’s escapes, and XML can hold what is written',
  fault('F-39'),
  () => {
    fc.assert(
      fc.property(trickyText, (plain) => {
        const escaped = escapeForExcel(plain);
        expect(decodedByExcel(escaped)).toBe(plain);
        // eslint-disable-next-line no-control-regex
        expect(escaped).not.toMatch(/[\x00-\x08\x0B-\x1F\uFFFE\uFFFF]/);
      }),
      { numRuns: 2000 },
    );
  },
);

it(
  'any text is the sum of its parts in long_text, each of which fits a cell',
  fault('F-40'),
  () => {
    const table = defineTable('things', { key: { id: 'int32' }, rest: { text: 'string' } });
    const long = fc.tuple(trickyText, fc.nat(40_000), trickyText, fc.nat(3000), trickyText);
    fc.assert(
      fc.property(long, ([start, count, middle, repeats, end]) => {
        const whole = start + 'x'.repeat(count) + `${middle}_`.repeat(repeats) + end;
        const parts = [...longTextRows(table, { id: 1, text: whole }, 1)].map((row) =>
          String(row['text']),
        );
        if (parts.length > 0) expect(parts.join('')).toBe(whole);
        else expect(escapeForExcel(whole).length).toBeLessThanOrEqual(32_767);
        for (const part of parts) expect(escapeForExcel(part).length).toBeLessThanOrEqual(32_767);
      }),
      { numRuns: 60 },
    );
  },
);
