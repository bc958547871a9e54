/** The rows of a part file are those of the log, or none: in Parquet nothing but the log tells of a flipped bit. */
import { expect, it } from 'vitest';
import { readPart } from '../../../../src/archive/parts/read-part.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import type { RowFormat, WantedRows } from '../../../../src/formats/format.js';
import { createParquetFormat } from '../../../../src/formats/parquet/parquet-format.js';
import { defineTable, type Row } from '../../../../src/model/table-schema.js';
import { writtenBytes } from '../../../support/base/memory-bytes.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const table = defineTable('things', { key: { id: 'int32' }, rest: { text: 'string' } });
const rows: Row[] = [1, 2, 3].map((id) => ({ id, text: `text ${id}` }));
const path = 'tables/things/1.parquet';
const format = createParquetFormat({ codec: 'uncompressed', rowGroupRows: 2 });

async function stored() {
  const bytes = await writtenBytes(format, table, rows);
  const storage = createMemoryStorage();
  await storage.put(path, bytes);
  const file = { path, bytes: bytes.byteLength, sha256: sha256Hex(bytes), rows: rows.length };
  return { storage, bytes, file };
}

async function readAll(
  archive: Pick<Awaited<ReturnType<typeof stored>>, 'storage'>,
  file: Parameters<typeof readPart>[1],
  read: Row[] = [],
) {
  for await (const some of readPart(archive, file, { table, format })) read.push(...some);
  return read;
}

it('a part file is read once', async () => {
  const { storage, file } = await stored();
  expect(await readAll({ storage }, file)).toEqual(rows);
  expect(storage.calls.get(`read ${path}`)).toBe(1);
});

// I-28 in FORMAT.md
it('a part file with any one bit flipped gives no row', async () => {
  const { storage, bytes, file } = await stored();
  for (let at = 0; at < bytes.byteLength; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    await storage.put(path, damaged);
    const read: Row[] = [];
    await expect(readAll({ storage }, file, read)).rejects.toMatchObject({ problem: 'digest' });
    expect(read).toEqual([]);
  }
});

it('a part file with other rows than the log says is damage', async () => {
  const { storage, file } = await stored();
  const reading = readAll({ storage }, { ...file, rows: 4 });
  const message = `${path} has 3 rows instead of 4`;
  await expect(reading).rejects.toMatchObject({ problem: 'rows', message });
});

it('a part file is asked for what its reader wants of it', async () => {
  const { storage, file } = await stored();
  const asked: unknown[] = [];
  const readRows: RowFormat['readRows'] = (of, source, omitted, wanted) => {
    asked.push(of, omitted, wanted);
    return format.readRows(of, source);
  };
  const wanted: WantedRows = () => true;
  const reading = { table, format: { ...format, readRows }, omitted: ['text'], wanted };
  for await (const batch of readPart({ storage }, file, reading)) expect(batch).not.toEqual([]);
  expect(asked).toEqual([table, ['text'], wanted]);
});

it('a part file is not read on once its reader is called off', async () => {
  const { storage, file } = await stored();
  const abort = new AbortController();
  const read: Row[] = [];
  const reading = async () => {
    for await (const batch of readPart({ storage }, file, {
      table,
      format,
      signal: abort.signal,
    })) {
      read.push(...batch);
      abort.abort(new Error('called off'));
    }
  };
  await expect(reading()).rejects.toThrow('called off');
  expect(read).toEqual(rows.slice(0, 2));
});
