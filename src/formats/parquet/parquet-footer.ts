/** Reads the footer of a Parquet file and compares it with its checksum. */
import { parquetMetadata, type FileMetaData } from 'hyparquet';
import { messageOf } from '../../base/error.js';
import { type ByteSource, FormatError } from '../format.js';
import { crc32 } from 'node:zlib';
import { parseJson } from '../../base/text/parse-json.js';

/**
 * Checksums over every byte of a Parquet file (I-28 in FORMAT.md). Parquet has none that its readers check:
 * a flipped bit would be another value, or a run of 2^30 rows that a reader tries to unpack.
 *
 * The byte range and CRC-32 of each row group are in the footer's key-value metadata. The CRC-32 of the footer
 * is in the eight bytes before it. Other readers follow offsets and do not read them.
 */

export const ROW_GROUPS_KEY = 'jobvault.row_groups';
const CHECKSUM_MAGIC = Buffer.from('JVCK', 'latin1');
const CHECKSUM_BYTES = CHECKSUM_MAGIC.byteLength + 4;

/** The byte range of a row group, and its checksum. */
export interface RowGroupChecksum {
  readonly start: number;
  readonly bytes: number;
  readonly crc32: number;
}

/** The eight bytes before the footer. */
export function footerChecksum(footer: Uint8Array): Uint8Array {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  CHECKSUM_MAGIC.copy(checksum);
  checksum.writeUInt32LE(crc32(footer), CHECKSUM_MAGIC.byteLength);
  return checksum;
}

/** @throws {FormatError} the footer is damaged, or another program wrote the file */
function checkFooter(checksum: Uint8Array, footer: Uint8Array): void {
  if (Buffer.compare(checksum, footerChecksum(footer)) === 0) return;
  const isOurs =
    Buffer.compare(checksum.subarray(0, CHECKSUM_MAGIC.byteLength), CHECKSUM_MAGIC) === 0;
  throw new FormatError(
    isOurs
      ? 'The Parquet footer does not match its checksum'
      : 'The Parquet file has no jobvault checksum before its footer',
  );
}

/** @param found over its bytes @throws {FormatError} the row group is damaged */
export function checkRowGroup(expected: RowGroupChecksum, found: number): void {
  if (found !== expected.crc32) {
    throw new FormatError(
      `The Parquet row group at byte ${expected.start} does not match its checksum`,
    );
  }
}

/** A JSON list of `[start, bytes, crc32]`. */
export function formatRowGroupChecksums(checksums: readonly RowGroupChecksum[]): string {
  return JSON.stringify(checksums.map((group) => [group.start, group.bytes, group.crc32]));
}

/** @throws {FormatError} */
function parseRowGroupChecksums(text: string | undefined): RowGroupChecksum[] {
  try {
    return (parseJson(text ?? '') as [number, number, number][]).map(
      ([start, bytes, checksum]) => ({ start, bytes, crc32: checksum }),
    );
  } catch (cause) {
    throw new FormatError('The Parquet file does not say where its row groups stand', { cause });
  }
}

const MAGIC = 'PAR1';
/** The length of the metadata, and the magic number. */
const TRAILER_BYTES = 8;
/** Enough for the footer of most files in one read. */
const FIRST_READ_BYTES = 64 * 1024;

interface ParquetFooter {
  readonly rows: number;
  readonly metadata: FileMetaData;
  readonly checksums: readonly RowGroupChecksum[];
}

/** @throws {FormatError} not a Parquet file of jobvault, cut short, or with a damaged footer */
export async function readParquetFooter(source: ByteSource): Promise<ParquetFooter> {
  const { checksum, footer } = await readTail(source);
  checkFooter(checksum, footer);
  try {
    const metadata = parquetMetadata(footer, { geoparquet: false });
    const entry = metadata.key_value_metadata?.find(({ key }) => key === ROW_GROUPS_KEY);
    const checksums = parseRowGroupChecksums(entry?.value);
    if (checksums.length !== metadata.row_groups.length) {
      throw new FormatError('The Parquet file lacks the checksum of a row group');
    }
    return { rows: Number(metadata.num_rows), metadata, checksums };
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    throw new FormatError(`The Parquet footer makes no sense: ${messageOf(cause)}`, { cause });
  }
}

async function readTail(source: ByteSource): Promise<{ checksum: Uint8Array; footer: Uint8Array }> {
  const least = MAGIC.length + CHECKSUM_BYTES + TRAILER_BYTES;
  if (source.bytes < least) {
    throw new FormatError(`${source.bytes} bytes are too few for a Parquet file`);
  }
  const tail = await readRange(source, Math.max(0, source.bytes - FIRST_READ_BYTES), source.bytes);
  const trailer = Buffer.from(tail.buffer, tail.byteLength - TRAILER_BYTES, TRAILER_BYTES);
  if (trailer.toString('latin1', 4) !== MAGIC) {
    throw new FormatError('The file does not end like a Parquet file');
  }
  const footerBytes = trailer.readUInt32LE(0) + TRAILER_BYTES;
  const wanted = footerBytes + CHECKSUM_BYTES;
  if (wanted + MAGIC.length > source.bytes) {
    throw new FormatError('The Parquet footer is said to be longer than the file');
  }
  const complete =
    wanted <= tail.byteLength
      ? tail.subarray(tail.byteLength - wanted)
      : await readRange(source, source.bytes - wanted, source.bytes);
  return {
    checksum: complete.subarray(0, CHECKSUM_BYTES),
    footer: complete.subarray(CHECKSUM_BYTES),
  };
}

/** Reads a range of a source into one array. */

/**
 * The bytes from `start` (inclusive) to `end` (exclusive), in their own buffer.
 *
 * @throws {FormatError} the source ends before `end`
 */
async function readRange(
  source: ByteSource,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  for await (const piece of readPieces(source, start, end)) {
    bytes.set(piece, filled);
    filled += piece.byteLength;
  }
  return bytes;
}

/** The same, piece by piece. */
export async function* readPieces(
  source: ByteSource,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = start;
  for await (const piece of source.read({ start, end })) {
    at += piece.byteLength;
    if (at > end) {
      throw new FormatError(`The source sent more than the ${end - start} requested bytes`);
    }
    yield piece;
  }
  if (at < end) throw new FormatError(`The file ends after ${at} of ${source.bytes} bytes`);
}
