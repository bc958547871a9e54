/** Inspects a body as it streams by: its type, the size of its table or image, and whether it can be the file. */
import type { CsvShape } from './csv-records.js';
import { TableInspector, type TableFacts } from './table-inspector.js';
import { textEncodingOf } from './text-encoding.js';
import { ImageEnd } from './image-end.js';
import { sniff, type SniffedType } from './sniff.js';
import { type ImageShape, inspectImage } from './image-shape.js';
import { type ContentVerdict, classifyContent } from './judge-content.js';

export interface BodyFacts {
  readonly type: SniffedType;
  /** The facts of a TABLE that is a text. */
  readonly table: TableFacts | null;
  /** The shape of a CSV that can be read to its end. */
  readonly csv: CsvShape | null;
  readonly image: ImageShape | null;
  readonly verdict: ContentVerdict;
  /** Whether it is an image that ends too soon for its format. */
  readonly isTruncated: boolean;
  /** Whether it is an image that ends where its own format says. */
  readonly provesEnd: boolean;
}

/** A JPEG may have several 64 KiB blocks of metadata before its size. */
const HEAD_BYTES = 512 * 1024;
/** Enough for a document's last tag. */
const TAIL_BYTES = 1024;

export class BodyInspector {
  readonly #kind: string;
  readonly #named: string;
  readonly #charset: string | null;
  readonly #table: TableInspector | undefined;
  readonly #imageEnd = new ImageEnd();
  readonly #headChunks: Uint8Array[] = [];
  #headBytes = 0;
  #bytes = 0;
  #tail = Buffer.alloc(0);

  /**
   * @param kind the block's type: rows are counted for TABLE only
   * @param named the extension in the URL's path, in lower case, without its dot
   * @param charset of the response; null without one
   */
  constructor(kind: string, named = '', charset: string | null = null) {
    this.#kind = kind;
    this.#named = named;
    this.#charset = charset;
    this.#table = kind === 'TABLE' ? new TableInspector(charset) : undefined;
  }

  write(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#headBytes < HEAD_BYTES) {
      const part = chunk.subarray(0, HEAD_BYTES - this.#headBytes);
      this.#headChunks.push(part);
      this.#headBytes += part.length;
    }
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
    this.#imageEnd.write(chunk);
    this.#table?.write(chunk);
  }

  async end(): Promise<BodyFacts> {
    const [kind, named, head] = [this.#kind, this.#named, Buffer.concat(this.#headChunks)];
    const isWhole = this.#bytes === this.#headBytes;
    const table = this.#table?.end() ?? null;
    const encoding = this.#table
      ? (table?.encoding ?? null)
      : textEncodingOf(head, { charset: this.#charset, isWhole });
    const type = await sniff(head, { kind, isWhole, encoding });
    const csv = type.mediaType === 'text/csv' ? (table?.shape ?? null) : null;
    const image = inspectImage(head, type.mediaType);
    const isTruncated =
      type.mediaType === 'image/svg+xml'
        ? !endsSvg(head, this.#tail)
        : this.#imageEnd.isWhole === false;
    const facts = { kind, named, type, head, encoding, isWhole, csv, image, isTruncated };
    const verdict = classifyContent(facts);
    return {
      type,
      table,
      csv,
      image,
      verdict,
      isTruncated,
      provesEnd: this.#imageEnd.provesEnd,
    };
  }
}

/** Checks only the ends: an SVG closes in its last bytes, or is one empty tag. */
function endsSvg(head: Buffer, tail: Buffer): boolean {
  const [start, end] = [head, tail].map((bytes) => bytes.toString('latin1').replaceAll('\0', ''));
  return /<\/(?:[\w.-]+:)?svg\s*>/i.test(end ?? '') || /<svg[^<>]*\/>\s*$/i.test(start ?? '');
}
