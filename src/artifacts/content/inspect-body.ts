/** Inspects a body as it streams by: its type, the size of its table or image, and whether it can be the file. */
import type { CsvShape } from './csv-scanner.js';
import { CsvInspector } from './inspect-csv.js';
import { inspectImage, type ImageShape } from './inspect-image.js';
import { judgeContent, type ContentVerdict } from './judge-content.js';
import { ImageEnd } from './image-end.js';
import { sniff, type SniffedType } from './sniff.js';

interface BodyFacts {
  readonly type: SniffedType;
  readonly csv: CsvShape | null;
  readonly image: ImageShape | null;
  readonly verdict: ContentVerdict;
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
  readonly #csv: CsvInspector | undefined;
  readonly #imageEnd = new ImageEnd();
  readonly #headChunks: Uint8Array[] = [];
  #headBytes = 0;
  #bytes = 0;
  #tail = Buffer.alloc(0);

  /**
   * @param kind the block's type: rows are counted for TABLE only
   * @param named the extension in the URL's path, in lower case, without its dot
   */
  constructor(kind: string, named = '') {
    this.#kind = kind;
    this.#named = named;
    this.#csv = kind === 'TABLE' ? new CsvInspector() : undefined;
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
    this.#csv?.write(chunk);
  }

  async end(): Promise<BodyFacts> {
    const [kind, named, head] = [this.#kind, this.#named, Buffer.concat(this.#headChunks)];
    const isWhole = this.#bytes === this.#headBytes;
    const type = await sniff(head, { kind, isWhole });
    const shape = this.#csv?.end() ?? null;
    const csv = type.mediaType === 'text/csv' ? shape : null;
    const image = inspectImage(head, type.mediaType);
    const isTruncated =
      type.mediaType === 'image/svg+xml'
        ? !endsSvg(head, this.#tail)
        : this.#imageEnd.isWhole === false;
    const verdict = judgeContent({ kind, named, type, head, isWhole, csv, image, isTruncated });
    return { type, csv, image, verdict, provesEnd: this.#imageEnd.provesEnd };
  }
}

/** Checks only the ends: an SVG closes in its last bytes, or is one empty tag. */
function endsSvg(head: Buffer, tail: Buffer): boolean {
  const [start, end] = [head, tail].map((bytes) => bytes.toString('latin1').replaceAll('\0', ''));
  return /<\/(?:[\w.-]+:)?svg\s*>/i.test(end ?? '') || /<svg[^<>]*\/>\s*$/i.test(start ?? '');
}
