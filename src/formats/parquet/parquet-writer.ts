/** Writes rows to a Parquet file. Memory holds one row group, and the metadata of all for the footer. */
import type { ColumnChunk, RowGroup, SchemaElement } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { type ByteSink, type RowWriter, FailFast } from '../format.js';
import { cellOf } from '../cell.js';
import { ColumnBuffer } from './column-buffer.js';
import { writeColumnChunk } from './column-chunk.js';
import { CODEC_NAMES, pageCompressors, type ParquetCodec } from './parquet-codec.js';
import { parquetSchemaOf } from './parquet-schema.js';

/** parquet-mr uses statistics of text only if this has the form `<program> version <x.y.z> (build …)`. */
const CREATED_BY = 'jobvault version 1.0.0 (build hyparquet-writer)';
/** `PAR1` */
const MAGIC = 0x31524150;
/** A column chunk, and a page, of this size is handed on by itself. */
const EMITTED_BYTES = 1 << 20;

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

  async write(rows: Iterable<Row>): Promise<void> {
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
      this.#writeFooter();
      await this.#emitAll();
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
    const columns: ColumnChunk[] = [];
    for (const [index, buffer] of this.#columns.entries()) {
      const element = this.#schema[index + 1] ?? { name: '' };
      const options = { element, codec: CODEC_NAMES[codec], compress };
      columns.push(writeColumnChunk(this.#bytes, buffer.content(), options));
      buffer.clear();
      // so memory holds one column at a time of an answer of 64 MB
      if (this.#bytes.pendingBytes >= EMITTED_BYTES) await this.#emitAll();
    }
    await this.#emitAll();
    const sumOf = (bytes: 'total_uncompressed_size' | 'total_compressed_size'): bigint =>
      columns.reduce((sum, { meta_data: chunk }) => sum + (chunk?.[bytes] ?? 0n), 0n);
    this.#groups.push({
      columns,
      total_byte_size: sumOf('total_uncompressed_size'),
      num_rows: BigInt(this.#bufferedRows),
      total_compressed_size: sumOf('total_compressed_size'),
    });
    this.#writtenRows += this.#bufferedRows;
    this.#bufferedRows = 0;
    this.#bufferedBytes = 0;
  }

  /** File format version 1: nothing needs a newer one, and parquetjs reads no other. */
  #writeFooter(): void {
    writeMetadata(this.#bytes, {
      version: 1,
      created_by: CREATED_BY,
      schema: this.#schema,
      num_rows: BigInt(this.#writtenRows),
      row_groups: this.#groups,
      metadata_length: 0, // not written
    });
    this.#bytes.appendUint32(MAGIC);
  }

  async #emitAll(): Promise<void> {
    for (const piece of this.#bytes.drain()) {
      this.#writtenBytes += piece.byteLength;
      await this.#sink.write(piece);
    }
  }
}

/** Large pages are not copied. What is drained is not reused: a sink may keep it. */
class DrainableWriter extends ByteWriter {
  readonly #pieces: Uint8Array[] = [];
  #pieceBytes = 0;

  /** Written and not drained. */
  get pendingBytes(): number {
    return this.#pieceBytes + this.index;
  }

  override appendBytes(bytes: Uint8Array): void {
    if (bytes.byteLength < EMITTED_BYTES) {
      super.appendBytes(bytes);
      return;
    }
    this.#endPiece();
    this.#add(bytes);
    this.offset += bytes.byteLength;
  }

  /** What was written since the last call. */
  drain(): Uint8Array[] {
    this.#endPiece();
    this.#pieceBytes = 0;
    return this.#pieces.splice(0);
  }

  #endPiece(): void {
    if (this.index === 0) return;
    this.#add(this.getBytes());
    this.buffer = new ArrayBuffer(1024);
    this.view = new DataView(this.buffer);
    this.index = 0;
  }

  #add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.byteLength;
  }
}
