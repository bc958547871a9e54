/** Writes a column chunk: its dictionary page, its data pages, and its metadata for the footer. */
import type { ColumnChunk, Encoding, SchemaElement, Statistics } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { unconvertMinMax } from 'hyparquet-writer/src/unconvert.js';
import type { ColumnContent } from './column-buffer.js';
import type { ParquetCodecName } from './parquet-codec.js';

const PAGE_BYTES = 1 << 20;

export interface ChunkOptions {
  readonly element: SchemaElement;
  readonly codec: ParquetCodecName;
  /** Returns bytes of its own. Undefined: pages are not compressed, but copied, since the buffer is reused. */
  readonly compress: ((page: Uint8Array) => Uint8Array) | undefined;
}

export function writeColumnChunk(
  writer: ByteWriter,
  content: ColumnContent,
  options: ChunkOptions,
): ColumnChunk {
  return new ChunkWriter(writer, content, options).write();
}

class ChunkWriter {
  readonly #writer: ByteWriter;
  readonly #content: ColumnContent;
  readonly #options: ChunkOptions;
  /** Page headers, and pages before compression. */
  #uncompressedBytes = 0;
  #pages = 0;

  constructor(writer: ByteWriter, content: ColumnContent, options: ChunkOptions) {
    this.#writer = writer;
    this.#content = content;
    this.#options = options;
  }

  write(): ColumnChunk {
    const { element, codec } = this.#options;
    const { type = 'BYTE_ARRAY', name } = element;
    const start = BigInt(this.#writer.offset);
    const hasDictionary = this.#content.indexes !== undefined;
    if (hasDictionary) this.#writeDictionary();
    const dataStart = BigInt(this.#writer.offset);
    const encoding = this.#writeData();
    return {
      file_offset: start,
      meta_data: {
        type,
        encodings: hasDictionary ? ['PLAIN', encoding] : [encoding],
        path_in_schema: [name],
        codec,
        num_values: BigInt(this.#content.definitionLevels.length),
        total_compressed_size: BigInt(this.#writer.offset) - start,
        total_uncompressed_size: BigInt(this.#uncompressedBytes),
        data_page_offset: dataStart,
        ...(hasDictionary ? { dictionary_page_offset: start } : {}),
        statistics: this.#statistics(),
        encoding_stats: [
          ...(hasDictionary
            ? [{ page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: 1 } as const]
            : []),
          { page_type: 'DATA_PAGE_V2', encoding, count: this.#pages },
        ],
      },
    };
  }

  #writeDictionary(): void {
    const { values, starts } = this.#content;
    const page = values.view(0, values.end);
    const compressed = this.#options.compress?.(page) ?? page.slice();
    this.#counted(page.byteLength, () =>
      writePageHeader(this.#writer, {
        type: 'DICTIONARY_PAGE',
        uncompressed_page_size: page.byteLength,
        compressed_page_size: compressed.byteLength,
        dictionary_page_header: { num_values: starts.length, encoding: 'PLAIN' },
      }),
    );
    this.#writer.appendBytes(compressed);
  }

  #writeData(): Encoding {
    const { definitionLevels, indexes, starts } = this.#content;
    if (indexes) {
      this.#writePage(
        definitionLevels,
        indexes.length,
        'RLE_DICTIONARY',
        packedIndexes(indexes, starts.length),
      );
      return 'RLE_DICTIONARY';
    }
    if (this.#options.element.type === 'BOOLEAN') {
      this.#writePage(definitionLevels, starts.length, 'PLAIN', this.#packedBooleans());
      return 'PLAIN';
    }
    this.#writePlainPages();
    return 'PLAIN';
  }

  /** A page ends with the value that makes it larger than `PAGE_BYTES`. */
  #writePlainPages(): void {
    const { definitionLevels, values, starts } = this.#content;
    let [firstRow, firstValue, value] = [0, 0, 0];
    const close = (row: number): void => {
      const page = values.view(starts[firstValue] ?? values.end, starts[value] ?? values.end);
      this.#writePage(definitionLevels.subarray(firstRow, row), value - firstValue, 'PLAIN', page);
      [firstRow, firstValue] = [row, value];
    };
    for (let row = 0; row < definitionLevels.length; row++) {
      if (definitionLevels[row] === 0) continue;
      value++;
      const end = starts[value] ?? values.end;
      if (end - (starts[firstValue] ?? 0) >= PAGE_BYTES) close(row + 1);
    }
    if (firstRow < definitionLevels.length) close(definitionLevels.length);
  }

