/** Opens the storage of an archive's location, a directory or a bucket prefix. */
import { resolve } from 'node:path';
import type { Logger } from '../base/logger.js';
import { UsageError } from '../base/usage-error.js';
import { createLazyS3Storage } from './s3/lazy-s3-storage.js';
import { createLocalStorage } from './local/local-storage.js';
import { assertS3Options, type S3Options } from './s3/s3-options.js';
import type { Storage } from './storage.js';

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
