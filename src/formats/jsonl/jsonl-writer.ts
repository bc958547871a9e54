/** Rows to gzipped lines: what is kept is one chunk of text and the compressor's window. */
import { createGzip } from 'node:zlib';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { CompressedSink } from '../compressed-sink.js';
import type { ByteSink, RowWriter } from '../format.js';
import { FailFast } from '../fail-fast.js';
import { JsonRowFormatter } from './json-row.js';

/** Each chunk is a job for the thread pool: much smaller ones cost more than they compress. */
const CHUNK_CHARACTERS = 128 * 1024;
/** The most that a UTF-16 unit takes in UTF-8. */
const BYTES_A_UNIT = 3;
/** Of compressed bytes: with zlib's 16 KiB a chunk goes back and forth several times. */
const COMPRESSED_BYTES = 64 * 1024;

export class JsonlRowWriter implements RowWriter {
  readonly #formatter: JsonRowFormatter;
  readonly #gzip: CompressedSink;
  readonly #state = new FailFast();
  #lines = '';
  /** Used again for each chunk: the compressor has read it when its write resolves. */
  #chunk = Buffer.alloc(0);
  #rows = 0;

  constructor(table: TableSchema, sink: ByteSink) {
    this.#formatter = new JsonRowFormatter(table);
    this.#gzip = new CompressedSink(createGzip({ chunkSize: COMPRESSED_BYTES }), sink);
  }

  get pendingBytes(): number {
    return this.#gzip.writtenBytes + this.#lines.length;
  }

  async write(rows: readonly Row[]): Promise<void> {
    await this.#state.run(async () => {
      for (const row of rows) {
        this.#lines += this.#formatter.format(row) + '\n';
        this.#rows++;
        if (this.#lines.length >= CHUNK_CHARACTERS) await this.#flush();
      }
    });
  }

  async finish(): Promise<{ readonly rows: number }> {
    return this.#state.run(async () => {
      await this.#flush();
      await this.#gzip.end();
      return { rows: this.#rows };
    });
  }

  async #flush(): Promise<void> {
    const lines = this.#lines;
    if (lines === '') return;
    this.#lines = '';
    const most = lines.length * BYTES_A_UNIT;
    if (this.#chunk.byteLength < most) this.#chunk = Buffer.allocUnsafeSlow(most);
    await this.#gzip.write(this.#chunk.subarray(0, this.#chunk.write(lines, 'utf8')));
  }
}
