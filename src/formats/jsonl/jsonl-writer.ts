/** Rows to gzipped lines: what is kept is one chunk of text and the compressor's window. */
import { createGzip } from 'node:zlib';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { CompressedSink } from '../compressed-sink.js';
import type { ByteSink, RowWriter } from '../format.js';
import { FailFast } from '../fail-fast.js';
import { formatJsonRow } from './json-row.js';

/** Each chunk is a job for the thread pool: much smaller ones cost more than they compress. */
const CHUNK_CHARACTERS = 128 * 1024;

export class JsonlRowWriter implements RowWriter {
  readonly #table: TableSchema;
  readonly #gzip: CompressedSink;
  readonly #state = new FailFast();
  #lines: string[] = [];
  #characters = 0;
  #rows = 0;

  constructor(table: TableSchema, sink: ByteSink) {
    this.#table = table;
    this.#gzip = new CompressedSink(createGzip(), sink);
  }

  get pendingBytes(): number {
    return this.#gzip.writtenBytes + this.#characters;
  }

  async write(rows: readonly Row[]): Promise<void> {
    await this.#state.run(async () => {
      for (const row of rows) {
        const line = formatJsonRow(this.#table, row);
        this.#lines.push(line, '\n');
        this.#characters += line.length + 1;
        this.#rows++;
        if (this.#characters >= CHUNK_CHARACTERS) await this.#flush();
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
    if (this.#characters === 0) return;
    const chunk = Buffer.from(this.#lines.join(''), 'utf8');
    this.#lines = [];
    this.#characters = 0;
    await this.#gzip.write(chunk);
  }
}
