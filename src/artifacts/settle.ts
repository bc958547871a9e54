/** Settles one file: from its first URL to `stored`, or to the reason why it is lost. */
import type { Clock, Runtime } from '../base/runtime.js';
import { messageOf } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import type {
  FileLocation,
  FileOutcome,
  FileRequest,
  LostFile,
  StoredFile,
  Attempt,
  AttemptRequest,
} from './artifact-fetcher.js';
import { backoffMs, waitAsAsked } from '../base/backoff.js';
import type { DownloadQueue } from './download-queue.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';

export interface SettleOptions extends Pick<Runtime, 'clock' | 'random' | 'terms'> {
  readonly queue: DownloadQueue;
  /** Failed attempts before the file is given up. */
  readonly maxAttempts: number;
  /** A file whose host asks to wait longer than this is given up. */
  readonly longestWaitMs: number;
  resolve(sent: string): ResolvedLocation;
  attempt(target: AttemptRequest): Promise<Attempt>;
  observeLife(ms: number): void;
  observeDownload(ms: number): void;
  onRetry(retry: FileRetry): void;
  /** A file was stored after failed attempts. */
  onRecovery(host: string, attempts: number): void;
}

export interface FileRetry {
  readonly host: string;
  readonly reason: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
}

interface CurrentUrl {
  readonly url: URL;
  readonly deadlineMs: number | null;
  readonly obtainedMs: number;
}

type Refusal = Extract<Attempt, { kind: 'refused' | 'not the file' | 'cut off' }>;

const MAX_REFUSALS = 2;
/** A URL without a deadline counts as valid this long: no service signs URLs for less than a minute. */
const ASSUMED_VALID_MS = 60_000;

/**
 * @param order sequence number of the file, for its place in the queue
 * @throws the signal's reason, when it is aborted
 * @throws the storage's own errors
 * @throws {BudgetSpentError} a fresh URL was needed
 */
export async function settle(
  request: FileRequest,
  order: number,
  signal: AbortSignal,
  options: SettleOptions,
): Promise<FileOutcome> {
  const { clock, queue } = options;
  const first = resolve(request.location, options);
  if ('lost' in first) return first.lost;
  let current = first;
  let isStale = false;
  /** The history no longer has the file: there will be no fresh URL. */
  let isLast = false;
  let refusals = 0;
  let failures = 0;
  await using unproven = new UnprovenFile();
  await using cutOff = new CutOffFile();

  for (;;) {
    const turn = await queue.turn({ order, deadlineMs: current.deadlineMs, isStale }, signal);
    let attempt: Attempt;
    let isPrompt = false;
    let requestedMs: number;
    let answeredMs: number;
    try {
      if (turn.action !== 'download') {
        const fresh = await refresh(request, signal);
        if (fresh === undefined && isStale) return gone(current);
        if (fresh === undefined) {
          // past its deadline by our clock but never refused: worth one request
          isLast = true;
          current = { ...current, deadlineMs: null };
        } else {
          const next = 'lost' in fresh ? fresh : resolve(withValidDeadline(fresh, clock), options);
          if ('lost' in next) return next.lost;
          current = next;
          isStale = false;
        }
        if (turn.action === 'refresh') continue;
        turn.refreshed();
        isPrompt = true;
      }
      requestedMs = clock.monotonic();
      attempt = await options.attempt({
        url: current.url,
        kind: request.kind,
        signal,
        onReceived: () => {
          turn.leave();
        },
      });
      answeredMs = clock.monotonic();
      if ('file' in attempt) options.observeDownload(answeredMs - requestedMs);
    } finally {
      turn.leave();
    }

    if (attempt.kind === 'cut off' && (await cutOff.isAsBefore(attempt.file))) return attempt.file;
    switch (attempt.kind) {
      case 'stored':
        if (failures > 0) options.onRecovery(current.url.host, failures + 1);
        return attempt.file;
      case 'unproven end': {
        const outcome = await unproven.compare(attempt.file, current.url.host);
        if (outcome) return outcome;
        break;
      }
      case 'missing':
      case 'rejected':
      case 'failed':
        return { status: attempt.kind, reason: attempt.reason };
      case 'refused':
      case 'not the file':
      case 'cut off':
        if (isLast) return gone(current);
        if (isPrompt || hasHalfItsLifeLeft(current, requestedMs)) {
          if (isValid(current, answeredMs)) refusals++;
          else failures++; // the URL expired during the request, because host or process are slow
        }
        if (refusals >= MAX_REFUSALS) return refusedFinally(attempt);
        if (failures >= options.maxAttempts) return expiredDuringRequest(attempt, failures);
        isStale = true;
        break;
      case 'retry': {
        failures++;
        const ownMs = backoffMs(failures, options);
        const delayMs = waitAsAsked(failures, attempt.afterMs, ownMs);
        if (failures >= options.maxAttempts || delayMs > options.longestWaitMs) {
          return givenUp(attempt.reason, failures, attempt.afterMs);
        }
        options.onRetry({
          host: current.url.host,
          reason: attempt.reason,
          attempt: failures,
          delayMs,
        });
        await clock.sleep(delayMs, signal); // without a slot: other files may be downloaded meanwhile
      }
    }
  }
}

/** A fresh URL that has already expired is used nevertheless: one of the clocks is wrong. */
function withValidDeadline(fresh: FileLocation, clock: Clock): FileLocation {
  const isExpired = fresh.deadlineMs !== null && fresh.deadlineMs <= clock.monotonic();
  return isExpired ? { ...fresh, deadlineMs: null } : fresh;
}

