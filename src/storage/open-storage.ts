/** Turns what a user names as an archive's place into a storage. */
import { resolve } from 'node:path';
import { UsageError } from '../base/usage-error.js';
import { createLocalStorage } from './local-storage.js';
import type { Storage } from './storage.js';

/** How an archive's place is reached; nothing of it matters to a directory. */
export interface StorageOptions {
  /** For `s3://` places. */
  readonly s3?: S3Options | undefined;
}

export interface S3Options {
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly forcePathStyle?: boolean | undefined;
  readonly sse?: 'AES256' | 'aws:kms' | undefined;
  readonly kmsKeyId?: string | undefined;
  readonly storageClass?: string | undefined;
  readonly acl?: string | undefined;
  /** `KEY=VALUE`, for every object. */
  readonly tags?: readonly string[] | undefined;
  readonly checksum?: 'sha256' | 'crc32' | 'none' | undefined;
  readonly objectLock?: 'COMPLIANCE' | 'GOVERNANCE' | undefined;
  /** How long a locked object is retained, from its upload on. */
  readonly retainForMs?: number | undefined;
}

/**
 * @param location a directory; relative ones count from the working directory
 * @throws {UsageError} a kind of place that this version cannot use
 */
// eslint-disable-next-line @typescript-eslint/no-unused-vars
export function openStorage(location: string, _options: StorageOptions = {}): Storage {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1];
  if (scheme !== undefined) {
    throw new UsageError(
      `${scheme}:// is no place for an archive in this version; allowed is a directory`,
    );
  }
  if (location === '') throw new UsageError('the archive has no place; allowed is a directory');
  return createLocalStorage({ directory: resolve(location) });
}
