/** What is said of a Parquet file that cannot be read, and what its footer may be like. */
import { parquetMetadata, type FileMetaData } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { expect, it } from 'vitest';
import { FormatError } from '../../../src/formats/format.js';
import { createParquetFormat } from '../../../src/formats/parquet/parquet-format.js';
import { defineTable, type Row } from '../../../src/model/table-schema.js';
import {
  MemorySink,
  memorySource,
  readBack,
  writtenBytes,
} from '../../support/base/memory-bytes.js';

const table = defineTable('things', { key: { id: 'int32' }, rest: { size: 'int64' } });
const format = createParquetFormat({ codec: 'uncompressed', rowGroupRows: 4 });
const things = (count: number): Row[] =>
  Array.from({ length: count }, (_, id) => ({ id, size: BigInt(id) }));

const bytes = await writtenBytes(format, table, things(6));
const trailerAt = bytes.byteLength - 8;
const footerAt = trailerAt - bytes.readUInt32LE(trailerAt);

function changed(change: (bytes: Buffer) => unknown): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
}

/** The file with another footer. */
function withFooter(footer: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, footerAt), footer]);
}

function described(change: (metadata: FileMetaData) => Partial<FileMetaData>): Buffer {
  const metadata = parquetMetadata(Uint8Array.from(bytes).buffer);
  const writer = new ByteWriter();
  writeMetadata(writer, { ...metadata, ...change(metadata) });
  writer.appendBytes(Buffer.from('PAR1'));
  return withFooter(writer.getBytes());
}

function withGroupRows(rows: bigint): Buffer {
  return described(({ row_groups: [first, second] }) => ({
    row_groups: [{ ...first!, num_rows: rows }, second!],
  }));
}

const noise = Buffer.alloc(40, 'noise');
noise.writeUInt32LE(32, 32);
noise.write('PAR1', 36);

it.each<[string, Buffer, string]>([
  ['is too short', bytes.subarray(0, 11), '11 bytes are too few for a Parquet file'],
  ['is not one', Buffer.alloc(20), 'The file does not end like a Parquet file'],
  [
    'says that its footer begins one byte too early',
    changed((copy) => copy.writeUInt32LE(bytes.byteLength - 11, trailerAt)),
    'The Parquet footer is said to be longer than the file',
  ],
  ['has noise for a footer', withFooter(noise), 'The Parquet footer makes no sense: '],
  [
    'names a column beyond its end',
    described(({ row_groups: [first, second] }) => {
      const meta_data = { ...first!.columns[0]!.meta_data!, data_page_offset: 2n ** 40n };
      const columns = [{ ...first!.columns[0]!, meta_data }, first!.columns[1]!];
      return { row_groups: [{ ...first!, columns }, second!] };
    }),
    'Row group 1 of the Parquet file cannot be read: no column has the bytes',
  ],
  [
    'has a row group without rows',
    withGroupRows(0n),
    'Row group 1 of the Parquet file cannot be read: a row group without rows',
  ],
  [
    'has fewer values than rows',
    withGroupRows(5n),
    'Row group 1 of the Parquet file cannot be read: ',
  ],
])('a Parquet file that %s is refused, and says so', async (_what, damaged, message) => {
  const reading = readBack(format, table, damaged);
  await expect(reading).rejects.toThrow(FormatError);
  await expect(reading).rejects.toThrow(message);
});

it('a file begins with the magic number even without rows, and never with an empty write', async () => {
  for (const rows of [[], things(3)]) {
    const sink = new MemorySink();
    const writer = format.openWriter(table, sink);
    await writer.write(rows);
    await writer.finish();
    expect(sink.bytes.toString('latin1', 0, 4)).toBe('PAR1');
    expect(sink.chunks.every(({ byteLength }) => byteLength > 0)).toBe(true);
    expect(await readBack(format, table, sink.bytes)).toEqual(rows);
  }
});

it('a Parquet file has its footer read at once up to 64 KiB, and otherwise in two reads', async () => {
  const many = createParquetFormat({ codec: 'uncompressed', rowGroupRows: 1 });
  for (const [count, reads] of [
    [6, 1],
    [1000, 2],
  ] as const) {
    const source = memorySource(await writtenBytes(many, table, things(count)));
    let asked = 0;
    const read: typeof source.read = (range) => {
      asked++;
      return source.read(range);
    };
    expect(await many.countRows({ bytes: source.bytes, read })).toBe(count);
    expect(asked).toBe(reads);
  }
});

it('a Parquet file closes a row group with the row that fills it', async () => {
  const sink = new MemorySink();
  const probe = format.openWriter(table, sink);
  await probe.write(things(1));
  const one = createParquetFormat({ rowGroupBytes: probe.pendingBytes });
  const written = await writtenBytes(one, table, things(3));
  expect(parquetMetadata(Uint8Array.from(written).buffer).row_groups).toHaveLength(3);
});

it('a Parquet file gives no empty batch after its last full one', async () => {
  const written = await writtenBytes(createParquetFormat(), table, things(2000));
  const counts: number[] = [];
  for await (const batch of format.readRows(table, memorySource(written))) {
    counts.push(batch.length);
  }
  expect(counts).toEqual([1000, 1000]);
});

it('a Parquet file of another table is refused with what it has and what was wanted', async () => {
  const told = (key: object, rest: object) =>
    readBack(format, defineTable('things', { key, rest } as never), bytes);
  await expect(told({ id: 'int32' }, { name: 'string' })).rejects.toThrow(
    "The file's columns are not those of things: it has id, size",
  );
  await expect(told({ id: 'int32' }, { size: 'ts' })).rejects.toThrow(
    'A column of things should be size (optional int64 timestamp_micros), but the file has size (optional int64)',
  );
});