function resolve(
  location: FileLocation,
  options: SettleOptions,
): CurrentUrl | { readonly lost: LostFile } {
  const resolved = options.resolve(location.url);
  if ('lost' in resolved) return resolved;
  const obtainedMs = options.clock.monotonic();
  if (location.deadlineMs !== null) options.observeLife(location.deadlineMs - obtainedMs);
  return { url: resolved.url, deadlineMs: location.deadlineMs, obtainedMs };
}

/** @returns `undefined` if the history no longer has the file */
async function refresh(
  request: FileRequest,
  signal: AbortSignal,
): Promise<FileLocation | { readonly lost: LostFile } | undefined> {
  try {
    return await request.refresh(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BudgetSpentError) throw error; // the file is not lost: the next run fetches it
    const reason = `the page could not be read again for a fresh URL: ${redactText(messageOf(error))}`;
    return { lost: { status: 'failed', reason } };
  }
}

function hasHalfItsLifeLeft({ deadlineMs, obtainedMs }: CurrentUrl, requestedMs: number): boolean {
  if (deadlineMs === null) return requestedMs - obtainedMs <= ASSUMED_VALID_MS;
  return deadlineMs - requestedMs >= (deadlineMs - obtainedMs) / 2;
}

function isValid({ deadlineMs, obtainedMs }: CurrentUrl, atMs: number): boolean {
  return atMs <= (deadlineMs ?? obtainedMs + ASSUMED_VALID_MS);
}

function expiredDuringRequest({ reason }: Refusal, attempts: number): LostFile {
  const when = `after the URL had expired; given up after ${attempts} attempts`;
  return { status: 'expired', reason: `${reason}, ${when}` };
}

function refusedFinally(refusal: Refusal): LostFile {
  const status = refusal.kind === 'refused' ? 'forbidden' : 'rejected';
  return { status, reason: `${refusal.reason}, also from fresh URLs` };
}

function gone({ url }: CurrentUrl): LostFile {
  const reason = `the URL at ${url.host} has expired and the history no longer has the file`;
  return { status: 'expired', reason };
}

function givenUp(reason: string, failures: number, afterMs: number | null): LostFile {
  const wait = afterMs === null ? '' : ` and asks to wait ${Math.ceil(afterMs / 1000)} s`;
  const attempts = failures === 1 ? '1 attempt' : `${failures} attempts`;
  return { status: 'failed', reason: `${reason}${wait}; given up after ${attempts}` };
}

/** Keeps a file whose end nothing proves until a second download has, or has not, the same bytes. */

/** The last words of `suspicious`: the archive may have less than there is. */
const UNPROVEN_END = 'unproven end';
const OF_THE_END = new RegExp(`(^|; )${UNPROVEN_END}$`);

/** What `suspicious` says of the bytes themselves, and not of how they were sent; null if nothing. */
export function doubtOfBytes(suspicious: string): string | null {
  return suspicious.replace(OF_THE_END, '') || null;
}

export class UnprovenFile implements AsyncDisposable {
  #first: StoredFile | undefined;

  /**
   * Takes over the file. The outcome after the second download; undefined after the first, and the file must
   * be downloaded once more.
   */
  async compare(file: StoredFile, host: string): Promise<FileOutcome | undefined> {
    const first = this.#first;
    if (first === undefined) {
      this.#first = file;
      return undefined;
    }
    if (first.sha256 === file.sha256) {
      const doubts = [file.suspicious, UNPROVEN_END].filter((doubt) => doubt !== null);
      return { ...file, suspicious: doubts.join('; ') };
    }
    await file.staged.discard();
    const reason = `${host} does not say where the file ends (no length, no chunks), and two downloads differ: ${first.bytes} and ${file.bytes} bytes`;
    return { status: 'failed', reason };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#first?.staged.discard();
  }
}

/** Keeps an image that is cut off until it comes again. */
class CutOffFile implements AsyncDisposable {
  #last: StoredFile | undefined;

  /** Takes over the file, unless the one before had the same bytes: then it is the caller's. */
  async isAsBefore(file: StoredFile): Promise<boolean> {
    if (this.#last?.sha256 === file.sha256) return true;
    await this.#last?.staged.discard();
    this.#last = file;
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last?.staged.discard();
  }
}

/** Turns a file location from the service into a URL. A bare storage key only chooses a path below the configured base, never a host. */

export type ResolvedLocation = { readonly url: URL } | { readonly lost: LostFile };

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const SCHEME_WITHOUT_HOST = /^(about|blob|data|file|ftp|javascript|mailto):/i;

/**
 * A URL is used as it is. A bare storage key is appended to `storageBaseUrl`, each segment
 * percent-encoded: `unresolved` without a base, `rejected` if the key would leave it.
 */
export function resolveLocation(sent: string, storageBaseUrl: URL | undefined): ResolvedLocation {
  const text = sent.trim();
  const scheme = (SCHEME.exec(text) ?? SCHEME_WITHOUT_HOST.exec(text))?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url ? { url } : rejected('the URL cannot be parsed');
  }
  if (scheme !== undefined) {
    return lost('not_fetched', `only http and https are fetched, not ${scheme}:`);
  }
  if (storageBaseUrl === undefined) {
    return lost(
      'unresolved',
      'the service gave only a path of the file, no web address, and --storage-base-url is not set',
    );
  }
  return belowBase(text, storageBaseUrl);
}

function belowBase(key: string, base: URL): ResolvedLocation {
  const segments = key.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    return rejected('the path of the file has an empty, "." or ".." part');
  }
  if (!key.isWellFormed()) return rejected('the path of the file is not valid Unicode');
  const url = new URL(base);
  const path = segments.map((segment) => encodeURIComponent(segment)).join('/');
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
  return { url };
}

function rejected(reason: string): ResolvedLocation {
  return lost('rejected', reason);
}

function lost(status: LostFile['status'], reason: string): ResolvedLocation {
  return { lost: { status, reason } };
}
