/** Opens the storage of an archive's location, a directory or a bucket prefix, and checks whether it is writable. */
import { tmpdir } from 'node:os';
import { resolve, dirname, join } from 'node:path';
import type { Logger } from '../base/logger.js';
import { UsageError, codeOf, JobvaultError } from '../base/error.js';
import { createLocalStorage } from './local/local-storage.js';
import { assertS3Options, type S3Options } from './s3/s3-options.js';
import { parseS3Location } from './s3/s3-location.js';
import type { Storage } from './storage.js';
import { access, constants, mkdtemp, open, readFile, rm, stat, statfs } from 'node:fs/promises';
import { localFailure } from './local/local-failure.js';
import { StorageError } from './storage-errors.js';

/** How a bucket is reached; a directory needs none of these. */
export interface StorageOptions {
  /** For `s3://` places. */
  readonly s3?: S3Options | undefined;
}

/**
 * Does not send a request or touch a file yet. The S3 adapter is loaded when it is needed: it is large, and most archives
 * are on a disk.
 *
 * @param location a directory (relative ones count from the working directory) or `s3://bucket/prefix`
 * @param logger hears of requests that have failed for seconds and are tried again
 * @throws {UsageError} as `checkPlace`
 */
export async function openStorage(
  location: string,
  options: StorageOptions = {},
  logger?: Logger,
): Promise<Storage> {
  checkPlace(location, options);
  if (schemeOf(location) === undefined) return createLocalStorage({ directory: resolve(location) });
  const { createS3Storage } = await import('./s3/s3-storage.js');
  return createS3Storage({ ...options.s3, location, logger });
}

/** @throws {UsageError} an unsupported kind of location, or invalid options */
export function checkPlace(location: string, { s3 = {} }: StorageOptions = {}): void {
  const scheme = schemeOf(location);
  if (scheme === 's3') {
    assertS3Options(s3, Date.now());
    parseS3Location(location);
    return;
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
}

/** `s3` for a bucket; undefined for a directory. */
export function schemeOf(location: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase();
}

/** What is found of an archive's place, which is left unchanged. */
export interface PlaceProbe {
  /** The place, for people and messages. */
  readonly location: string;
  /** Free space for this user, where what is written stands until it is published. */
  readonly freeBytes: number;
  /** The directory of that space. Of a bucket: this machine's, for what waits to be uploaded. */
  readonly waitingIn: string;
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
  const storage = await openStorage(location, options);
  try {
    if (!/^s3:/i.test(location)) return await probeDirectory(resolve(location));
    // object lock does not apply to leases, so the object can be removed
    const path = `_leases/${name}`;
    await storage.put(path, CONTENT);
    const read = await storage.get(path);
    await storage.delete(path);
    assertSame(read, storage.location);
    const unsafe = await probeExclusion(storage, `${path}-once`);
    const waitingIn = tmpdir();
    return {
      location: storage.location,
      freeBytes: await freeBytesIn(waitingIn),
      waitingIn,
      unsafe,
    };
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
    return { location, freeBytes: await freeBytesIn(parent), waitingIn: location, unsafe };
  } catch (error) {
    throw localFailure('write', 'a file', location, error);
  } finally {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }
}

async function freeBytesIn(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
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
