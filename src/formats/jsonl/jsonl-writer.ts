/** Rows to gzipped lines: what is kept is one chunk of bytes and the compressor's window. */
import { createGzip } from 'node:zlib';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { CompressedSink } from '../compressed-sink.js';
import type { ByteSink, RowWriter } from '../format.js';
import { FailFast } from '../fail-fast.js';
import { JsonRowFormatter } from './json-row.js';

/** Each chunk is a job for the thread pool: much smaller ones cost more than they compress. */
const CHUNK_BYTES = 128 * 1024;
/** The most that a UTF-16 unit takes in UTF-8. */
const BYTES_A_UNIT = 3;
/** Of compressed bytes: with zlib's 16 KiB a chunk goes back and forth several times. */
const COMPRESSED_BYTES = 64 * 1024;
/** zlib's own choice, 6, takes 2.3 times the CPU for files that are a seventh smaller. */
const LEVEL = 3;
const NEWLINE = 0x0a;

export class JsonlRowWriter implements RowWriter {
  readonly #formatter: JsonRowFormatter;
  readonly #gzip: CompressedSink;
  readonly #state = new FailFast();
  /** Used again for each chunk: the compressor has read it when its write resolves. */
  #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #used = 0;
  #rows = 0;

  constructor(table: TableSchema, sink: ByteSink) {
    this.#formatter = new JsonRowFormatter(table);
    const gzip = createGzip({ chunkSize: COMPRESSED_BYTES, level: LEVEL });
    this.#gzip = new CompressedSink(gzip, sink);
  }

  get pendingBytes(): number {
    return this.#gzip.writtenBytes + this.#used;
  }

  async write(rows: readonly Row[]): Promise<void> {
    await this.#state.run(async () => {
      for (const row of rows) {
        const line = this.#formatter.format(row);
        const most = line.length * BYTES_A_UNIT + 1;
        if (this.#used + most > this.#chunk.byteLength) await this.#makeRoom(most);
        // line by line: V8 encodes a text of many joined pieces at half the speed
        this.#used += this.#chunk.write(line, this.#used, 'utf8');
        this.#chunk[this.#used++] = NEWLINE;
        this.#rows++;
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

  async #makeRoom(bytes: number): Promise<void> {
    await this.#flush();
    if (this.#chunk.byteLength < bytes) this.#chunk = Buffer.allocUnsafeSlow(bytes);
  }

  async #flush(): Promise<void> {
    const bytes = this.#used;
    if (bytes === 0) return;
    this.#used = 0;
    await this.#gzip.write(this.#chunk.subarray(0, bytes));
  }
}
