/** Turns what a user names as an archive's place into a storage. */
import { resolve } from 'node:path';
import { UsageError } from '../base/usage-error.js';
import { createLazyS3Storage } from './s3/lazy-s3-storage.js';
import { createLocalStorage } from './local/local-storage.js';
import { assertS3Options, type S3Options } from './s3/s3-options.js';
import type { Storage } from './storage.js';

/** How an archive's place is reached; nothing of it matters to a directory. */
export interface StorageOptions {
  /** For `s3://` places. */
  readonly s3?: S3Options | undefined;
}

/**
 * Sends nothing and touches nothing yet.
 *
 * @param location a directory (relative ones count from the working directory) or `s3://bucket/prefix`
 * @throws {UsageError} a kind of place that this version cannot use, or options that make no sense
 */
export function openStorage(location: string, options: StorageOptions = {}): Storage {
  const scheme = schemeOf(location);
  if (scheme === 's3') {
    const { s3 = {} } = options;
    assertS3Options(s3, Date.now());
    return createLazyS3Storage({ ...s3, location });
  }
  if (scheme !== undefined) {
    throw new UsageError(
      `${scheme}:// cannot hold an archive in this version; allowed is a directory or s3://bucket/prefix`,
    );
  }
  if (location === '') {
    throw new UsageError('the archive has no place; allowed is a directory or s3://bucket/prefix');
  }
  return createLocalStorage({ directory: resolve(location) });
}

/** `s3` of a bucket; undefined of a directory. */
export function schemeOf(location: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase();
}
