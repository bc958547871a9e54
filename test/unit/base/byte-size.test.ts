import { expect, it } from 'vitest';
import { formatByteSize, parseByteSize } from '../../../src/base/byte-size.js';

it.each([
  ['512', 512],
  ['512B', 512],
  ['64KB', 64_000],
  ['128MB', 128_000_000],
  ['1GiB', 1_073_741_824],
  ['1.5KiB', 1536],
  [' 2 TB ', 2_000_000_000_000],
  ['0', 0],
  ['1.0001KB', 1000],
])('parseByteSize reads "%s" as %i bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

it.each(['', 'MB', '-1MB', '+1', '1e3', '1,5MB', '1.MB', '128mb', '1 M B', '0x10', '١MB'])(
  'parseByteSize takes "%s" for no size',
  (text) => {
    expect(parseByteSize(text)).toBeUndefined();
  },
);

it.each(['5constructor', '5toString', '5valueOf'])(
  'parseByteSize takes "%s" for no size, though every object has a member of that name',
  (text) => {
    expect(parseByteSize(text)).toBeUndefined();
  },
);

it('parseByteSize takes more bytes than can be counted exactly for no size', () => {
  expect(parseByteSize('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect(parseByteSize('9007199254740992')).toBeUndefined();
  expect(parseByteSize('9'.repeat(400))).toBeUndefined();
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [999_949, '999.9 KB'],
  [999_950, '1.0 MB'],
  [1_400_000, '1.4 MB'],
  [999_999_999, '1.0 GB'],
  [2_500_000_000_000, '2.5 TB'],
])('formatByteSize shows %i bytes as %s', (bytes, text) => {
  expect(formatByteSize(bytes)).toBe(text);
});
