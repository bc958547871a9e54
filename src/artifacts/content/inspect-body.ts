/** Looks at a body as it streams by: what it is, how large a table or an image it holds, and whether it can be the file. */
import type { CsvShape } from './csv-scanner.js';
import { CsvInspector } from './inspect-csv.js';
import { inspectImage, type ImageShape } from './inspect-image.js';
import { judgeContent, type ContentVerdict } from './judge-content.js';
import { PictureEnd } from './picture-end.js';
import { sniff, type SniffedType } from './sniff.js';

interface BodyFacts {
  readonly type: SniffedType;
  readonly csv: CsvShape | null;
  readonly image: ImageShape | null;
  readonly verdict: ContentVerdict;
}

export interface BodyInspector {
  write(chunk: Uint8Array): void;
  end(): Promise<BodyFacts>;
}

/** A JPEG may carry several 64 KiB blocks of metadata before it says its size. */
const HEAD_BYTES = 512 * 1024;
/** What a document's last tag stands in. */
const TAIL_BYTES = 1024;

/**
 * @param kind the block's type: rows are counted of a TABLE only
 * @param named the extension in the URL's path, in lower case, without its dot
 */
export function createBodyInspector(kind: string, named = ''): BodyInspector {
  const csv = kind === 'TABLE' ? new CsvInspector() : undefined;
  const pictureEnd = new PictureEnd();
  const headChunks: Uint8Array[] = [];
  let headBytes = 0;
  let bytes = 0;
  let tail = Buffer.alloc(0);

  return {
    write(chunk) {
      bytes += chunk.length;
      if (headBytes < HEAD_BYTES) {
        const part = chunk.subarray(0, HEAD_BYTES - headBytes);
        headChunks.push(part);
        headBytes += part.length;
      }
      tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
      pictureEnd.write(chunk);
      csv?.write(chunk);
    },

    async end() {
      const head = Buffer.concat(headChunks);
      const isWhole = bytes === headBytes;
      const type = await sniff(head, { kind, isWhole });
      const shape = csv?.end() ?? null;
      const csvShape = type.mediaType === 'text/csv' ? shape : null;
      const image = inspectImage(head, type.mediaType);
      const isCut =
        type.mediaType === 'image/svg+xml' ? !endsSvg(head, tail) : pictureEnd.isWhole === false;
      const verdict = judgeContent({
        kind,
        named,
        type,
        head,
        isWhole,
        csv: csvShape,
        image,
        isCut,
      });
      return { type, csv: csvShape, image, verdict };
    },
  };
}

/** Without a look at what is between: an SVG is closed in its last bytes, or is one empty tag. */
function endsSvg(head: Buffer, tail: Buffer): boolean {
  const [start, end] = [head, tail].map((bytes) => bytes.toString('latin1').replaceAll('\0', ''));
  return /<\/(?:[\w.-]+:)?svg\s*>/i.test(end ?? '') || /<svg[^<>]*\/>\s*$/i.test(start ?? '');
}
