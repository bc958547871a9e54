/** Opens the storage of an archive's location, a directory or a bucket prefix. */
import { resolve } from 'node:path';
import type { Logger } from '../base/logger.js';
import { UsageError } from '../base/error.js';
import { createLocalStorage } from './local/local-storage.js';
import { assertS3Options, type S3Options, parseS3Location } from './s3/s3-options.js';
import type { Storage, Guards } from './storage.js';
import type { S3Storage, S3StorageOptions } from './s3/s3-storage.js';

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
