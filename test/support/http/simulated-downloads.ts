/** The queue and the life of files on a fake clock: pages, signed URLs and a file host that exist only as times. */
import { PendingDownloads } from '../../../src/artifacts/pending-downloads.js';
import { DownloadCapacity } from '../../../src/artifacts/download-capacity.js';
import type {
  FileOutcome,
  FileRequest,
  StoredFile,
} from '../../../src/artifacts/artifact-fetcher.js';
import type { Attempt } from '../../../src/artifacts/attempt.js';
import { createDownloadQueue } from '../../../src/artifacts/download-queue.js';
import { settle, type SettleOptions } from '../../../src/artifacts/settle.js';
import { silentLogger } from '../../../src/base/logger.js';
import type { Clock } from '../../../src/base/runtime.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';

export interface SimulationOptions {
  readonly clock: Clock;
  readonly concurrency: number;
  /** How a try at a URL goes; it takes its time on the clock itself. */
  readonly attempt: (url: URL, signal: AbortSignal, onReceived: () => void) => Promise<Attempt>;
  readonly maxAttempts?: number;
}

export interface Simulation {
  readonly settle: (request: FileRequest, signal?: AbortSignal) => Promise<FileOutcome>;
  readonly ready: () => Promise<void>;
}

export function simulate({
  clock,
  concurrency,
  attempt,
  maxAttempts = 3,
}: SimulationOptions): Simulation {
  const capacity = new DownloadCapacity(concurrency);
  const pending = new PendingDownloads(capacity);
  const queue = createDownloadQueue({ concurrency, capacity, clock });
  const options: SettleOptions = {
    queue,
    clock,
    maxAttempts,
    longestWaitMs: 60_000,
    terms: DEFAULT_TERMS,
    random: { fraction: () => 0.5, bytes: () => new Uint8Array() },
    storageBaseUrl: undefined,
    capacity,
    stats: { retries: 0 },
    logger: silentLogger,
    attempt: ({ url, signal, onReceived }) => attempt(url, signal, onReceived),
  };
  let order = 0;
  return {
    ready: () => pending.ready(),
    async settle(request, signal = new AbortController().signal) {
      pending.enter();
      try {
        return await settle(request, order++, signal, options);
      } finally {
        pending.leave();
      }
    },
  };
}

/** Stands for a file that arrived; its bytes do not matter here. */
export const arrived: Attempt = { kind: 'stored', file: { status: 'stored' } as StoredFile };
export const refused: Attempt = { kind: 'refused', reason: 'files.example answered 403' };
export const errorPage: Attempt = { kind: 'not the file', reason: 'files.example sent text/html' };

export interface SimulatedPage {
  /** Where each file is now, with its deadline. */
  locations(): { readonly url: string; readonly deadlineMs: number }[];
  /** One request, shared by all callers while it is pending. */
  read(): Promise<void>;
}

/** A history page whose URLs say when they were made: `issued` in milliseconds on the clock. */
export function simulatedPage(options: {
  readonly clock: Clock;
  readonly name: string;
  readonly files: number;
  readonly lifeMs: number;
  readonly requestMs: number;
  onRequest(): void;
}): SimulatedPage {
  const { clock, name, files, lifeMs, requestMs } = options;
  let issuedMs = -Infinity;
  let underway: Promise<void> | undefined;
  return {
    locations: () =>
      Array.from({ length: files }, (_, index) => ({
        url: `https://files.example/${name}/${index}?issued=${issuedMs}`,
        deadlineMs: issuedMs + lifeMs,
      })),
    async read() {
      underway ??= (async () => {
        options.onRequest();
        await clock.sleep(requestMs);
        issuedMs = clock.monotonic();
        underway = undefined;
      })();
      await underway;
    },
  };
}

export function issuedMsOf(url: URL): number {
  return Number(url.searchParams.get('issued'));
}
