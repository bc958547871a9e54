/** Reads a workbook back as far as it can be: whether each of its parts has the bytes that were written, and its description. */
import { crc32, createInflateRaw } from 'node:zlib';
import { Readable } from 'node:stream';
import { FormatError, type ByteSource } from '../format.js';

/** A part of a workbook, as the directory at the end of its ZIP archive tells of it. */
interface ZipPart {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** The offset of its local header. */
  readonly offset: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
const PART = 0x02014b50;
const PART_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
/** Far more than the sheets that a workbook can have. */
const MAX_DIRECTORY_BYTES = 2 ** 24;
const MAX_CORE_BYTES = 2 ** 16;
const CORE = 'docProps/core.xml';

/**
 * Reads the bytes of every part.
 *
 * @throws {FormatError} one of them differs from what was written, or it is no workbook
 */
export async function checkWorkbook(source: ByteSource): Promise<void> {
  for (const part of await partsOf(source)) {
    let crc = 0;
    let bytes = 0;
    for await (const chunk of bytesOf(source, part)) {
      crc = crc32(chunk, crc);
      bytes += chunk.byteLength;
    }
    if (bytes !== part.bytes || crc !== part.crc) throw damaged(`${part.name} is damaged`);
  }
}

/**
 * The text that its writer has put among its properties; undefined if there is none.
 *
 * @throws {FormatError} it is no workbook, or its properties are damaged
 */
export async function descriptionOf(source: ByteSource): Promise<string | undefined> {
  const core = (await partsOf(source)).find(({ name }) => name === CORE);
  if (!core || core.bytes > MAX_CORE_BYTES) throw damaged('it has no properties');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytesOf(source, core)) chunks.push(chunk);
  const xml = Buffer.concat(chunks);
  if (crc32(xml) !== core.crc) throw damaged(`${CORE} is damaged`);
  return /<dc:description>([^<]*)<\/dc:description>/.exec(xml.toString())?.[1];
}

/** jobvault writes no comment after the directory, and nothing that needs ZIP64. */
async function partsOf(source: ByteSource): Promise<readonly ZipPart[]> {
  if (source.bytes < END_BYTES) throw damaged('it is too short');
  const end = await range(source, source.bytes - END_BYTES, END_BYTES);
  const [count, size, offset] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  const isEnd = end.readUInt32LE(0) === END && offset + size === source.bytes - END_BYTES;
  if (!isEnd || size > MAX_DIRECTORY_BYTES) throw damaged('its end is missing');
  const directory = await range(source, offset, size);
  const parts: ZipPart[] = [];
  let packedBytes = 0;
  for (let at = 0; at < size;) {
    if (at + PART_BYTES > size || directory.readUInt32LE(at) !== PART) break;
    const part = partAt(directory, at);
    packedBytes += part.packedBytes;
    parts.push(part);
    at +=
      PART_BYTES +
      [28, 30, 32].reduce(
        (sum, lengthOffset) => sum + directory.readUInt16LE(at + lengthOffset),
        0,
      );
  }
  if (parts.length !== count || packedBytes > offset) throw damaged('its directory is damaged');
  return parts;
}

function partAt(directory: Buffer, at: number): ZipPart {
  const nameBytes = directory.readUInt16LE(at + 28);
  return {
    name: directory.toString('utf8', at + PART_BYTES, at + PART_BYTES + nameBytes),
    isDeflated: directory.readUInt16LE(at + 10) !== 0,
    crc: directory.readUInt32LE(at + 16),
    packedBytes: directory.readUInt32LE(at + 20),
    bytes: directory.readUInt32LE(at + 24),
    offset: directory.readUInt32LE(at + 42),
  };
}

/** @yields never more than the directory says, and one chunk beyond it at most */
async function* bytesOf(source: ByteSource, part: ZipPart): AsyncGenerator<Uint8Array> {
  const header = await range(source, part.offset, LOCAL_BYTES);
  if (header.readUInt32LE(0) !== LOCAL) throw damaged(`${part.name} is not where it should be`);
  const start = part.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = source.read({ start, end: start + part.packedBytes });
  if (!part.isDeflated) {
    yield* packed;
    return;
  }
  const inflated = createInflateRaw();
  const stored = Readable.from(packed);
  stored.on('error', (error) => inflated.destroy(error));
  let bytes = 0;
  try {
    for await (const chunk of stored.pipe(inflated) as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      yield chunk;
      if (bytes > part.bytes) return;
    }
  } catch (error) {
    const isOfZlib = error instanceof Error && 'errno' in error && 'code' in error;
    if (isOfZlib && String(error.code).startsWith('Z_')) {
      throw damaged(`${part.name} is damaged`, error);
    }
    throw error;
  } finally {
    stored.destroy();
  }
}

/** @throws {FormatError} the source ends before */
async function range(source: ByteSource, start: number, length: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read({ start, end: start + length })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.byteLength !== length) throw damaged('it ends too early');
  return bytes;
}

function damaged(what: string, cause?: unknown): FormatError {
  return new FormatError(`this is no whole workbook: ${what}`, { cause });
}
