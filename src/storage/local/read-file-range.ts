/** Streams a file, or a range of it, in chunks of bounded size; always closes the handle. */
import type { FileSystem } from './file-system.js';
import { type ByteRange } from '../storage.js';
import { READ_FLAGS } from './local-files.js';

const CHUNK_BYTES = 256 * 1024;

interface ReadOptions extends Partial<ByteRange> {
  /** Called when the file is open, before the first chunk. */
  readonly check?: () => Promise<unknown>;
}

/** Yields fewer bytes than the range has if the file is shorter. Throws what the file system throws. */
export async function* readFileRange(
  fileSystem: FileSystem,
  file: string,
  { start = 0, end: until = Infinity, check }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const handle = await fileSystem.open(file, READ_FLAGS);
  try {
    const stats = await handle.stat();
    // most file systems refuse to read a directory; some return no bytes
    if (!stats.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
    await check?.();
    let position = start;
    const end = Math.min(until, stats.size);
    while (position < end) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
      const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}
