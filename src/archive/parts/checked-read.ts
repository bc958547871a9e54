/** Reads an object of the archive and holds it against what its commit says of it. */
import { createHash } from 'node:crypto';
import { readToEnd } from '../../base/read-to-end.js';
import type { ByteSource } from '../../formats/format.js';
import { IntegrityError } from '../verify/integrity-error.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { ContentDigest, Storage } from '../../storage/storage.js';

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
  object: NamedObject,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of storage.read(object.path)) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    throw missingOr(error, object);
  }
  assertSame(object, { bytes, sha256: hash.digest('hex') });
}

/** Reads it for nothing but its digest. @throws {IntegrityError} as `readChecked` */
export async function checkObject(
  storage: Pick<Storage, 'read'>,
  object: NamedObject,
  signal?: AbortSignal,
): Promise<void> {
  await readToEnd(readChecked(storage, object), signal);
}

/**
 * Likewise, in a thread of the storage's own.
 *
 * @returns false where it has none: nothing was read then
 * @throws {IntegrityError} as `readChecked`
 */
export async function checkInThread(
  storage: Pick<Storage, 'digest'>,
  object: NamedObject,
): Promise<boolean> {
  try {
    const digest = await storage.digest?.(object.path);
    if (digest) assertSame(object, digest);
    return digest !== undefined;
  } catch (error) {
    throw missingOr(error, object);
  }
}

function assertSame({ path, bytes, sha256 }: NamedObject, found: ContentDigest): void {
  if (found.bytes !== bytes) {
    throw new IntegrityError(path, 'size', `has ${found.bytes} bytes instead of ${bytes}`);
  }
  if (found.sha256 !== sha256) {
    throw new IntegrityError(path, 'digest', 'is damaged: its SHA-256 has changed');
  }
}

function missingOr(error: unknown, { path }: NamedObject): unknown {
  if (!(error instanceof ObjectNotFoundError)) return error;
  return new IntegrityError(path, 'missing', 'is missing', { cause: error });
}
