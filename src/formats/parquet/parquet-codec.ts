/** Compression codecs of Parquet pages. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import type { SchemaElement } from 'hyparquet';
import { hasColumns, type ColumnType, type TableSchema } from '../../model/table-schema.js';
import { FormatError } from '../format.js';

/** zstd is half the size of snappy; snappy and gzip suit readers without zstd. */
export type ParquetCodec = 'zstd' | 'snappy' | 'gzip' | 'uncompressed';

export type ParquetCodecName = 'ZSTD' | 'SNAPPY' | 'GZIP' | 'UNCOMPRESSED';

export const CODEC_NAMES: Readonly<Record<ParquetCodec, ParquetCodecName>> = {
  zstd: 'ZSTD',
  snappy: 'SNAPPY',
  gzip: 'GZIP',
  uncompressed: 'UNCOMPRESSED',
};

type PageCompressors = Partial<Record<ParquetCodecName, (page: Uint8Array) => Uint8Array>>;
type PageDecompressors = Partial<
  Record<ParquetCodecName, (page: Uint8Array, bytes: number) => Uint8Array>
>;

/** Empty if pages are not compressed. */
export async function pageCompressors(codec: ParquetCodec): Promise<PageCompressors> {
  switch (codec) {
    case 'zstd':
      return { ZSTD: (await loadZstd()).compress };
    case 'gzip':
      return { GZIP: (page) => gzipSync(page) };
    case 'snappy':
      return { SNAPPY: snappyCompress };
    case 'uncompressed':
      return {};
  }
}

/** For hyparquet, which has only snappy. */
export async function pageDecompressors(): Promise<PageDecompressors> {
  const zstd = await loadZstd();
  return {
    // hyparquet also passes empty pages: either a compressed frame or no bytes
    ZSTD: (page) => (page.byteLength === 0 ? page : zstd.decompress(page)),
    GZIP: (page, bytes) =>
      page.byteLength === 0 ? page : gunzipSync(page, { maxOutputLength: Math.max(bytes, 1) }),
  };
}

/** Zstandard as WebAssembly, loaded when a file first needs it. */
let loading: Promise<Zstd> | undefined;

export interface Zstd {
  readonly compress: (bytes: Uint8Array) => Uint8Array;
  readonly decompress: (bytes: Uint8Array) => Uint8Array;
}

/** Level 5 took four times as long for the same size: 177 ms instead of 49 ms for 4 MB of such text. */
const LEVEL = 3;

function loadZstd(): Promise<Zstd> {
  return (loading ??= load());
}

async function load(): Promise<Zstd> {
  const { compress, decompress, init } = await import('@bokuweb/zstd-wasm');
  await init();
  return { compress: (bytes) => compress(bytes, LEVEL), decompress: (bytes) => decompress(bytes) };
}

/** The Parquet schema of a table. Types have the old and the new annotation, for old and new readers. */

type Annotation = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>;

const ANNOTATIONS: Readonly<Record<ColumnType, Annotation>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  bool: { type: 'BOOLEAN' },
  ts: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

/** Key columns are required, all others optional. */
export function parquetSchemaOf(table: TableSchema): SchemaElement[] {
  return [
    { name: table.name, num_children: table.columns.length },
    ...table.columns.map((column): SchemaElement => ({
      name: column.name,
      repetition_type: column.isKey ? 'REQUIRED' : 'OPTIONAL',
      ...ANNOTATIONS[column.type],
    })),
  ];
}

/** @throws {FormatError} a column is missing, unknown, in another position, or of another type */
export function assertColumnsOf(table: TableSchema, schema: readonly SchemaElement[]): void {
  const names = schema.slice(1).map(({ name }) => name);
  if (!hasColumns(table, names)) {
    throw new FormatError(
      `The file's columns are not those of ${table.name}: it has ${names.join(', ')}`,
    );
  }
  const wanted = new Map(parquetSchemaOf(table).map((element) => [element.name, element]));
  for (const element of schema.slice(1)) {
    const expected = describe(wanted.get(element.name) ?? element);
    if (describe(element) === expected) continue;
    throw new FormatError(
      `A column of ${table.name} should be ${expected}, but the file has ${describe(element)}`,
    );
  }
}

function describe(element: SchemaElement): string {
  const { name, type, converted_type: converted, repetition_type: repetition } = element;
  return `${name} (${[repetition, type, converted].filter(Boolean).join(' ').toLowerCase()})`;
}
