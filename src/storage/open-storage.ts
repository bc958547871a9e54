/** Turns what a user names as an archive's place into a storage. */
import { resolve } from 'node:path';
import { UsageError } from '../base/usage-error.js';
import { createLocalStorage } from './local-storage.js';
import type { Storage } from './storage.js';

/**
 * @param location a directory; relative ones count from the working directory
 * @throws {UsageError} a kind of place that this version cannot use
 */
export function openStorage(location: string): Storage {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1];
  if (scheme !== undefined) {
    throw new UsageError(
      `${scheme}:// is no place for an archive in this version; allowed is a directory`,
    );
  }
  if (location === '') throw new UsageError('the archive has no place; allowed is a directory');
  return createLocalStorage({ directory: resolve(location) });
}