  #writePage(
    definitionLevels: Uint32Array,
    values: number,
    encoding: Encoding,
    page: Uint8Array,
  ): void {
    const levels = new ByteWriter();
    if (this.#options.element.repetition_type === 'OPTIONAL') {
      writeRleBitPackedHybrid(levels, definitionLevels, 1);
    }
    const compressed = this.#options.compress?.(page) ?? page.slice();
    this.#pages++;
    this.#counted(levels.offset + page.byteLength, () =>
      writePageHeader(this.#writer, {
        type: 'DATA_PAGE_V2',
        uncompressed_page_size: levels.offset + page.byteLength,
        compressed_page_size: levels.offset + compressed.byteLength,
        data_page_header_v2: {
          num_values: definitionLevels.length,
          num_nulls: definitionLevels.length - values,
          num_rows: definitionLevels.length,
          encoding,
          definition_levels_byte_length: levels.offset,
          repetition_levels_byte_length: 0,
          is_compressed: true,
        },
      }),
    );
    this.#writer.appendBytes(levels.getBytes());
    this.#writer.appendBytes(compressed);
  }

  #counted(pageBytes: number, writeHeader: () => void): void {
    const before = this.#writer.offset;
    writeHeader();
    this.#uncompressedBytes += this.#writer.offset - before + pageBytes;
  }

  /** PLAIN booleans: eight a byte, the least significant bit first. */
  #packedBooleans(): Uint8Array {
    const { values, starts } = this.#content;
    const bits = new Uint8Array(Math.ceil(starts.length / 8));
    for (const [index, start] of starts.entries()) {
      bits[index >> 3] = (bits[index >> 3] ?? 0) | (values.int32At(start) << (index & 7));
    }
    return bits;
  }

  /** Long bounds of text are shortened. All are copied, since the buffer is reused for the next row group. */
  #statistics(): Statistics {
    const { definitionLevels, indexes, starts } = this.#content;
    const present = indexes?.length ?? starts.length;
    const statistics: Statistics = { null_count: BigInt(definitionLevels.length - present) };
    if (starts.length === 0) return statistics;
    const { element } = this.#options;
    const { type } = element;
    const { values } = this.#content;
    if (type === 'BYTE_ARRAY') {
      const inOrder = (a: number, b: number): number => values.compareTexts(a, b);
      const [first, last] = boundsOf(starts, (start) => start, inOrder);
      const [least, greatest] = [values.utf8At(first), values.utf8At(last)];
      // returns the same array if nothing had to be shortened
      const lower = unconvertMinMax(least, element, false) ?? least;
      const upper = unconvertMinMax(greatest, element, true) ?? greatest;
      statistics.min_value = Uint8Array.from(lower);
      statistics.max_value = Uint8Array.from(upper);
      if (lower !== least) statistics.is_min_value_exact = false;
      if (upper !== greatest) statistics.is_max_value_exact = false;
    } else if (type === 'INT64') {
      const int64 = (start: number): bigint => values.int64At(start);
      [statistics.min_value, statistics.max_value] = boundsOf(starts, int64, compareNumbers);
    } else {
      const int32 = (start: number): number => values.int32At(start);
      [statistics.min_value, statistics.max_value] = boundsOf(starts, int32, compareNumbers);
    }
    return statistics;
  }
}

/** The bit width, then the indexes in the hybrid of run-length encoding and bit packing. */
function packedIndexes(indexes: Uint32Array, dictionarySize: number): Uint8Array {
  const page = new ByteWriter();
  const bits = Math.ceil(Math.log2(dictionarySize));
  page.appendUint8(bits);
  writeRleBitPackedHybrid(page, indexes, bits);
  return page.getBytes();
}

function boundsOf<T>(
  starts: Uint32Array,
  read: (start: number) => T,
  compare: (a: T, b: T) => number,
): [least: T, greatest: T] {
  let least = read(starts[0] ?? 0);
  let greatest = least;
  for (const start of starts) {
    const value = read(start);
    if (compare(value, least) < 0) least = value;
    else if (compare(value, greatest) > 0) greatest = value;
  }
  return [least, greatest];
}

function compareNumbers<T extends number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
