/** A million rows take seconds: with the slow tests rather than with those of one module. */
import { streamXlsxRows } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import { writeXlsx } from '../../../src/formats/xlsx/workbook.js';
import { sheetSource } from '../../../src/formats/xlsx/sheet-source.js';
import { defineTable, type Row } from '../../../src/model/table-schema.js';
import { MemorySink } from '../../support/base/memory-bytes.js';
import { fault } from '../../support/base/fault.js';

const others = defineTable('others', { key: { id: 'int32' }, rest: {} });

it('goes on on another sheet at row 1,048,577, as Excel wants it', fault('F-40'), async () => {
  const sink = new MemorySink();
  async function* million(): AsyncGenerator<readonly Row[]> {
    for (let start = 0; start < 1_048_576; start += 4096) {
      yield Array.from({ length: 4096 }, (_, at) => ({ id: start + at }));
      await Promise.resolve();
    }
  }
  const written = await writeXlsx([sheetSource(others, million)], sink);
  expect(written).toEqual({ rows: 1_048_576, sheets: 2 });
  const found: unknown[] = [];
  for await (const row of streamXlsxRows(sink.bytes, { sheet: 'others (2)' })) {
    found.push(row.values);
  }
  expect(found).toEqual([['id'], [1_048_575]]);
});
