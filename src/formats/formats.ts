/**
 * The formats of an archive, a record each: all that others know of a format comes from here. The file is light: what
 * reads and writes a format is loaded when it is used.
 */
import { UsageError } from '../base/error.js';
import type { ColumnType } from '../model/table-schema.js';
import type { RowFormat } from './format.js';
import type { ParquetCodec } from './parquet/parquet-codec.js';
import type { ParquetOptions } from './parquet/parquet-format.js';

export interface RowFormatOptions {
  readonly parquet?: ParquetOptions | undefined;
}

interface FormatRecord {
  readonly name: string;
  /** Without the leading dot. */
  readonly extension: string;
  /** What its files are, for FORMAT.md. */
  readonly meaning: string;
  /** Undefined of a format that cannot be read back exactly: it is kept beside another one. */
  readonly rows?: {
    readonly open: (options: RowFormatOptions) => Promise<RowFormat>;
    /**
     * DuckDB's table of some files.
     *
     * @param files a list in SQL
     * @param columns a struct in SQL: what each column is read as
     */
    readonly table: (files: string, columns: string) => string;
    /** What DuckDB reads a column as, if not as its type, and the SQL that then makes it of that. */
    readonly readAs?: Partial<
      Record<ColumnType, { readonly type: ColumnType; readonly cell: (column: string) => string }>
    >;
    /** Whether a column that a statement does not name costs nothing. */
    readonly readsColumns: boolean;
    /** The memory of DuckDB for a search. With Node's own share, one in Parquet stays below 300 MB. */
    readonly searchBytes: number;
  };
}

/** A record is rarely larger than a megabyte; DuckDB holds two rows of this size per thread. */
const MAX_ROW_BYTES = 64 * 1024 * 1024;

/** In the order in which an archive names its formats; whoever reads rows takes the first that has them. */
export const FORMATS = [
  {
    name: 'parquet',
    extension: 'parquet',
    meaning: 'Parquet',
    rows: {
      open: async ({ parquet }) =>
        (await import('./parquet/parquet-format.js')).createParquetFormat(parquet),
      table: (files) => `read_parquet(${files}, hive_partitioning = false)`,
      readsColumns: true,
      searchBytes: 180e6,
    },
  },
  {
    name: 'jsonl',
    extension: 'jsonl.gz',
    meaning: 'gzipped JSON lines',
    rows: {
      open: async () => (await import('./jsonl/jsonl-format.js')).createJsonlFormat(),
      table: (files, columns) =>
        `read_json(${files}, format = 'newline_delimited', compression = 'gzip', hive_partitioning = false, maximum_object_size = ${MAX_ROW_BYTES}, columns = ${columns})`,
      // ISO 8601 writes the year 12024 as +012024, which DuckDB does not take
      readAs: {
        ts: {
          type: 'string',
          cell: (column) => `CAST(regexp_replace(${column}, '^\\+0*', '') AS TIMESTAMPTZ)`,
        },
      },
      readsColumns: false,
      searchBytes: 1e9,
    },
  },
  { name: 'xlsx', extension: 'xlsx', meaning: 'a workbook of each run; it is never read back' },
] as const satisfies readonly FormatRecord[];

export type ArchiveFormat = (typeof FORMATS)[number]['name'];

export const ARCHIVE_FORMATS: readonly ArchiveFormat[] = FORMATS.map(({ name }) => name);

export const DEFAULT_FORMAT: ArchiveFormat = 'parquet';

export const PARQUET_CODECS = [
  'zstd',
  'snappy',
  'gzip',
  'uncompressed',
] as const satisfies readonly ParquetCodec[];

type RowFormatRecord = FormatRecord & Required<Pick<FormatRecord, 'rows'>>;

/** The formats whose rows can be read back, in order. */
export const ROW_FORMATS: readonly RowFormatRecord[] = FORMATS.filter((format) => 'rows' in format);

/** Loads what reads and writes them. */
export async function rowFormats(options: RowFormatOptions = {}): Promise<readonly RowFormat[]> {
  return Promise.all(ROW_FORMATS.map(({ rows }) => rows.open(options)));
}

/** The formats that an archive has, among all. @param names those of its identity */
export function formatsNamed(
  names: readonly string[],
  formats: readonly RowFormat[],
): readonly RowFormat[] {
  return formats.filter(({ name }) => names.includes(name));
}

/** What is said of formats of which none can be read back. */
export const NEEDS_ROWS = `one of them must be ${ROW_FORMATS.map(({ name }) => name).join(' or ')}, because a workbook is never read back (jobvault workbook makes one of any archive)`;

/** Whether rows can be read back of what is kept in these. */
export function canBeReadBack(names: readonly string[]): boolean {
  return names.some((name) => ROW_FORMATS.some((format) => format.name === name));
}

/** In the order in which an archive names them. @throws {UsageError} none can be read back */
export function orderedFormats(wanted: readonly ArchiveFormat[]): ArchiveFormat[] {
  if (!canBeReadBack(wanted)) {
    throw new UsageError(`the formats are ${wanted.join(',') || 'none'}; ${NEEDS_ROWS}`);
  }
  return ARCHIVE_FORMATS.filter((name) => wanted.includes(name));
}
