/**
 * Checksums over every byte of a Parquet file (I-28 in FORMAT.md). Parquet has none that its readers check:
 * a flipped bit would be another value, or a run of 2^30 rows that a reader tries to unpack.
 *
 * The byte range and CRC-32 of each row group are in the footer's key-value metadata. The CRC-32 of the footer
 * is in the eight bytes before it. Other readers follow offsets and do not read them.
 */
import { crc32 } from 'node:zlib';
import { parseJson } from '../../base/text/parse-json.js';
import { FormatError } from '../format.js';

export const ROW_GROUPS_KEY = 'jobvault.row_groups';
const MAGIC = Buffer.from('JVCK', 'latin1');
export const CHECKSUM_BYTES = MAGIC.byteLength + 4;

/** The byte range of a row group, and its checksum. */
export interface RowGroupChecksum {
  readonly start: number;
  readonly bytes: number;
  readonly crc32: number;
}

/** The eight bytes before the footer. */
export function footerChecksum(footer: Uint8Array): Uint8Array {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  MAGIC.copy(checksum);
  checksum.writeUInt32LE(crc32(footer), MAGIC.byteLength);
  return checksum;
}

/** @throws {FormatError} the footer is damaged, or another program wrote the file */
export function checkFooter(checksum: Uint8Array, footer: Uint8Array): void {
  if (Buffer.compare(checksum, footerChecksum(footer)) === 0) return;
  const isOurs = Buffer.compare(checksum.subarray(0, MAGIC.byteLength), MAGIC) === 0;
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
export function parseRowGroupChecksums(text: string | undefined): RowGroupChecksum[] {
  try {
    return (parseJson(text ?? '') as [number, number, number][]).map(
      ([start, bytes, checksum]) => ({ start, bytes, crc32: checksum }),
    );
  } catch (cause) {
    throw new FormatError('The Parquet file does not say where its row groups stand', { cause });
  }
}
