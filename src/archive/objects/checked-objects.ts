/** Reads objects of the archive, and compares size and SHA-256 with the commit. */
import { createHash } from 'node:crypto';
import { concurrently } from '../../base/concurrently.js';
import { readToEnd } from '../../base/gunzipped.js';
import type { ByteSource } from '../../formats/format.js';
import { IntegrityError } from '../archive-errors.js';
import type { HashThreads } from '../../storage/local/hash-threads.js';
import {
  makeTemporaryDirectory,
  type TemporaryDirectory,
} from '../../storage/local/temporary-directory.js';
import { ObjectNotFoundError, StorageError } from '../../storage/storage-errors.js';
import type { ByteRange, ContentDigest, StagedObject, Storage } from '../../storage/storage.js';

export interface NamedObject {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The object's bytes in any order, unchecked: for readers that have called `checkObject`. */
export function storedBytes(
  storage: Pick<Storage, 'read'>,
  { path, bytes }: Pick<NamedObject, 'path' | 'bytes'>,
): ByteSource {
  return { bytes, read: (range) => storage.read(path, range) };
}

/** Unchecked. @throws {IntegrityError} it is missing */
export async function* readNamed(
  storage: Pick<Storage, 'read'>,
  object: Pick<NamedObject, 'path'>,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  try {
    yield* storage.read(object.path, range);
  } catch (error) {
    throw missingOr(error, object);
  }
}

/**
 * Streams the object.
 *
 * @throws {IntegrityError} it is missing or damaged; damage may only be noticed after the last chunk, so the
 *   caller must not keep earlier chunks
 */
export async function* readChecked(
  storage: Pick<Storage, 'read'>,
  object: NamedObject,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readNamed(storage, object)) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    yield chunk;
  }
  assertSameContent(object, { bytes, sha256: hash.digest('hex') });
}

/**
 * Copies the object into a staged one and closes that, which hashes what is written.
 *
 * @throws {IntegrityError} as `readChecked`
 */
export async function copyChecked(
  storage: Pick<Storage, 'read'>,
  object: NamedObject,
  staged: Pick<StagedObject, 'write' | 'close'>,
  signal?: AbortSignal,
): Promise<void> {
  try {
    for await (const chunk of storage.read(object.path)) {
      signal?.throwIfAborted();
      await staged.write(chunk);
    }
  } catch (error) {
    throw missingOr(error, object);
  }
  assertSameContent(object, await staged.close());
}

const CHECKS_AT_ONCE = 4;
/** Objects up to this size are read into memory. */
const IN_MEMORY_BYTES = 8 * 1024 * 1024;

/** Its bytes can be read until it is disposed of. */
type CheckedBytes = ByteSource & AsyncDisposable;

/**
 * The object's bytes in any order, after all of them were compared with the log: what reads them sees no altered byte.
 * The storage is read once: a small object stays in memory, a large one in a temporary file. A large one is read again
 * where it is a file of this machine, or where there is no room for a temporary one.
 *
 * @throws {IntegrityError} as `readChecked`
 */
export async function checkedBytes(
  storage: Pick<Storage, 'read' | 'directory'>,
  object: NamedObject,
  signal?: AbortSignal,
): Promise<CheckedBytes> {
  if (object.bytes > IN_MEMORY_BYTES) {
    const kept =
      storage.directory === undefined && (await inTemporaryFile(storage, object, signal));
    if (kept) return kept;
    await checkObject(storage, object, signal);
    return { ...storedBytes(storage, object), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const bytes = new Uint8Array(object.bytes);
  let length = 0;
  for await (const chunk of readChecked(storage, object)) {
    signal?.throwIfAborted();
    // one that is longer than it should be is read to its end, which says how long it is
    if (length + chunk.byteLength <= bytes.byteLength) bytes.set(chunk, length);
    length += chunk.byteLength;
  }
  return {
    bytes: length,
    read: (range) => inMemory(bytes, range),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Undefined where the file cannot be made, or the storage cannot be read. */
async function inTemporaryFile(
  storage: Pick<Storage, 'read'>,
  object: NamedObject,
  signal: AbortSignal | undefined,
): Promise<CheckedBytes | undefined> {
  let temporary: TemporaryDirectory | undefined;
  try {
    const made = await makeTemporaryDirectory();
    temporary = made;
    const { storage: scratch } = made;
    const staged = await scratch.stage();
    await copyChecked(storage, object, staged, signal);
    return {
      bytes: object.bytes,
      read: (range) => staged.read(range),
      [Symbol.asyncDispose]: async () => {
        await staged.discard();
        await made.remove();
      },
    };
  } catch (error) {
    await temporary?.remove();
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- a source is read asynchronously, wherever it lies
async function* inMemory(
  bytes: Uint8Array,
  range?: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  yield range ? bytes.subarray(range.start, range.end) : bytes;
}

/** Reads the object to compare its digest. @throws {IntegrityError} as `readChecked` */
export async function checkObject(
  storage: Pick<Storage, 'read'>,
  object: NamedObject,
  signal?: AbortSignal,
): Promise<void> {
  await readToEnd(readChecked(storage, object), signal);
}

/**
 * Reads each of them, such as new files before what they replace may go: the store's answer to a write is not believed.
 *
 * @throws {IntegrityError} as `readChecked`
 */
export async function checkObjects(
  storage: Storage,
  objects: readonly NamedObject[],
  signal?: AbortSignal,
): Promise<void> {
  await concurrently(objects, CHECKS_AT_ONCE, (object) => checkObject(storage, object, signal));
}

/**
 * Reads and checks an object as `readChecked` does, in a thread.
 *
 * @returns false if there is none: nothing was read
 * @throws {IntegrityError} as `readChecked`
 */
export async function checkInThread(
  threads: Pick<HashThreads, 'digest'> | undefined,
  object: NamedObject,
): Promise<boolean> {
  try {
    const digest = await threads?.digest(object.path);
    if (digest) assertSameContent(object, digest);
    return digest !== undefined;
  } catch (error) {
    throw missingOr(error, object);
  }
}

/** @throws {IntegrityError} it is damaged */
export function assertSameContent(
  { path, bytes, sha256 }: NamedObject,
  found: ContentDigest,
): void {
  if (found.bytes !== bytes) {
    throw new IntegrityError(path, 'size', `has ${found.bytes} bytes instead of ${bytes}`);
  }
  if (found.sha256 !== sha256) {
    throw new IntegrityError(path, 'digest', 'is damaged: its SHA-256 differs');
  }
}

function missingOr(error: unknown, { path }: Pick<NamedObject, 'path'>): unknown {
  if (!(error instanceof ObjectNotFoundError)) return error;
  return new IntegrityError(path, 'missing', 'is missing', { cause: error });
}
