/** The fixed records of a ZIP archive, all little-endian. Source: PKWARE APPNOTE.TXT 6.3.10. */

export interface ZipEntry {
  readonly path: string;
  /** Where its local header begins. */
  readonly start: number;
  readonly crc32: number;
  readonly bytes: number;
  readonly packedBytes: number;
}

const VERSION = 20;
const VERSION_ZIP64 = 45;
const HAS_DATA_DESCRIPTOR = 8;
const DEFLATED = 8;
/** 1 January 1980, the first day of DOS: the same rows give the same bytes. */
const DATE = 33;
const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;

type Field = readonly [bytes: 2 | 4 | 8, value: number];

export function localHeader(path: string): Uint8Array {
  return Buffer.concat([
    record([4, 0x04034b50], [2, VERSION], ...common(), [4, 0], [4, 0], [4, 0], ...names(path, 0)),
    Buffer.from(path, 'latin1'),
  ]);
}

export function dataDescriptor(entry: ZipEntry): Uint8Array {
  return record([4, 0x08074b50], [4, entry.crc32], [4, entry.packedBytes], [4, entry.bytes]);
}

/** @param start where the directory begins: how long the archive is so far */
export function centralDirectory(entries: readonly ZipEntry[], start: number): Uint8Array {
  const listing = Buffer.concat(entries.map(directoryEntry));
  const needsZip64 = entries.length >= MAX_UINT16 || start + listing.byteLength >= MAX_UINT32;
  return Buffer.concat([
    listing,
    ...(needsZip64 ? [zip64End(entries.length, listing.byteLength, start)] : []),
    record(
      ...([
        [4, 0x06054b50],
        [2, 0],
        [2, 0],
      ] as const),
      [2, Math.min(entries.length, MAX_UINT16)],
      [2, Math.min(entries.length, MAX_UINT16)],
      [4, Math.min(listing.byteLength, MAX_UINT32)],
      [4, Math.min(start, MAX_UINT32)],
      [2, 0],
    ),
  ]);
}

function directoryEntry({ path, start, crc32, bytes, packedBytes }: ZipEntry): Uint8Array {
  const isFar = start >= MAX_UINT32;
  const extra = isFar ? record([2, 1], [2, 8], [8, start]) : Buffer.alloc(0);
  const version = isFar ? VERSION_ZIP64 : VERSION;
  return Buffer.concat([
    record(
      ...([[4, 0x02014b50], [2, version], [2, version], ...common()] as const),
      ...([
        [4, crc32],
        [4, packedBytes],
        [4, bytes],
      ] as const),
      ...names(path, extra.byteLength),
      // comment, disk, internal and external attributes
      ...([
        [2, 0],
        [2, 0],
        [2, 0],
        [4, 0],
      ] as const),
      [4, Math.min(start, MAX_UINT32)],
    ),
    Buffer.from(path, 'latin1'),
    extra,
  ]);
}

function zip64End(entries: number, directoryBytes: number, start: number): Uint8Array {
  return record(
    // the ZIP64 end of the directory: 44 bytes follow its length
    ...([
      [4, 0x06064b50],
      [8, 44],
      [2, VERSION_ZIP64],
      [2, VERSION_ZIP64],
      [4, 0],
      [4, 0],
    ] as const),
    ...([
      [8, entries],
      [8, entries],
      [8, directoryBytes],
      [8, start],
    ] as const),
    // its locator
    ...([
      [4, 0x07064b50],
      [4, 0],
      [8, start + directoryBytes],
      [4, 1],
    ] as const),
  );
}

/** Flags, method, time and date. */
function common(): readonly Field[] {
  return [
    [2, HAS_DATA_DESCRIPTOR],
    [2, DEFLATED],
    [2, 0],
    [2, DATE],
  ];
}

function names(path: string, extraBytes: number): readonly Field[] {
  return [
    [2, path.length],
    [2, extraBytes],
  ];
}

function record(...fields: readonly Field[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return buffer;
}
