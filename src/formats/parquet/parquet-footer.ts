/** Reads the footer of a Parquet file. */
import { parquetMetadata, type FileMetaData } from 'hyparquet';
import { messageOf } from '../../base/error.js';
import { type ByteSource, FormatError } from '../format.js';
import { readRange } from './parquet-range.js';

const MAGIC = 'PAR1';
/** The length of the metadata, and the magic number. */
const TRAILER_BYTES = 8;
/** Enough for the footer of most files in one read. */
const FIRST_READ_BYTES = 64 * 1024;

/** @throws {FormatError} not a Parquet file, cut short, or with a footer that makes no sense */
export async function readParquetFooter(source: ByteSource): Promise<FileMetaData> {
  const footer = await readTail(source);
  try {
    return parquetMetadata(footer, { geoparquet: false });
  } catch (cause) {
    throw new FormatError(`The Parquet footer makes no sense: ${messageOf(cause)}`, { cause });
  }
}

async function readTail(source: ByteSource): Promise<Uint8Array<ArrayBuffer>> {
  const least = MAGIC.length + TRAILER_BYTES;
  if (source.bytes < least) {
    throw new FormatError(`${source.bytes} bytes are too few for a Parquet file`);
  }
  const tail = await readRange(source, Math.max(0, source.bytes - FIRST_READ_BYTES), source.bytes);
  const trailer = Buffer.from(tail.buffer, tail.byteLength - TRAILER_BYTES, TRAILER_BYTES);
  if (trailer.toString('latin1', 4) !== MAGIC) {
    throw new FormatError('The file does not end like a Parquet file');
  }
  const footerBytes = trailer.readUInt32LE(0) + TRAILER_BYTES;
  if (footerBytes + MAGIC.length > source.bytes) {
    throw new FormatError('The Parquet footer is said to be longer than the file');
  }
  if (footerBytes > tail.byteLength) {
    return readRange(source, source.bytes - footerBytes, source.bytes);
  }
  return tail.subarray(tail.byteLength - footerBytes);
}
