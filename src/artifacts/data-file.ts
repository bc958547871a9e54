/** Stores the file that a `data:` URL contains, as if it had been downloaded. */
import { formatByteSize } from '../base/byte-size.js';
import type { Storage } from '../storage/storage.js';
import type { FileOutcome } from './artifact-fetcher.js';
import { BodyInspector } from './content/inspect-body.js';
import { charsetIn } from './content/text-encoding.js';
import { storedFile } from './receive.js';

export interface DataFileOptions {
  readonly storage: Pick<Storage, 'stage'>;
  readonly maxFileBytes: number;
}

/**
 * What would be refused of a host is stored and suspicious: no other bytes will come.
 *
 * @param kind the block's type
 * @throws the storage's own errors
 */
export async function storeDataFile(
  url: string,
  kind: string,
  { storage, maxFileBytes }: DataFileOptions,
): Promise<FileOutcome> {
  const content = await contentOf(url);
  if (content === undefined) {
    return { status: 'rejected', reason: 'the data: URL cannot be decoded' };
  }
  const { bytes, type } = content;
  if (bytes.length > maxFileBytes) {
    const reason = `the file in the data: URL is larger than ${formatByteSize(maxFileBytes)} (--max-file-size)`;
    return { status: 'rejected', reason };
  }
  const inspector = new BodyInspector(kind, '', charsetIn(type));
  inspector.write(bytes);
  const facts = await inspector.end();
  const staged = await storage.stage({ expectedBytes: bytes.length });
  try {
    await staged.write(bytes);
    const digest = await staged.close();
    const { refused, suspicious } = facts.verdict;
    return storedFile(staged, digest, facts, { sentName: null, suspicious: refused ?? suspicious });
  } catch (error) {
    await staged.discard();
    throw error;
  }
}

/** The content as the Fetch Standard reads it, which asks nobody; undefined where it cannot be decoded. */
async function contentOf(
  url: string,
): Promise<{ readonly bytes: Uint8Array; readonly type: string } | undefined> {
  try {
    const response = await fetch(url.trim());
    const type = response.headers.get('content-type') ?? '';
    return { bytes: new Uint8Array(await response.arrayBuffer()), type };
  } catch {
    return undefined;
  }
}
