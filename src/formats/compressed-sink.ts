/** Compresses bytes on their way to a sink. Every write waits for the sink, so that memory is bounded. */
import type { Deflate, DeflateRaw, Gzip } from 'node:zlib';
import type { ByteSink } from './format.js';

export class CompressedSink implements ByteSink {
  /** Compressed bytes written to the sink so far. */
  writtenBytes = 0;
  readonly #compressor: Gzip | Deflate | DeflateRaw;
  readonly #sink: ByteSink;
  #ready: Uint8Array[] = [];

  constructor(compressor: Gzip | Deflate | DeflateRaw, sink: ByteSink) {
    this.#compressor = compressor;
    this.#sink = sink;
    compressor.on('data', (chunk: Uint8Array) => this.#ready.push(chunk));
    // each call gets a failure through its own callback; without a listener Node would end the process
    compressor.on('error', () => undefined);
  }

  async write(chunk: Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#compressor.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
    await this.#drain();
  }

  /** Flushes the compressor; the sink stays open. */
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
