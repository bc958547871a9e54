/** Rows to a Parquet file, a row group at a time: what is kept is one row group and the footer's entries. */
import { crc32 } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { cellOf } from '../cell.js';
import type { ByteSink, RowWriter } from '../format.js';
import { OnceBroken } from '../once-broken.js';
import { columnBuffer, type ColumnBuffer } from './column-buffer.js';
import { CODEC_NAMES, pageCompressors, type ParquetCodec } from './parquet-codec.js';
import { parquetSchemaOf } from './parquet-schema.js';
import { detachStatistics } from './row-group-statistics.js';
import { formatRowGroupSeals, ROW_GROUPS_KEY, sealOf, type RowGroupSeal } from './seal.js';

/** parquet-mr trusts the statistics of text only where the name has this shape: `<program> version <x.y.z> (build …)`. */
const CREATED_BY = 'jobvault version 1.0.0 (build hyparquet-writer)';
/** `PAR1` */
const MAGIC = 0x31524150;
const PAGE_BYTES = 1 << 20;

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
  readonly #columns: readonly ColumnBuffer[];
  readonly #bytes = new DrainableWriter();
  readonly #seals: RowGroupSeal[] = [];
  readonly #state = new OnceBroken();
  #file: ParquetWriter | undefined;
  #writtenRows = 0;
  #writtenBytes = 0;
  #bufferedRows = 0;
  #bufferedBytes = 0;

  constructor(table: TableSchema, sink: ByteSink, options: ParquetWriterOptions) {
    this.#table = table;
    this.#sink = sink;
    this.#options = options;
    this.#columns = table.columns.map(({ type }) => columnBuffer(type));
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
      const file = await this.#open();
      const head = this.#seals.length === 0 ? this.#bytes.drain() : undefined;
      const footer = this.#footer(file);
      if (head) await this.#emit(head);
      await this.#emit(sealOf(footer));
      await this.#emit(footer);
      return { rows: this.#writtenRows };
    });
  }

  #buffer(row: Row): void {
    for (const [index, column] of this.#table.columns.entries()) {
      this.#bufferedBytes += this.#columns[index]?.push(cellOf(this.#table, column, row)) ?? 0;
    }
    this.#bufferedRows++;
  }

  async #writeRowGroup(): Promise<void> {
    const file = await this.#open();
    const columns = this.#columns;
    await file.write({
      columnData: this.#table.columns.map(({ name }, index) => ({
        name,
        // Made when the writer comes to the column, so that only one column's objects exist at a time.
        get data() {
          return columns[index]?.values() ?? [];
        },
        offsetIndex: false,
        ...(this.#options.dictionary ? {} : { encoding: 'PLAIN' as const }),
      })),
      rowGroupSize: this.#bufferedRows,
      pageSize: PAGE_BYTES,
    });
    const group = file.row_groups.at(-1);
    if (group) detachStatistics(group, file.schema);
    for (const column of columns) column.clear();
    const bytes = this.#bytes.drain();
    this.#seals.push({
      start: this.#writtenBytes,
      bytes: bytes.byteLength,
      crc32: crc32(bytes),
    });
    this.#writtenRows += this.#bufferedRows;
    this.#bufferedRows = this.#bufferedBytes = 0;
    await this.#emit(bytes);
  }

  /** The file is begun late, since the compressor takes time to load and a constructor cannot wait. */
  async #open(): Promise<ParquetWriter> {
    this.#file ??= new ParquetWriter({
      writer: this.#bytes,
      schema: parquetSchemaOf(this.#table),
      codec: CODEC_NAMES[this.#options.codec],
      compressors: await pageCompressors(this.#options.codec),
    });
    return this.#file;
  }

  /**
   * In place of the library's `finish`, which says version 2 of the file format: parquetjs then refuses
   * the file, though nothing in it is beyond version 1 for a reader that knows the pages.
   */
  #footer(file: ParquetWriter): Uint8Array {
    writeMetadata(this.#bytes, {
      version: 1,
      created_by: CREATED_BY,
      schema: file.schema,
      num_rows: file.num_rows,
      row_groups: file.row_groups,
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
