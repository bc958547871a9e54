/** Reads an object of the archive and holds it against what its commit says of it. */
import { createHash } from 'node:crypto';
import { readToEnd } from '../../base/read-to-end.js';
import type { ByteSource } from '../../formats/format.js';
import { IntegrityError } from '../verify/integrity-error.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { Storage } from '../../storage/storage.js';

export interface NamedObject {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The object's bytes in any order, unchecked: for what reads a file after `checkObject`. */
export function storedBytes(
  storage: Pick<Storage, 'read'>,
  { path, bytes }: Pick<NamedObject, 'path' | 'bytes'>,
): ByteSource {
  return { bytes, read: (range) => storage.read(path, range) };
}

/**
 * Streams the object.
 *
 * @throws {IntegrityError} it is missing or not what the commit names; known for sure only after the
 *   last chunk, so that nothing may be kept of what came before
 */
export async function* readChecked(
  storage: Pick<Storage, 'read'>,
  { path, bytes, sha256 }: NamedObject,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let length = 0;
  try {
    for await (const chunk of storage.read(path)) {
      hash.update(chunk);
      length += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof ObjectNotFoundError)) throw error;
    throw new IntegrityError(path, 'missing', 'is missing', { cause: error });
  }
  if (length !== bytes) {
    throw new IntegrityError(path, 'size', `has ${length} bytes instead of ${bytes}`);
  }
  if (hash.digest('hex') !== sha256) {
    throw new IntegrityError(path, 'digest', 'is damaged: its SHA-256 has changed');
  }
}

/** Reads it for nothing but its digest. @throws {IntegrityError} as `readChecked` */
export async function checkObject(
  storage: Pick<Storage, 'read'>,
  object: NamedObject,
  signal?: AbortSignal,
): Promise<void> {
  await readToEnd(readChecked(storage, object), signal);
}
