/** Writes the report's files, several at a time: most of it is waiting for the disk to say that they are safe. */
import type { Storage } from '../storage/storage.js';
import { dataScript } from './data-file.js';

const WRITERS = 16;

export class Publisher {
  files = 0;
  bytes = 0;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  readonly #target: Storage;

  constructor(target: Storage) {
    this.#target = target;
  }

  /** Resolves when more may be written. @throws what an earlier write has thrown */
  async data(key: string, data: unknown): Promise<void> {
    await this.put(`data/${key}.js`, dataScript(key, data));
  }

  async put(path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#run(() => this.#target.put(path, bytes), bytes.byteLength);
  }

  /** A copy of an object of another storage. */
  async copy(path: string, bytes: number, from: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#run(async () => {
      const staged = await this.#target.stage({ expectedBytes: bytes });
      try {
        for await (const chunk of from) await staged.write(chunk);
        await staged.close();
        await staged.publish(path);
      } catch (error) {
        await staged.discard();
        throw error;
      }
    }, bytes);
  }

  /** Nothing is being written any more, whatever has come of it. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Everything is written. @throws what a write has thrown */
  async finish(): Promise<void> {
    await this.settle();
    if (this.#failure) throw this.#failure.error;
  }

  async #run(write: () => Promise<void>, bytes: number): Promise<void> {
    while (this.#running.size >= WRITERS) await Promise.race(this.#running);
    if (this.#failure) throw this.#failure.error;
    this.files++;
    this.bytes += bytes;
    const running = write()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
