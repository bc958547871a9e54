/** Loads the S3 adapter on first use: it is large, and most archives are on a disk. */
import type { Guards } from '../guards.js';
import { parseS3Location } from './s3-location.js';
import type { S3Storage, S3StorageOptions } from './s3-storage.js';
import type { Storage } from '../storage.js';

/** @throws {UsageError} the location is invalid */
export function createLazyS3Storage(options: S3StorageOptions): Storage {
  const { location } = options;
  parseS3Location(location);
  let loading: Promise<S3Storage> | undefined;
  const load = (): Promise<S3Storage> =>
    (loading ??= import('./s3-storage.js').then((module) => module.createS3Storage(options)));
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
