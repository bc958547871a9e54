/** Reads the rows of a Parquet file, one row group in memory at a time. */
import { type FileMetaData, parquetScan } from 'hyparquet';
import { messageOf } from '../../base/error.js';
import { type ByteSource, FormatError, type WantedRows } from '../format.js';
import { pageDecompressors } from './parquet-codec.js';
import { assertColumnsOf } from './parquet-schema.js';
import type { CellValue, Column, Row, TableSchema } from '../../model/table-schema.js';
import { readParquetFooter } from './parquet-footer.js';
import { readPieces } from './parquet-range.js';

const BATCH_ROWS = 1000;

type Cells = ArrayLike<CellValue | undefined>;

/** hyparquet's own parsers drop a leading U+FEFF of a text and the microseconds of a timestamp. */
const EXACT_PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined) =>
    bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  timestampFromMicroseconds: (micros: bigint) => micros,
};

/**
 * @param omitted columns that are not decoded: their cells are null
 * @param wanted where a row group has none of these rows, only its ids are decoded
 * @throws {FormatError} the file is damaged, cut short, or not of this table
 */
export async function* readParquetRows(
  table: TableSchema,
  source: ByteSource,
  omitted: readonly string[] = [],
  wanted?: WantedRows,
): AsyncGenerator<readonly Row[]> {
  const metadata = await readParquetFooter(source);
  assertColumnsOf(table, metadata.schema);
  const present = table.columns.filter(({ name }) => !omitted.includes(name));
  const chosen = wanted && hasIds(present) ? chosenBy(wanted) : undefined;
  for (const [index, { num_rows }] of metadata.row_groups.entries()) {
    const rows = Number(num_rows);
    const row_groups = metadata.row_groups.slice(index, index + 1);
    // its bytes are let go of before the rows are given: an answer may have 64 MB
    const group = await readRowGroup(source, index, {
      present,
      metadata: { ...metadata, row_groups },
      chosen,
    });
    for (let start = 0; start < rows; start += BATCH_ROWS) {
      yield rowsOf(table, group, start, Math.min(start + BATCH_ROWS, rows));
    }
  }
}

/** What tells whose a row is. */
const IDS = ['user_id', 'session_id'] as const;

function hasIds(columns: readonly Column[]): boolean {
  return IDS.every((id) => columns.some(({ name }) => name === id));
}

/** Says for the cells of both ids which rows are wanted: 1 for each; undefined where none is. */
type ChosenRows = (users: Cells, sessions: Cells) => Uint8Array | undefined;

function chosenBy(wanted: WantedRows): ChosenRows {
  return (users, sessions) => {
    const chosen = new Uint8Array(users.length);
    // rows of a session follow each other
    let [user, session, is]: [Cells[number], Cells[number], boolean] = [
      undefined,
      undefined,
      false,
    ];
    let isAny = false;
    for (let at = 0; at < chosen.length; at++) {
      if (users[at] !== user || sessions[at] !== session) {
        [user, session] = [users[at], sessions[at]];
        is = typeof user === 'string' && typeof session === 'string' && wanted(user, session);
      }
      if (!is) continue;
      chosen[at] = 1;
      isAny = true;
    }
    return isAny ? chosen : undefined;
  };
}

interface RowGroupReading {
  readonly present: readonly Column[];
  /** The metadata of this row group alone. */
  readonly metadata: FileMetaData;
  /** Default: all. */
  readonly chosen: ChosenRows | undefined;
}

/** The decoded part of a row group. */
interface RowGroup {
  /** The cells of each column, by its name. */
  readonly columns: ReadonlyMap<string, Cells>;
  /** 1 for each row that is not blank; undefined: all. */
  readonly chosen?: Uint8Array | undefined;
}

