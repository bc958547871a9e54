/**
 * A ZIP archive written front to back: sizes follow each entry in a data descriptor, as in other
 * streaming writers, and ZIP64 records appear only where the archive outgrows 4 GiB.
 * Source: PKWARE APPNOTE.TXT 6.3.10, sections 4.3 and 4.4.
 */
import { crc32, createDeflateRaw } from 'node:zlib';
import { CompressedSink } from '../compressed-sink.js';
import type { ByteSink } from '../format.js';
import { FormatError } from '../format-error.js';
import { centralDirectory, dataDescriptor, localHeader, type ZipEntry } from './zip-records.js';

const MAX_UINT32 = 2 ** 32 - 1;

/** An entry being written; the next one begins when this one has ended. */
export interface OpenZipEntry extends ByteSink {
  end(): Promise<void>;
}

export class ZipWriter {
  readonly #sink: ByteSink;
  readonly #entries: ZipEntry[] = [];
  #offset = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** @param path ASCII, unique in the archive */
  async begin(path: string): Promise<OpenZipEntry> {
    const start = this.#offset;
    await this.#emit(localHeader(path));
    const deflate = new CompressedSink(createDeflateRaw(), {
      write: (chunk) => this.#emit(chunk),
    });
    let checksum = 0;
    let bytes = 0;
    return {
      write: async (chunk) => {
        checksum = crc32(chunk, checksum);
        bytes += chunk.byteLength;
        await deflate.write(chunk);
      },
      end: async () => {
        await deflate.end();
        const entry = { path, start, crc32: checksum, bytes, packedBytes: deflate.writtenBytes };
        if (bytes > MAX_UINT32 || entry.packedBytes > MAX_UINT32) {
          throw new FormatError(`${path} is larger than the 4 GiB that a ZIP entry may have`);
        }
        await this.#emit(dataDescriptor(entry));
        this.#entries.push(entry);
      },
    };
  }

  async add(path: string, text: string): Promise<void> {
    const entry = await this.begin(path);
    await entry.write(Buffer.from(text, 'utf8'));
    await entry.end();
  }

  /** Writes the directory of the archive; the sink stays open. */
  async finish(): Promise<void> {
    await this.#emit(centralDirectory(this.#entries, this.#offset));
  }

  async #emit(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.byteLength;
    await this.#sink.write(bytes);
  }
}
