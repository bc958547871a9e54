/** Creates the file fetcher: a queue of files, their downloads, and statistics. */
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Runtime } from '../base/runtime.js';
import { proxyFor, type ProxySettings } from '../base/http/proxy.js';
import { UsageError } from '../base/error.js';
import { assertSizesFit } from '../storage/size-limit.js';
import type { Storage } from '../storage/storage.js';
import { type ArtifactFetcher, type FileOutcome, type FileRequest } from './artifact-fetcher.js';
import { FetcherClosedError } from './download-errors.js';
import { type AttemptRequest } from './attempt.js';
import { createFileDispatcher, createGuard, type PrivateNetwork } from './guard.js';
import { SeenContents } from './receive.js';
import { createDownloadQueue } from './download-queue.js';
import { download } from './download.js';
import { storeDataFile } from './data-file.js';
import { isDataUrl } from '../model/blocks/file-members.js';
import { settle } from './settle.js';
import { DownloadCapacity } from './download-capacity.js';
import { PendingDownloads } from './pending-downloads.js';

/** Where files are staged; a storage that knows a limit refuses a larger `maxFileBytes`. */
export type StagingStorage = Pick<Storage, 'stage'> &
  Partial<Pick<Storage, 'location' | 'maxObjectBytes'>>;

export interface ArtifactFetcherOptions extends Pick<
  Runtime,
  'clock' | 'random' | 'logger' | 'terms'
> {
  /** The fetcher publishes nothing. */
  readonly storage: StagingStorage;
  /** Downloads at once. Default 8. */
  readonly concurrency?: number | undefined;
  /** Limit for a file after decoding. Default 1 GiB. */
  readonly maxFileBytes?: number | undefined;
  /** For one attempt, from the first request to the last byte. Default 5 minutes. */
  readonly timeoutMs?: number | undefined;
  /** Failed attempts before a file is given up. Default 5. */
  readonly maxAttempts?: number | undefined;
  /** Default false: only public addresses. `loopback`: also this machine. */
  readonly allowPrivateNetwork?: PrivateNetwork | undefined;
  /** The URL that bare storage keys are relative to. Default: none, they stay unresolved. */
  readonly storageBaseUrl?: string | undefined;
  readonly userAgent: string;
  /** Resolves host names. Default: the machine's resolver. */
  readonly lookup?: LookupFunction | undefined;
  /** Default: every file host is reached directly. */
  readonly proxy?: ProxySettings | undefined;
  /** The caller's own connections, instead of `proxy`; the caller guards names and closes them. */
  readonly dispatcher?: Dispatcher | undefined;
}

const DEFAULTS = {
  concurrency: 8,
  maxFileBytes: 2 ** 30,
  timeoutMs: 300_000,
  maxAttempts: 5,
} as const;
const STALL_MS = 60_000;

/** @throws {UsageError} `storageBaseUrl` is not an http(s) URL, or a number is out of range, or beyond what the storage takes */
export function createArtifactFetcher(options: ArtifactFetcherOptions): ArtifactFetcher {
  const { clock, random, logger, terms, storage, userAgent } = options;
  const concurrency = positive('file-concurrency', options.concurrency ?? DEFAULTS.concurrency);
  const maxFileBytes = positive('max-file-size', options.maxFileBytes ?? DEFAULTS.maxFileBytes);
  assertSizesFit(storage, { maxFileBytes });
  const timeoutMs = positive('file timeout', options.timeoutMs ?? DEFAULTS.timeoutMs);
  const maxAttempts = positive('file attempts', options.maxAttempts ?? DEFAULTS.maxAttempts);
  const storageBaseUrl = baseOf(options.storageBaseUrl);

  const { allowPrivateNetwork = false, lookup, proxy } = options;
  const guard = createGuard({ allowPrivateNetwork, lookup });
  const stallMs = Math.min(STALL_MS, timeoutMs);
  const dispatcher =
    options.dispatcher ?? createFileDispatcher({ guard, stallMs, connections: concurrency, proxy });
  const proxyOf = (url: URL) => (options.dispatcher ? undefined : proxyFor(url, proxy)?.host);

  const capacity = new DownloadCapacity(concurrency);
  const pending = new PendingDownloads(capacity);
  const queue = createDownloadQueue({ concurrency, capacity, clock });
  const stats = { requests: 0, retries: 0, bytes: 0 };
  const active = new Set<AbortController>();
  let files = 0;
  let isClosed = false;

  const downloading = {
    storage,
    dispatcher,
    guard,
    proxyOf,
    clock,
    logger,
    userAgent,
    maxFileBytes,
    timeoutMs,
    hostsWithDigests: new Set<string>(),
    contents: new SeenContents(),
    stats,
  };
  const settling = {
    queue,
    clock,
    random,
    terms,
    maxAttempts,
    longestWaitMs: timeoutMs,
    storageBaseUrl,
    capacity,
    stats,
    logger,
    attempt: (target: AttemptRequest) => download(target, downloading),
  };

  async function fetch(request: FileRequest): Promise<FileOutcome> {
    if (isClosed) throw new FetcherClosedError();
    request.signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort(request.signal?.reason);
    // one signal serves thousands of files: Node would warn at the eleventh listener
    if (request.signal) setMaxListeners(0, request.signal);
    request.signal?.addEventListener('abort', abort, { once: true });
    active.add(controller);
    pending.enter();
    try {
      const { url } = request.location;
      if (isDataUrl(url)) return await storeDataFile(url, request.kind, downloading);
      return await settle(request, files++, controller.signal, settling);
    } finally {
      pending.leave();
      active.delete(controller);
      request.signal?.removeEventListener('abort', abort);
    }
  }

  return {
    fetch,
    ready: (signal) => pending.ready(signal),
    stats,
    async close() {
      isClosed = true;
      for (const controller of active) controller.abort(new FetcherClosedError());
      if (dispatcher !== options.dispatcher) await dispatcher.destroy();
    },
  };
}

function positive(name: string, value: number): number {
  if (value >= 1 && Number.isFinite(value)) return value;
  throw new UsageError(`${name} must be a number of at least 1, not ${value}`);
}

function baseOf(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw new UsageError(
    'storage-base-url must be an http or https URL without a user name, such as https://files.example.com/archive',
  );
}
