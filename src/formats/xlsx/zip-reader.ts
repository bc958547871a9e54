/** Reads back a ZIP archive that `ZipWriter` has made, an entry at a time; of others it knows too little. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { readStretch } from '../byte-stretch.js';
import type { ByteSource } from '../format.js';
import { FormatError } from '../format-error.js';

export interface ZipPart {
  readonly path: string;
  /** Streams the unpacked bytes. */
  read(): AsyncIterable<Uint8Array>;
}

const END_BYTES = 22;
const ZIP64_LOCATOR_BYTES = 20;
const DIRECTORY_ENTRY_BYTES = 46;
const LOCAL_HEADER_BYTES = 30;
const MAX_UINT32 = 0xffffffff;
const MAX_UINT16 = 0xffff;

/** In the order of the archive. @throws {FormatError} */
export async function zipParts(source: ByteSource): Promise<ZipPart[]> {
  const directory = await readDirectory(source);
  const parts: ZipPart[] = [];
  for (let at = 0; at < directory.byteLength;) {
    if (directory.readUInt32LE(at) !== 0x02014b50) throw damaged();
    const pathBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const packedBytes = directory.readUInt32LE(at + 20);
    const pathAt = at + DIRECTORY_ENTRY_BYTES;
    const path = directory.toString('latin1', pathAt, pathAt + pathBytes);
    const near = directory.readUInt32LE(at + 42);
    // the one extra field that we write: where a far entry begins
    const start = near < MAX_UINT32 ? near : bigAt(directory, pathAt + pathBytes + 4);
    const from = start + LOCAL_HEADER_BYTES + pathBytes;
    parts.push({ path, read: () => inflated(source, from, from + packedBytes) });
    at = pathAt + pathBytes + extraBytes;
  }
  return parts;
}

async function readDirectory(source: ByteSource): Promise<Buffer> {
  if (source.bytes < END_BYTES) throw damaged();
  const end = await stretch(source, source.bytes - END_BYTES, source.bytes);
  if (end.readUInt32LE(0) !== 0x06054b50) throw damaged();
  const [entries, bytes, start] = [
    end.readUInt16LE(10),
    end.readUInt32LE(12),
    end.readUInt32LE(16),
  ];
  if (entries < MAX_UINT16 && bytes < MAX_UINT32 && start < MAX_UINT32) {
    return stretch(source, start, start + bytes);
  }
  const before = source.bytes - END_BYTES;
  const locator = await stretch(source, before - ZIP64_LOCATOR_BYTES, before);
  const recordAt = bigAt(locator, 8);
  const record = await stretch(source, recordAt, recordAt + 56);
  const [bigBytes, bigStart] = [bigAt(record, 40), bigAt(record, 48)];
  return stretch(source, bigStart, bigStart + bigBytes);
}

async function* inflated(
  source: ByteSource,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw();
  const packed = Readable.from(source.read({ start, end }), { objectMode: false });
  pipeline(packed, inflate, () => undefined); // errors come out of inflate
  yield* inflate as AsyncIterable<Uint8Array>;
}

async function stretch(source: ByteSource, start: number, end: number): Promise<Buffer> {
  if (start < 0 || end > source.bytes) throw damaged();
  return Buffer.from(await readStretch(source, start, end));
}

function bigAt(buffer: Buffer, at: number): number {
  return Number(buffer.readBigUInt64LE(at));
}

function damaged(): FormatError {
  return new FormatError('The workbook is no ZIP archive as jobvault writes them');
}
