import { expect, it } from 'vitest';
import { CsvInspector, inspectImage } from '../../../src/artifacts/content/inspect-body.js';
import { png } from '../../support/tables/tiny-image.js';

function shape(...chunks: (string | Uint8Array)[]): string {
  const inspector = new CsvInspector();
  for (const chunk of chunks) inspector.write(Buffer.from(chunk));
  const csv = inspector.end();
  return csv ? `${csv.rowCount} × ${csv.columnCount}` : 'unreadable';
}

it('the CSV inspector counts records after the header and the header’s fields', () => {
  expect(shape('a,b,c\n1,2,3\n4,5,6\n')).toBe('2 × 3');
  expect(shape('a,b,c\r\n1,2,3\r\n4,5,6')).toBe('2 × 3');
  expect(shape('\ufeff"a","b"\n"x\ny","z, w"\n')).toBe('1 × 2');
});

it('the CSV inspector finds nothing in an empty file, and no row in a lone header', () => {
  expect(shape()).toBe('0 × 0');
  expect(shape('a,b')).toBe('0 × 2');
  expect(shape('\n\n')).toBe('0 × 0');
});

it('the CSV inspector takes ragged rows, stray quotes, empty lines and mixed line ends', () => {
  expect(shape('a,b\n1\n\n1,2,3\r\nx"y"z,"q"w\r')).toBe('3 × 2');
});

it('the CSV inspector reads UTF-16 of both ends, even byte by byte', () => {
  const bytes = Buffer.from('\ufeffa,b\n1,2\n3,ü\n', 'utf16le');
  expect(shape(bytes)).toBe('2 × 2');
  expect(shape(...Array.from(bytes, (byte) => Buffer.from([byte])))).toBe('2 × 2');
  expect(shape(Buffer.from(bytes).swap16())).toBe('2 × 2');
});

it('the CSV inspector says nothing about what cannot be read', () => {
  expect(shape('a,b\n"never closed,1\n2,3\n')).toBe('unreadable');
  expect(shape(Buffer.from([0x89, 0x50, 0, 0, 1, 2]))).toBe('unreadable');
});

it('the CSV inspector finds a quote that is never closed after 18 MB, too', () => {
  const megabyte = 'x'.repeat(2 ** 20);
  expect(shape('a,b\n"', ...Array<string>(18).fill(megabyte))).toBe('unreadable');
});

it('the CSV inspector keeps taking chunks after it has given up', () => {
  const inspector = new CsvInspector();
  inspector.write(Buffer.from([0, 1, 2, 3, 4]));
  inspector.write(Buffer.from('a,b\n'));
  expect(inspector.end()).toBeNull();
});

it('inspectImage reads the size of a PNG and of an SVG', () => {
  expect(inspectImage(png({ width: 640, height: 480 }), 'image/png')).toEqual({
    width: 640,
    height: 480,
  });
  const svg = Buffer.from('<svg xmlns="x" width="20" height="10"></svg>');
  expect(inspectImage(svg, 'image/svg+xml')).toEqual({ width: 20, height: 10 });
});

it('inspectImage is null for what is cut, broken or no image that is measured', () => {
  expect(inspectImage(png({ width: 9, height: 9 }).subarray(0, 12), 'image/png')).toBeNull();
  expect(inspectImage(Buffer.from('<svg width="50%"/>'), 'image/svg+xml')).toBeNull();
  expect(inspectImage(Buffer.from('a,b\n'), 'text/csv')).toBeNull();
  expect(inspectImage(Buffer.from('<svg '.repeat(100_000)), 'image/svg+xml')).toBeNull();
});
