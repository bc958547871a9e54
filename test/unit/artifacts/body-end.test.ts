/** What headers say of the end of a body: without a proven end, a file may have been cut off in transit. */
import { expect, it } from 'vitest';
import { announcedEnd, fileHeader } from '../../../src/artifacts/announced-end.js';

const NO_END = { length: null, isChunked: false };

it('the end of a body is not announced by headers that do not speak of it', () => {
  expect(announcedEnd({})).toEqual(NO_END);
  expect(announcedEnd({ 'content-type': 'text/csv', etag: '"12"' })).toEqual(NO_END);
});

it.each([
  ['0', 0],
  ['12', 12],
  ['999999999999999', 999_999_999_999_999],
])('the end of a body is announced by a Content-Length of %s', (value, length) => {
  expect(announcedEnd({ 'content-length': value })).toEqual({ length, isChunked: false });
});

it.each(['', 'x', '-1', '1.5', '12x', 'x12', '1e3', '12, 12', '1000000000000000', ['12', '12']])(
  'the end of a body is not announced by a Content-Length of %j',
  (value) => {
    expect(announcedEnd({ 'content-length': value })).toEqual(NO_END);
  },
);

it.each(['chunked', 'Chunked', ' chunked ', 'gzip, chunked', ['gzip', 'chunked']])(
  'the end of a body is announced by a Transfer-Encoding of %j',
  (value) => {
    expect(announcedEnd({ 'transfer-encoding': value })).toEqual({
      length: null,
      isChunked: true,
    });
  },
);

it.each(['', 'gzip', 'identity', 'chunked, gzip', 'unchunked', ['chunked', 'gzip']])(
  'the end of a body is not announced by a Transfer-Encoding of %j',
  (value) => {
    expect(announcedEnd({ 'transfer-encoding': value })).toEqual(NO_END);
  },
);

it.each(['bytes 0-11/12', 'BYTES 0-11/12', ' bytes 0-11/12 '])(
  'the range of an answer that is the whole announces its length: %j',
  (range) => {
    expect(announcedEnd({ 'content-range': range })).toEqual({ length: 12, isChunked: false });
    expect(announcedEnd({ 'content-range': range, 'content-length': '12' })).toEqual({
      length: 12,
      isChunked: false,
    });
  },
);

it.each([
  'bytes 1-11/12',
  'bytes 0-10/12',
  'bytes 0-12/12',
  'bytes 0-11/*',
  'bytes */12',
  'bytes 0-11',
  'items 0-11/12',
  'bytes=0-11/12',
  'x bytes 0-11/12',
  'bytes 0-11/12x',
  'bytes 0-11/12, bytes 0-11/12',
  'bytes x0-11/12',
  'bytes 0-1000000000000000/1000000000000001',
  ' ',
])(
  'the range of an answer that is not certain to be the whole is a part of the file: %j',
  (range) => {
    expect(announcedEnd({ 'content-range': range })).toBe(
      `a part of the file (Content-Range ${JSON.stringify(range.slice(0, 40))})`,
    );
  },
);

it('the range of an answer is refused where it differs from the length', () => {
  expect(announcedEnd({ 'content-range': 'bytes 0-11/12', 'content-length': '11' })).toBe(
    'a Content-Length of 11 with a Content-Range of 12 bytes',
  );
  expect(announcedEnd({ 'content-range': 'bytes 0-11/12', 'content-length': '0' })).toBe(
    'a Content-Length of 0 with a Content-Range of 12 bytes',
  );
});

it('the range of an answer is quoted without secrets and not to its end', () => {
  expect(announcedEnd({ 'content-range': `https://h/a?sig=canary ${'x'.repeat(60)}` })).toBe(
    `a part of the file (Content-Range "https://h/a?… ${'x'.repeat(26)}")`,
  );
});

it('a header that is repeated has its values joined, and is empty where there is none', () => {
  expect(fileHeader({ a: ['1', '2'], b: '3' }, 'a')).toBe('1,2');
  expect(fileHeader({ a: ['1', '2'], b: '3' }, 'b')).toBe('3');
  expect(fileHeader({ b: '3' }, 'a')).toBe('');
});
