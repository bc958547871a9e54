/** Looks at a body as it streams by: what it is, and how large a table or an image it holds. */
import { createCsvInspector, type CsvShape } from './inspect-csv.js';
import { inspectImage, type ImageShape } from './inspect-image.js';
import { sniff, type SniffedType } from './sniff.js';

interface BodyFacts {
  readonly type: SniffedType;
  readonly csv: CsvShape | null;
  readonly image: ImageShape | null;
}

export interface BodyInspector {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<BodyFacts>;
}

/** A JPEG may carry several 64 KiB blocks of metadata before it says its size. */
const HEAD_BYTES = 512 * 1024;

/** @param kind the block's type: rows are counted of a TABLE only */
export function createBodyInspector(kind: string): BodyInspector {
  const csv = kind === 'TABLE' ? createCsvInspector() : undefined;
  const headChunks: Uint8Array[] = [];
  let headBytes = 0;
  let bytes = 0;

  return {
    async write(chunk) {
      bytes += chunk.length;
      if (headBytes < HEAD_BYTES) {
        const part = chunk.subarray(0, HEAD_BYTES - headBytes);
        headChunks.push(part);
        headBytes += part.length;
      }
      await csv?.write(chunk);
    },

    async end() {
      const head = Buffer.concat(headChunks);
      const type = await sniff(head, { kind, isWhole: bytes === headBytes });
      const shape = (await csv?.end()) ?? null;
      return {
        type,
        csv: type.mediaType === 'text/csv' ? shape : null,
        image: inspectImage(head, type.mediaType),
      };
    },
  };
}
