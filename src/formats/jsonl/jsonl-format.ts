/** The JSON lines format: a gzipped text file with one JSON object per line. */
import { isUtf8 } from 'node:buffer';
import { type Row, type TableSchema } from '../../model/table-schema.js';
import { type ByteSource, type RowFormat, FormatError } from '../format.js';
import { parseJsonRow } from './json-row-formatter.js';
import { JsonlRowWriter } from './jsonl-writer.js';
import { gzippedLines } from './gzipped-lines.js';

export function createJsonlFormat(): RowFormat {
  return {
    name: 'jsonl',
    extension: 'jsonl.gz',
    openWriter: (table, sink) => new JsonlRowWriter(table, sink),
    readRows,
    countRows,
  };
}

async function* readRows(table: TableSchema, source: ByteSource): AsyncGenerator<readonly Row[]> {
  for await (const lines of gzippedLines(source)) {
    yield lines.map((line) => parseJsonRow(table, decode(line)));
  }
}

/** Decompresses all lines, since gzip has no count of them, but parses none. */
async function countRows(source: ByteSource): Promise<number> {
  let rows = 0;
  for await (const lines of gzippedLines(source)) rows += lines.length;
  return rows;
}

function decode(line: Buffer): string {
  if (!isUtf8(line)) throw new FormatError('A line is not UTF-8');
  return line.toString('utf8');
}
