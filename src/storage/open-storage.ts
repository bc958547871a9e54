/** Opens the storage of an archive's location, a directory or a bucket prefix, and checks whether it is writable. */
import { resolve, dirname, join } from 'node:path';
import type { Logger } from '../base/logger.js';
import { UsageError, codeOf, JobvaultError } from '../base/error.js';
import { createLocalStorage } from './local/local-storage.js';
import { assertS3Options, type S3Options, parseS3Location } from './s3/s3-options.js';
import type { Storage, Guards } from './storage.js';
import type { S3Storage, S3StorageOptions } from './s3/s3-storage.js';
import { access, constants, mkdtemp, open, readFile, rm, stat, statfs } from 'node:fs/promises';
import { localFailure } from './local/file-system.js';
import { StorageError } from './storage-errors.js';

/** How a bucket is reached; a directory needs none of these. */
export interface StorageOptions {
  /** For `s3://` places. */
  readonly s3?: S3Options | undefined;
}

/**
 * Does not send a request or touch a file yet.
 *
 * @param location a directory (relative ones count from the working directory) or `s3://bucket/prefix`
 * @param logger hears of requests that have failed for seconds and are tried again
 * @throws {UsageError} an unsupported kind of location, or invalid options
 */
export function openStorage(
  location: string,
  options: StorageOptions = {},
  logger?: Logger,
): Storage {
  const scheme = schemeOf(location);
  if (scheme === 's3') {
    const { s3 = {} } = options;
    assertS3Options(s3, Date.now());
    return createLazyS3Storage({ ...s3, location, logger });
  }
  if (scheme !== undefined) {
    throw new UsageError(
      `${scheme}:// is not supported; allowed is a directory or s3://bucket/prefix`,
    );
  }
  if (location === '') {
    throw new UsageError(
      'the location of the archive is empty; allowed is a directory or s3://bucket/prefix',
    );
  }
  return createLocalStorage({ directory: resolve(location) });
}

/** `s3` for a bucket; undefined for a directory. */
export function schemeOf(location: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase();
}

/** Loads the S3 adapter on first use: it is large, and most archives are on a disk. */

/** @throws {UsageError} the location is invalid */
function createLazyS3Storage(options: S3StorageOptions): Storage {
  const { location } = options;
  parseS3Location(location);
  let loading: Promise<S3Storage> | undefined;
  const load = (): Promise<S3Storage> =>
    (loading ??= import('./s3/s3-storage.js').then((module) => module.createS3Storage(options)));
  const guards: Guards = {
    canRetain: async () => (await load()).guards.canRetain(),
    retentionOf: async (path) => (await load()).guards.retentionOf(path),
    hidden: (prefix) => later(async () => (await load()).guards.hidden(prefix)),
  };
  return {
    location,
    guards,
    stage: async (given) => (await load()).stage(given),
    put: async (path, bytes) => (await load()).put(path, bytes),
    putIfAbsent: async (path, bytes) => (await load()).putIfAbsent(path, bytes),
    compareAndSwap: async (path, seen, bytes) => (await load()).compareAndSwap(path, seen, bytes),
    get: async (path) => (await load()).get(path),
    read: (path, range) => later(async () => (await load()).read(path, range)),
    stat: async (path) => (await load()).stat(path),
    list: (prefix, given) => later(async () => (await load()).list(prefix, given)),
    delete: async (path) => (await load()).delete(path),
    keepsDeleted: async () => (await load()).keepsDeleted(),
    sweep: async () => (await load()).sweep(),
    close: async () => (await loading)?.close(),
  };
}

async function* later<T>(open: () => Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await open();
}

/** Checks whether an archive's place is writable; leaves it unchanged. */
interface PlaceProbe {
  /** The place, for people and messages. */
  readonly location: string;
  /** Free space for this user; null if there is no such limit, as in a bucket. */
  readonly freeBytes: number | null;
  /** Why two runs could overwrite each other's commits there; undefined where one of them is refused. */
  readonly unsafe: JobvaultError | undefined;
}

const CONTENT = Buffer.from('jobvault was here\n');
const OTHERS = Buffer.from('another run was here\n');

/**
 * Writes a small object, reads it back and removes it; and writes one twice, of which the second must be refused.
 *
 * @param name of the object, unique to this run
 * @throws {StorageError} naming the place and the operation that failed
 * @throws {UsageError} it cannot hold an archive
 */
export async function probePlace(
  location: string,
  options: StorageOptions,
  name: string,
): Promise<PlaceProbe> {
  const storage = openStorage(location, options);
  try {
    if (!/^s3:/i.test(location)) return await probeDirectory(resolve(location));
    // object lock does not apply to leases, so the object can be removed
    const path = `_leases/${name}`;
    await storage.put(path, CONTENT);
    const read = await storage.get(path);
    await storage.delete(path);
    assertSame(read, storage.location);
    const unsafe = await probeExclusion(storage, `${path}-once`);
    return { location: storage.location, freeBytes: null, unsafe };
  } finally {
    await storage.close();
  }
}

/** The log rests on it: of two writers of the same commit one is refused. */
async function probeExclusion(storage: Storage, path: string): Promise<JobvaultError | undefined> {
  try {
    const isFirst = await storage.putIfAbsent(path, CONTENT);
    const isSecond = await storage.putIfAbsent(path, OTHERS);
    if (isFirst && !isSecond && CONTENT.equals(await storage.get(path))) return undefined;
    const text = `${storage.location} replaces an object that was to be written only where there is none`;
    return new StorageError(text, { trouble: 'conditions' });
  } catch (error) {
    if (error instanceof JobvaultError) return error;
    throw error;
  } finally {
    await storage.delete(path);
  }
}

/** For a missing directory, the nearest existing one above it. */
async function probeDirectory(location: string): Promise<PlaceProbe> {
  let directory: string | undefined;
  try {
    const parent = await existing(location);
    await access(parent, constants.W_OK);
    directory = await mkdtemp(join(parent, '.jobvault-probe-'));
    const path = join(directory, 'probe');
    const file = await open(path, 'wx');
    await file.writeFile(CONTENT);
    await file.sync();
    await file.close();
    assertSame(await readFile(path), location);
    const storage = createLocalStorage({ directory: join(directory, 'archive') });
    const unsafe = await probeExclusion(storage, '_leases/once').finally(() => storage.close());
    const { bavail, bsize } = await statfs(parent);
    return { location, freeBytes: bavail * bsize, unsafe };
  } catch (error) {
    throw localFailure('write', 'a file', location, error);
  } finally {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }
}

async function existing(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return path;
    throw new StorageError(`${path} is a file; an archive needs a directory`, { trouble: 'path' });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return existing(dirname(path));
  }
}

function assertSame(read: Uint8Array, location: string): void {
  if (CONTENT.equals(read)) return;
  throw new StorageError(`${location} returns other bytes than were written`);
}
