import { expect, it } from 'vitest';
import { TableInspector } from '../../../../src/artifacts/content/table-inspector.js';

function shape(...chunks: (string | Uint8Array)[]): string {
  const inspector = new TableInspector();
  for (const chunk of chunks) inspector.write(Buffer.from(chunk));
  const csv = inspector.end()?.shape;
  return csv ? `${csv.rowCount} × ${csv.columnCount}` : 'unreadable';
}

it('the table inspector counts records after the heading, and the cells of the widest', () => {
  expect(shape('a,b,c\n1,2,3\n4,5,6\n')).toBe('2 × 3');
  expect(shape('a,b,c\r\n1,2,3\r\n4,5,6')).toBe('2 × 3');
  expect(shape('\ufeff"a","b"\n"x\ny","z, w"\n')).toBe('1 × 2');
});

it('the table inspector finds nothing in an empty file, and no row in a lone heading', () => {
  expect(shape()).toBe('0 × 0');
  expect(shape('a,b')).toBe('0 × 2');
  expect(shape('\n\n')).toBe('0 × 0');
});

it('the table inspector takes ragged rows, stray quotes, empty lines and mixed line ends', () => {
  expect(shape('a,b\n1\n\n1,2,3\r\nx"y"z,"q"w\r')).toBe('3 × 3');
});

it('the table inspector reads UTF-16 of both ends, even byte by byte', () => {
  const bytes = Buffer.from('\ufeffa,b\n1,2\n3,ü\n', 'utf16le');
  expect(shape(bytes)).toBe('2 × 2');
  expect(shape(...Array.from(bytes, (byte) => Buffer.from([byte])))).toBe('2 × 2');
  expect(shape(Buffer.from(bytes).swap16())).toBe('2 × 2');
});

it('the table inspector says nothing about what cannot be read', () => {
  expect(shape('a,b\n"never closed,1\n2,3\n')).toBe('unreadable');
  expect(shape(Buffer.from([0x89, 0x50, 0, 0, 1, 2]))).toBe('unreadable');
});

it('the table inspector finds a quote that is never closed after 18 MB, too', () => {
  const megabyte = 'x'.repeat(2 ** 20);
  expect(shape('a,b\n"', ...Array<string>(18).fill(megabyte))).toBe('unreadable');
});

const factsOf = (charset: string | null, ...chunks: (string | Uint8Array)[]) => {
  const inspector = new TableInspector(charset);
  for (const chunk of chunks) inspector.write(Buffer.from(chunk));
  return inspector.end();
};

it('the table inspector counts no title as a row, and no sep= line', () => {
  expect(factsOf(null, 'Sales 2026\n\nregion,q1,q2\nnorth,1,2\nsouth,3,4,late\n')).toMatchObject({
    separator: ',',
    headingLine: 3,
    shape: { rowCount: 2, columnCount: 4 },
    text: 'Sales 2026\nregion\tq1\tq2\nnorth\t1\t2\nsouth\t3\t4\tlate',
  });
  expect(factsOf(null, 'sep=;\r\nFiliale;Umsatz\r\nBonn;1,5\r\n')).toMatchObject({
    separator: ';',
    headingLine: 2,
    shape: { rowCount: 1, columnCount: 2 },
    text: 'Filiale\tUmsatz\nBonn\t1,5',
  });
});

const ASCII = 'store;city\n1;Berlin\n'.repeat(10_000);

it('the inspector learns the encoding from the first letter beyond ASCII, however late', () => {
  const late = Buffer.from('2;K\xf6ln\n3;M\xfcnchen\n', 'latin1');
  expect(factsOf(null, ASCII, late)).toMatchObject({
    encoding: 'windows-1252',
    shape: { columnCount: 2, rowCount: 20_001 },
  });
  expect(factsOf(null, ASCII, '2;Köln\n')?.encoding).toBe('utf-8');
  expect(factsOf('windows-1252', ASCII, '2;Köln\n')?.encoding).toBe('utf-8');
  expect(factsOf('iso-8859-1', ASCII, late.subarray(0, 4))?.encoding).toBe('windows-1252');
});

it('the inspector knows no encoding of UTF-8 with other bytes in it; nothing is searched', () => {
  const broken = factsOf(null, 'name,city\n1,Köln\n', Buffer.from('2,K\xf6ln\n', 'latin1'));
  expect(broken).toMatchObject({ encoding: 'unknown', text: null, shape: { rowCount: 2 } });
  const cut = factsOf(null, 'city\nKöln\n'.repeat(9000), Buffer.from([0x4b, 0xc3]));
  expect(cut).toMatchObject({ encoding: 'unknown', text: null });
});

it('the table inspector reads UTF-8 whose letters are cut between chunks', () => {
  const bytes = Buffer.from('Ort,Umsatz\nKöln,1\n😀,2\n'.repeat(4000));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 777) }, (_one, at) =>
    bytes.subarray(at * 777, (at + 1) * 777),
  );
  expect(factsOf(null, ...chunks)).toMatchObject({
    encoding: 'utf-8',
    shape: { rowCount: 11_999 },
  });
});

it('the table inspector counts bars that are bars, and not those within letters of Shift_JIS', () => {
  const line = Buffer.from([0x83, 0x7c, 0x83, 0x8b, 0x7c, 0x31, 0x0a]); // ポル|1
  expect(factsOf('Shift_JIS', 'a|b\n', ...Array<Buffer>(20_000).fill(line))).toMatchObject({
    encoding: 'shift_jis',
    separator: '|',
    shape: { rowCount: 20_000, columnCount: 2 },
  });
});

it('the table inspector keeps taking chunks after it has given up', () => {
  const inspector = new TableInspector();
  inspector.write(Buffer.from([0, 1, 2, 3, 4]));
  inspector.write(Buffer.from('a,b\n'));
  expect(inspector.end()).toBeNull();
});