async function readRowGroup(
  source: ByteSource,
  index: number,
  { present, metadata, chosen }: RowGroupReading,
): Promise<RowGroup> {
  const compressors = await pageDecompressors();
  const chunks = await readChunks(source, metadata, present);
  try {
    const scan = await parquetScan({
      file: fileOf(source.bytes, chunks),
      metadata,
      compressors,
      parsers: EXACT_PARSERS,
      geoparquet: false,
    });
    const [rows] = scan.ranges;
    if (!rows) throw new Error('a row group without rows');
    const columns = new Map<string, Cells>();
    const read = async (name: string): Promise<Cells> => {
      const cells = (await scan.readColumn({ column: name, ...rows })) as Cells;
      if (cells.length !== rows.rowEnd - rows.rowStart) {
        throw new Error(`${name} has ${cells.length} of ${rows.rowEnd - rows.rowStart} values`);
      }
      columns.set(name, cells);
      chunks.delete(name);
      return cells;
    };
    let chosenRows: Uint8Array | undefined;
    if (chosen) {
      const [user, session] = IDS;
      chosenRows = chosen(await read(user), await read(session));
      if (!chosenRows) return { columns: new Map(), chosen: NONE };
    }
    for (const { name } of present) if (!columns.has(name)) await read(name);
    return { columns, chosen: chosenRows };
  } catch (cause) {
    throw new FormatError(
      `Row group ${index + 1} of the Parquet file cannot be read: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** The bytes of a column in a row group. */
interface Chunk {
  readonly start: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Reads a row group from the first to the last column that is asked for, and keeps these, each in a buffer of its own: it
 * can be let go of when it is decoded.
 *
 * @throws {FormatError} the file ends before
 */
async function readChunks(
  source: ByteSource,
  { row_groups }: FileMetaData,
  present: readonly Column[],
): Promise<Map<string, Chunk>> {
  const chunks = new Map<string, Chunk>();
  let [first, end] = [source.bytes, 0];
  for (const { meta_data: meta } of row_groups.flatMap(({ columns }) => columns)) {
    const name = present.find((column) => column.name === meta?.path_in_schema[0])?.name;
    if (!meta || name === undefined) continue;
    const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
    const bytes = Number(meta.total_compressed_size);
    // a footer that lies is noticed where the column is read
    if (start < 0 || bytes < 0 || start + bytes > source.bytes) continue;
    chunks.set(name, { start, bytes: new Uint8Array(bytes) });
    [first, end] = [Math.min(first, start), Math.max(end, start + bytes)];
  }
  if (chunks.size === 0) return chunks;
  let at = first;
  for await (const piece of readPieces(source, first, end)) {
    for (const { start, bytes } of chunks.values()) {
      const from = Math.max(start, at);
      const to = Math.min(start + bytes.byteLength, at + piece.byteLength);
      if (from < to) bytes.set(piece.subarray(from - at, to - at), from - start);
    }
    at += piece.byteLength;
  }
  return chunks;
}

/** A file that has nothing but these columns. */
function fileOf(byteLength: number, chunks: ReadonlyMap<string, Chunk>) {
  const slice = (from: number, to = byteLength): ArrayBuffer => {
    for (const { start, bytes } of chunks.values()) {
      const end = start + bytes.byteLength;
      // hyparquet asks for a column as a whole: a text of 64 MB is not copied
      if (from === start && to === end) return bytes.buffer;
      if (from >= start && to <= end) return bytes.buffer.slice(from - start, to - start);
    }
    throw new Error(`no column has the bytes from ${from} to ${to}`);
  };
  return { byteLength, slice };
}

const NONE = new Uint8Array();

/** Cells of an omitted column are null, and all those of a row that is not chosen. */
function rowsOf(
  table: TableSchema,
  { columns, chosen }: RowGroup,
  start: number,
  end: number,
): Row[] {
  const cells = table.columns.map(({ name }) => [name, columns.get(name)] as const);
  const blank = chosen && Object.fromEntries(cells.map(([name]) => [name, null]));
  const rows: Row[] = [];
  for (let at = start; at < end; at++) {
    if (blank && chosen[at] !== 1) {
      rows.push(blank);
      continue;
    }
    const row: Record<string, CellValue> = {};
    for (const [name, values] of cells) row[name] = values?.[at] ?? null;
    rows.push(row);
  }
  return rows;
}
