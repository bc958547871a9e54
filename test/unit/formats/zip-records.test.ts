import { describe, expect, it } from 'vitest';
import { centralDirectory } from '../../../src/formats/xlsx/zip-records.js';

const entry = { path: 'a.xml', crc32: 7, bytes: 3, packedBytes: 5 };
const END_BYTES = 22;
const LOCATOR_BYTES = 20;

describe('the directory of a ZIP archive', () => {
  it('is the classic one below 4 GiB', () => {
    const bytes = Buffer.from(centralDirectory([{ ...entry, start: 9 }], 1000));
    const end = bytes.subarray(-END_BYTES);
    expect(end.readUInt32LE(0)).toBe(0x06054b50);
    expect([end.readUInt16LE(8), end.readUInt16LE(10)]).toEqual([1, 1]);
    expect([end.readUInt32LE(12), end.readUInt32LE(16)]).toEqual([
      bytes.byteLength - END_BYTES,
      1000,
    ]);
    expect(bytes.readUInt32LE(42)).toBe(9);
    expect(bytes.includes(Buffer.from([0x50, 0x4b, 0x06, 0x07]))).toBe(false);
  });

  it('says the true places in ZIP64 records beyond 4 GiB', () => {
    const far = 5 * 2 ** 30;
    const bytes = Buffer.from(centralDirectory([{ ...entry, start: far }], far + 100));
    // the entry: the place is in its extra field, behind the name
    expect(bytes.readUInt32LE(42)).toBe(0xffffffff);
    const extra = bytes.subarray(46 + entry.path.length);
    expect([extra.readUInt16LE(0), extra.readUInt16LE(2)]).toEqual([1, 8]);
    expect(Number(extra.readBigUInt64LE(4))).toBe(far);
    // the end: its place is in the ZIP64 end, and that one's place in the locator
    const listingBytes = 46 + entry.path.length + 12;
    const locator = bytes.subarray(-END_BYTES - LOCATOR_BYTES);
    expect(locator.readUInt32LE(0)).toBe(0x07064b50);
    expect(Number(locator.readBigUInt64LE(8))).toBe(far + 100 + listingBytes);
    const end64 = bytes.subarray(listingBytes);
    expect(end64.readUInt32LE(0)).toBe(0x06064b50);
    expect(Number(end64.readBigUInt64LE(48))).toBe(far + 100);
    expect(bytes.subarray(-END_BYTES).readUInt32LE(16)).toBe(0xffffffff);
  });
});
