/** A compressor between a writer and its sink: nothing piles up, since every write waits for the sink. */
import type { Deflate, DeflateRaw, Gzip } from 'node:zlib';
import type { ByteSink } from './format.js';

export class CompressedSink implements ByteSink {
  /** Compressed bytes given to the sink so far. */
  writtenBytes = 0;
  readonly #compressor: Gzip | Deflate | DeflateRaw;
  readonly #sink: ByteSink;
  #ready: Uint8Array[] = [];

  constructor(compressor: Gzip | Deflate | DeflateRaw, sink: ByteSink) {
    this.#compressor = compressor;
    this.#sink = sink;
    compressor.on('data', (chunk: Uint8Array) => this.#ready.push(chunk));
    // Every call hears of a failure through its own callback; without a listener Node would end the process.
    compressor.on('error', () => undefined);
  }

  async write(chunk: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#compressor.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    await this.#drain();
  }

  /** Writes what is left in the compressor; the sink itself stays open. */
  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#compressor.once('end', resolve).once('error', reject).end();
    });
    await this.#drain();
  }

  async #drain(): Promise<void> {
    const ready = this.#ready;
    this.#ready = [];
    try {
      for (const chunk of ready) {
        await this.#sink.write(chunk);
        this.writtenBytes += chunk.byteLength;
      }
    } catch (error) {
      this.#compressor.destroy();
      throw error;
    }
  }
}
