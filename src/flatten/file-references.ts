/** Which of an answer's blocks point to files: TABLE, IMAGE, and any other whose content has a `url`. */
import { asObject } from '../model/records.js';
import { parseTimestamp } from '../model/timestamp.js';
import type { Block } from './job-blocks.js';

export interface FileReference {
  readonly blockIndex: number;
  /** The block's type; empty where it has none. */
  readonly kind: string;
  readonly name: string | null;
  /** A URL or a bare storage key, as sent; null where a TABLE or IMAGE holds neither. */
  readonly url: string | null;
  readonly expiresAt: bigint | null;
}

const FILE_TYPES: ReadonlySet<string> = new Set(['TABLE', 'IMAGE']);

export function fileReferences(blocks: readonly Block[]): FileReference[] {
  return blocks.flatMap((block) => {
    if (block.role !== 'answer') return [];
    const content = asObject(block.content);
    const url = content ? content['url'] : block.content;
    const isFileType = block.type !== null && FILE_TYPES.has(block.type);
    // an empty `url` promises no file, except where there must be one
    if (!isFileType && (!content || typeof url !== 'string' || url === '')) return [];
    return [
      {
        blockIndex: block.index,
        kind: block.type ?? '',
        name: typeof content?.['name'] === 'string' ? content['name'] : null,
        url: typeof url === 'string' && url !== '' ? url : null,
        expiresAt: expiryOf(content?.['expires_at']),
      },
    ];
  });
}

function expiryOf(value: unknown): bigint | null {
  return typeof value === 'string' ? (parseTimestamp(value) ?? null) : null;
}
