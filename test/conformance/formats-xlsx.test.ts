/** A workbook of every table with the rows that break writers, read back by exceljs cell by cell. */
import { beforeAll, describe, expect, it } from 'vitest';
import { writeXlsx, type WrittenWorkbook } from '../../src/formats/xlsx/workbook.js';
import { sheetSource } from '../../src/formats/xlsx/sheet-source.js';
import type { Row, TableSchema } from '../../src/model/table-schema.js';
import { SEARCH_COLUMNS, TABLES } from '../../src/model/tables.js';
import { awkwardRows } from '../support/tables/awkward-rows.js';
import { MemorySink } from '../support/base/memory-bytes.js';
import { foundSheets, shownValue, type FoundSheet } from '../support/tables/workbook-cells.js';
import { fault } from '../support/base/fault.js';

const CONTINUED = '… [the whole text is in the sheet long_text]';

function source(table: TableSchema, rows: readonly Row[]) {
  // eslint-disable-next-line @typescript-eslint/require-await
  return sheetSource(table, async function* () {
    for (let at = 0; at < rows.length; at += 10) yield rows.slice(at, at + 10);
  });
}

/** The row's keys and the column; where a key is itself too long, the row's place. */
function longTextKey(table: TableSchema, row: Row, index: number, column: string): string {
  const keys = table.columns.filter(({ isKey }) => isKey).map(({ name }) => [name, row[name]]);
  const key = JSON.stringify({ ...Object.fromEntries(keys), column });
  return key.length > 32_767 ? JSON.stringify({ row: index + 1, column }) : key;
}

describe('a workbook of awkward rows', () => {
  let written: WrittenWorkbook;
  let sheets: FoundSheet[];
  const texts = new Map<string, string>();

  beforeAll(async () => {
    const sink = new MemorySink();
    written = await writeXlsx(
      TABLES.map((table) => source(table, awkwardRows(table))),
      sink,
    );
    sheets = await foundSheets(sink.bytes);
    const longText = sheets.find(({ name }) => name === 'long_text');
    for (const [table, key, part, text] of longText?.rows.slice(1) ?? []) {
      const name = `${String(table)} ${String(key)}`;
      const before = texts.get(name) ?? '';
      expect(part === 1 ? '' : before).toBe(before); // parts stand in order
      texts.set(name, before + String(text));
    }
  });

  it('has a sheet for each table in order, and long_text last', () => {
    expect(sheets.map(({ name }) => name)).toEqual([
      ...TABLES.map(({ name }) => name),
      'long_text',
    ]);
    expect(written).toEqual({
      sheets: TABLES.length + 1,
      rows: TABLES.reduce((sum, table) => sum + awkwardRows(table).length, 0),
    });
  });

  it.each(TABLES.map((table) => [table.name, table] as const))(
    'gives every cell of %s back',
    fault('F-39'),
    (name, table) => {
      const found = sheets.find((sheet) => sheet.name === name);
      const rows = awkwardRows(table);
      const columns = table.columns.filter((column) => !SEARCH_COLUMNS.includes(column.name));
      expect(found?.rows[0]).toEqual(columns.map((column) => column.name));
      expect(found?.rows).toHaveLength(rows.length + 1);
      rows.forEach((row, index) => {
        columns.forEach((column, place) => {
          const wanted = shownValue(table, row, column.name);
          const cell = found?.rows[index + 1]?.[place];
          if (typeof cell === 'string' && cell.endsWith(CONTINUED)) {
            expect(String(wanted).startsWith(cell.slice(0, -CONTINUED.length))).toBe(true);
            expect(texts.get(`${name} ${longTextKey(table, row, index, column.name)}`)).toBe(
              wanted,
            );
          } else {
            expect(cell).toBe(wanted);
          }
        });
      });
    },
  );

  it('freezes and filters the header row of every sheet', () => {
    for (const sheet of sheets) {
      expect(sheet.frozenRows).toBe(1);
      expect(sheet.filter).toMatch(new RegExp(`^A1:[A-Z]+${sheet.rows.length}$`));
    }
  });
});
