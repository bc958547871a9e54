import { describe, expect, it } from 'vitest';
import { createCsvInspector } from '../../../src/artifacts/content/inspect-csv.js';
import { inspectImage } from '../../../src/artifacts/content/inspect-image.js';
import { png } from '../../support/tiny-image.js';

async function shape(...chunks: (string | Uint8Array)[]): Promise<string> {
  const inspector = createCsvInspector();
  for (const chunk of chunks) await inspector.write(Buffer.from(chunk));
  const csv = await inspector.end();
  return csv ? `${csv.rowCount} × ${csv.columnCount}` : 'unreadable';
}

describe('the CSV inspector', () => {
  it('counts records after the header and the header’s fields', async () => {
    expect(await shape('a,b,c\n1,2,3\n4,5,6\n')).toBe('2 × 3');
    expect(await shape('a,b,c\r\n1,2,3\r\n4,5,6')).toBe('2 × 3');
    expect(await shape('\ufeff"a","b"\n"x\ny","z, w"\n')).toBe('1 × 2');
  });

  it('finds nothing in an empty file, and no row in a lone header', async () => {
    expect(await shape()).toBe('0 × 0');
    expect(await shape('a,b')).toBe('0 × 2');
    expect(await shape('\n\n')).toBe('0 × 0');
  });

  it('takes ragged rows, stray quotes, empty lines and mixed line ends', async () => {
    expect(await shape('a,b\n1\n\n1,2,3\r\nx"y"z,"q"w\r')).toBe('3 × 2');
  });

  it('reads UTF-16 of both ends, even byte by byte', async () => {
    const bytes = Buffer.from('\ufeffa,b\n1,2\n3,ü\n', 'utf16le');
    expect(await shape(bytes)).toBe('2 × 2');
    expect(await shape(...Array.from(bytes, (byte) => Buffer.from([byte])))).toBe('2 × 2');
    expect(await shape(Buffer.from(bytes).swap16())).toBe('2 × 2');
  });

  it('says nothing about what cannot be read', async () => {
    expect(await shape('a,b\n"never closed,1\n2,3\n')).toBe('unreadable');
    expect(await shape(Buffer.from([0x89, 0x50, 0, 0, 1, 2]))).toBe('unreadable');
  });

  it('gives up on a record beyond 16 MB instead of holding it', async () => {
    const megabyte = 'x'.repeat(2 ** 20);
    expect(await shape('a,b\n"', ...Array<string>(18).fill(megabyte))).toBe('unreadable');
  });

  it('keeps taking chunks after it has given up', async () => {
    const inspector = createCsvInspector();
    await inspector.write(Buffer.from([0, 1, 2, 3, 4]));
    await inspector.write(Buffer.from('a,b\n'));
    expect(await inspector.end()).toBeNull();
  });
});

describe('inspectImage', () => {
  it('reads the size of a PNG and of an SVG', () => {
    expect(inspectImage(png({ width: 640, height: 480 }), 'image/png')).toEqual({
      width: 640,
      height: 480,
    });
    const svg = Buffer.from('<svg xmlns="x" width="20" height="10"></svg>');
    expect(inspectImage(svg, 'image/svg+xml')).toEqual({ width: 20, height: 10 });
  });

  it('is null for what is cut, broken or no image that is measured', () => {
    expect(inspectImage(png({ width: 9, height: 9 }).subarray(0, 12), 'image/png')).toBeNull();
    expect(inspectImage(Buffer.from('<svg width="50%"/>'), 'image/svg+xml')).toBeNull();
    expect(inspectImage(Buffer.from('a,b\n'), 'text/csv')).toBeNull();
    expect(inspectImage(Buffer.from('<svg '.repeat(100_000)), 'image/svg+xml')).toBeNull();
  });
});
