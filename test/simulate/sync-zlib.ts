/**
 * Gzip without the thread pool, so that a simulation can detect when nothing is pending. Import it before
 * anything that uses node:zlib. It writes valid gzip without compression, so that texts can be found in it,
 * and it costs little.
 */
import { syncBuiltinESMExports } from 'node:module';
import { Transform, type TransformCallback } from 'node:stream';
import zlib from 'node:zlib';

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const TRAILER_BYTES = 8;
const LONGEST_BLOCK = 65_535;
const { gunzipSync } = zlib;

/** Stored blocks. Source: RFC 1951, section 3.2.4, and RFC 1952 */
function packed(bytes: Uint8Array): Buffer {
  const parts: Buffer[] = [HEADER];
  for (let at = 0; at === 0 || at < bytes.byteLength; at += LONGEST_BLOCK) {
    const block = bytes.subarray(at, at + LONGEST_BLOCK);
    const head = Buffer.alloc(5);
    head.writeUInt8(at + LONGEST_BLOCK >= bytes.byteLength ? 1 : 0, 0);
    head.writeUInt16LE(block.byteLength, 1);
    head.writeUInt16LE(block.byteLength ^ 0xffff, 3);
    parts.push(head, Buffer.from(block));
  }
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(zlib.crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.byteLength, 4);
  parts.push(trailer);
  return Buffer.concat(parts);
}

/** Reads one stored block, as nearly all are; leaves everything else to zlib. @throws what zlib throws */
export function unpacked(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const overhead = HEADER.length + 5 + TRAILER_BYTES;
  const isStored =
    buffer.length >= overhead &&
    buffer.subarray(0, HEADER.length).equals(HEADER) &&
    buffer[HEADER.length] === 1 &&
    buffer.readUInt16LE(HEADER.length + 1) === buffer.length - overhead;
  if (!isStored) return gunzipSync(buffer);
  const body = buffer.subarray(HEADER.length + 5, -TRAILER_BYTES);
  if (zlib.crc32(body) !== buffer.readUInt32LE(buffer.length - TRAILER_BYTES)) {
    return gunzipSync(buffer); // says what is wrong
  }
  return body;
}

/** Collects the input, and returns the result at the end. */
class Whole extends Transform {
  readonly #chunks: Uint8Array[] = [];

  constructor(readonly convert: (bytes: Uint8Array) => Buffer) {
    super();
  }

  override _transform(chunk: Uint8Array, _encoding: string, done: TransformCallback): void {
    this.#chunks.push(chunk);
    done();
  }

  override _flush(done: TransformCallback): void {
    try {
      done(null, this.convert(Buffer.concat(this.#chunks)));
    } catch (error) {
      done(error as Error);
    }
  }
}

type Callback = (error: Error | null, result: Buffer) => void;

function calledBack(convert: (bytes: Uint8Array) => Buffer) {
  return (given: Uint8Array | string, callback: Callback): void => {
    const bytes = typeof given === 'string' ? Buffer.from(given) : given;
    let result: Buffer = Buffer.alloc(0);
    let failure: Error | null = null;
    try {
      result = convert(bytes);
    } catch (error) {
      failure = error as Error;
    }
    queueMicrotask(() => callback(failure, result));
  };
}

const replacements = {
  createGzip: () => new Whole(packed),
  createGunzip: () => new Whole(unpacked),
  gzip: calledBack(packed),
  gunzip: calledBack(unpacked),
  gzipSync: packed,
  gunzipSync: unpacked,
};
for (const [name, value] of Object.entries(replacements)) {
  Object.defineProperty(zlib, name, { value, enumerable: true, configurable: true });
}
syncBuiltinESMExports();
