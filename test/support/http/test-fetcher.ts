/** A fetcher for tests: servers of this machine, a storage in memory, very short waits between attempts. */
import type { LogFields, Logger } from '../../../src/base/logger.js';
import { systemClock } from '../../../src/base/runtime.js';
import type {
  ArtifactFetcher,
  FileLocation,
  FileRequest,
  FileOutcome,
  LostFile,
  StoredFile,
} from '../../../src/artifacts/artifact-fetcher.js';
import {
  createArtifactFetcher,
  type ArtifactFetcherOptions,
} from '../../../src/artifacts/fetcher.js';
import { SHORT_TERMS } from '../base/short-terms.js';
import { createMemoryStorage, type MemoryStorage } from '../store/memory-storage.js';

/** Full jitter at its lowest: no wait. */
const impatient = { fraction: () => 0, bytes: (length: number) => new Uint8Array(length) };

export type TestFetcher = ArtifactFetcher &
  AsyncDisposable & {
    readonly storage: MemoryStorage;
    readonly logged: readonly (readonly [LogFields, string])[];
  };

export function testFetcher(options: Partial<ArtifactFetcherOptions> = {}): TestFetcher {
  const logged: (readonly [LogFields, string])[] = [];
  const note = (fields: LogFields, message: string): void => void logged.push([fields, message]);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const storage = createMemoryStorage();
  const fetcher = createArtifactFetcher({
    storage,
    clock: systemClock,
    random: impatient,
    terms: SHORT_TERMS,
    logger,
    allowPrivateNetwork: 'loopback',
    userAgent: 'jobvault-test',
    timeoutMs: 10_000,
    ...options,
  });
  return Object.assign(fetcher, { storage, logged, [Symbol.asyncDispose]: () => fetcher.close() });
}

/** Ten minutes from now, as pages usually grant. */
export function freshUntil(lifeMs = 600_000): number {
  return systemClock.monotonic() + lifeMs;
}

/** A request whose refresh returns the `fresh` locations in turn and repeats the last one; `undefined` means that the history lost the file. */
export function fileRequest(
  url: string,
  options: Partial<FileRequest> & {
    readonly deadlineMs?: number | null;
    readonly fresh?: readonly (FileLocation | string | undefined)[];
  } = {},
): FileRequest & { readonly refreshes: () => number } {
  const { deadlineMs = freshUntil(), fresh = [url], ...rest } = options;
  let refreshes = 0;
  return {
    kind: 'TABLE',
    location: { url, deadlineMs },
    refresh: () => {
      const next = fresh[Math.min(refreshes++, fresh.length - 1)];
      return Promise.resolve(
        typeof next === 'string' ? { url: next, deadlineMs: freshUntil() } : next,
      );
    },
    ...rest,
    refreshes: () => refreshes,
  };
}

/** Fails the test when the file was lost. */
export function stored(outcome: FileOutcome): StoredFile {
  if (outcome.status !== 'stored') throw new Error(`${outcome.status}: ${outcome.reason}`);
  return outcome;
}

/** Fails the test when the file was stored. */
export function lost(outcome: FileOutcome): LostFile {
  if (outcome.status === 'stored') throw new Error('expected the file to be lost');
  return outcome;
}

export async function bytesOf({ staged }: StoredFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of staged.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}
