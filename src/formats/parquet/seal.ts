/**
 * Checksums over every byte of a file, because Parquet itself has none that its readers check: without
 * them (I-28 in FORMAT.md) a flipped bit is another value, or a run of 2^30 rows that a reader tries to unpack.
 *
 * Each row group's place and CRC-32 stand in the footer's metadata. The footer's own CRC-32 stands in
 * eight bytes just before it, where other readers, which follow offsets, never look.
 */
import { crc32 } from 'node:zlib';
import { parseJson } from '../../base/text/parse-json.js';
import { FormatError } from '../format-error.js';

export const ROW_GROUPS_KEY = 'jobvault.row_groups';
const MARK = Buffer.from('JVCK', 'latin1');
export const SEAL_BYTES = MARK.byteLength + 4;

/** Where a row group's bytes stand, and their checksum. */
export interface RowGroupChecksum {
  readonly start: number;
  readonly bytes: number;
  readonly crc32: number;
}

/** The eight bytes that go before the footer. */
export function checksumOf(footer: Uint8Array): Uint8Array {
  const seal = Buffer.alloc(SEAL_BYTES);
  MARK.copy(seal);
  seal.writeUInt32LE(crc32(footer), MARK.byteLength);
  return seal;
}

/** @throws {FormatError} the footer is damaged, or another program wrote the file */
export function checkFooter(seal: Uint8Array, footer: Uint8Array): void {
  if (Buffer.compare(seal, checksumOf(footer)) === 0) return;
  const isOurs = Buffer.compare(seal.subarray(0, MARK.byteLength), MARK) === 0;
  throw new FormatError(
    isOurs
      ? 'The Parquet footer does not match its checksum'
      : 'The Parquet file has no jobvault checksum before its footer',
  );
}

export function checkRowGroup(seal: RowGroupChecksum, bytes: Uint8Array): void {
  if (crc32(bytes) !== seal.crc32) {
    throw new FormatError(
      `The Parquet row group at byte ${seal.start} does not match its checksum`,
    );
  }
}

/** As `[start, bytes, crc32]` each. */
export function formatRowGroupSeals(seals: readonly RowGroupChecksum[]): string {
  return JSON.stringify(seals.map((seal) => [seal.start, seal.bytes, seal.crc32]));
}

/** Of a footer whose own checksum was right. @throws {FormatError} */
export function parseRowGroupSeals(text: string | undefined): RowGroupChecksum[] {
  try {
    return (parseJson(text ?? '') as [number, number, number][]).map(
      ([start, bytes, checksum]) => ({ start, bytes, crc32: checksum }),
    );
  } catch (cause) {
    throw new FormatError('The Parquet file does not say where its row groups stand', { cause });
  }
}
