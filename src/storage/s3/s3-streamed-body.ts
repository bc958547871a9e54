/**
 * Staged bytes in the store itself, as an unfinished upload, for objects whose path is known from the start.
 * Uses no disk space, and a checkpoint waits only for the last part.
 */
import type { MultipartUpload } from './s3-multipart.js';
import type { StagedBody } from './s3-staged-object.js';

export class StreamedBody implements StagedBody {
  readonly #upload: MultipartUpload;
  readonly #path: string;

  constructor(upload: MultipartUpload, path: string) {
    this.#upload = upload;
    this.#path = path;
  }

  write(chunk: Uint8Array): Promise<void> {
    return this.#upload.write(chunk);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  read(): AsyncIterable<Uint8Array> {
    throw new Error(`${this.#path} was staged to be published, not to be read back`);
  }

  async publish(path: string): Promise<void> {
    if (path !== this.#path) throw new Error(`${path} was staged as ${this.#path}`);
    await this.#upload.complete();
  }

  remove(): Promise<void> {
    return this.#upload.abort();
  }
}
