/** Rows to a Parquet file, a row group at a time: what is kept is one row group and the footer's entries. */
import { crc32 } from 'node:zlib';
import type { RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { cellOf } from '../cell.js';
import type { ByteSink, RowWriter } from '../format.js';
import { FailFast } from '../fail-fast.js';
import { ColumnBuffer } from './column-buffer.js';
import { writeColumnChunk } from './column-chunk.js';
import { CODEC_NAMES, pageCompressors, type ParquetCodec } from './parquet-codec.js';
import { parquetSchemaOf } from './parquet-schema.js';
import { formatRowGroupSeals, ROW_GROUPS_KEY, checksumOf, type RowGroupChecksum } from './seal.js';

/** parquet-mr trusts the statistics of text only where the name has this shape: `<program> version <x.y.z> (build …)`. */
const CREATED_BY = 'jobvault version 1.0.0 (build hyparquet-writer)';
/** `PAR1` */
const MAGIC = 0x31524150;

export interface ParquetWriterOptions {
  readonly codec: ParquetCodec;
  readonly dictionary: boolean;
  readonly rowGroupBytes: number;
  readonly rowGroupRows: number;
}

export class ParquetRowWriter implements RowWriter {
  readonly #table: TableSchema;
  readonly #sink: ByteSink;
  readonly #options: ParquetWriterOptions;
  readonly #schema: SchemaElement[];
  readonly #columns: readonly ColumnBuffer[];
  readonly #bytes = new DrainableWriter();
  readonly #groups: RowGroup[] = [];
  readonly #seals: RowGroupChecksum[] = [];
  readonly #state = new FailFast();
  #writtenRows = 0;
  #writtenBytes = 0;
  #bufferedRows = 0;
  #bufferedBytes = 0;

  constructor(table: TableSchema, sink: ByteSink, options: ParquetWriterOptions) {
    this.#table = table;
    this.#sink = sink;
    this.#options = options;
    this.#schema = parquetSchemaOf(table);
    this.#columns = table.columns.map(
      ({ type }) => new ColumnBuffer({ dictionary: options.dictionary && type !== 'bool' }),
    );
    this.#bytes.appendUint32(MAGIC);
  }

  get pendingBytes(): number {
    return this.#writtenBytes + this.#bufferedBytes;
  }

  async write(rows: readonly Row[]): Promise<void> {
    await this.#state.run(async () => {
      for (const row of rows) {
        this.#buffer(row);
        if (
          this.#bufferedRows >= this.#options.rowGroupRows ||
          this.#bufferedBytes >= this.#options.rowGroupBytes
        ) {
          await this.#writeRowGroup();
        }
      }
    });
  }

  async finish(): Promise<{ readonly rows: number }> {
    return this.#state.run(async () => {
      if (this.#bufferedRows > 0) await this.#writeRowGroup();
      const head = this.#seals.length === 0 ? this.#bytes.drain() : undefined;
      const footer = this.#footer();
      if (head) await this.#emit(head);
      await this.#emit(checksumOf(footer));
      await this.#emit(footer);
      return { rows: this.#writtenRows };
    });
  }

  #buffer(row: Row): void {
    const { columns } = this.#table;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index];
      const buffer = this.#columns[index];
      if (!column || !buffer) continue;
      this.#bufferedBytes += buffer.push(cellOf(this.#table, column, row));
    }
    this.#bufferedRows++;
  }

  async #writeRowGroup(): Promise<void> {
    const { codec } = this.#options;
    const compress = (await pageCompressors(codec))[CODEC_NAMES[codec]];
    const columns = this.#columns.map((buffer, index) => {
      const element = this.#schema[index + 1] ?? { name: '' };
      const options = { element, codec: CODEC_NAMES[codec], compress };
      const chunk = writeColumnChunk(this.#bytes, buffer.content(), options);
      buffer.clear();
      return chunk;
    });
    const sumOf = (bytes: 'total_uncompressed_size' | 'total_compressed_size'): bigint =>
      columns.reduce((sum, { meta_data: chunk }) => sum + (chunk?.[bytes] ?? 0n), 0n);
    this.#groups.push({
      columns,
      total_byte_size: sumOf('total_uncompressed_size'),
      num_rows: BigInt(this.#bufferedRows),
      total_compressed_size: sumOf('total_compressed_size'),
    });
    const bytes = this.#bytes.drain();
    this.#seals.push({
      start: this.#writtenBytes,
      bytes: bytes.byteLength,
      crc32: crc32(bytes),
    });
    this.#writtenRows += this.#bufferedRows;
    this.#bufferedRows = 0;
    this.#bufferedBytes = 0;
    await this.#emit(bytes);
  }

  /** Of version 1 of the file format: parquetjs refuses another, and nothing here is beyond it. */
  #footer(): Uint8Array {
    writeMetadata(this.#bytes, {
      version: 1,
      created_by: CREATED_BY,
      schema: this.#schema,
      num_rows: BigInt(this.#writtenRows),
      row_groups: this.#groups,
      key_value_metadata: [{ key: ROW_GROUPS_KEY, value: formatRowGroupSeals(this.#seals) }],
      metadata_length: 0, // of no use to the writer
    });
    this.#bytes.appendUint32(MAGIC);
    return this.#bytes.drain();
  }

  async #emit(bytes: Uint8Array): Promise<void> {
    this.#writtenBytes += bytes.byteLength;
    await this.#sink.write(bytes);
  }
}

/** Hands over what was written since the last time; a sink may keep it, so the buffer is not used again. */
class DrainableWriter extends ByteWriter {
  drain(): Uint8Array {
    const bytes = this.getBytes();
    this.buffer = new ArrayBuffer(1024);
    this.view = new DataView(this.buffer);
    this.index = 0;
    return bytes;
  }
}
