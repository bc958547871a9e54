/** The life of one file, from its first URL to `stored` or to the reason why not. */
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/error.js';
import type { Random } from '../base/random.js';
import { redactText } from '../base/text/redact.js';
import type { FileLocation, FileOutcome, FileRequest, LostFile } from './artifact-fetcher.js';
import type { Attempt } from './attempt.js';
import { backoffMs } from '../base/backoff.js';
import type { DownloadQueue } from './download-queue.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';
import type { ResolvedLocation } from './location.js';

export interface SettleOptions {
  readonly queue: DownloadQueue;
  readonly clock: Clock;
  readonly random: Random;
  /** Tries that may break off before the file is given up. */
  readonly maxAttempts: number;
  /** A host that asks to wait longer than this is given up. */
  readonly longestWaitMs: number;
  resolve(sent: string): ResolvedLocation;
  attempt(one: Try): Promise<Attempt>;
  observeLife(ms: number): void;
  observeDownload(ms: number): void;
  onRetry(retry: FileRetry): void;
  /** A file has come after failures. */
  onRecovery(host: string, attempts: number): void;
}

export interface Try {
  readonly url: URL;
  readonly kind: string;
  readonly signal: AbortSignal;
  /** To be called when the file has come: another may be fetched while this one is looked at. */
  readonly onReceived: () => void;
}

export interface FileRetry {
  readonly host: string;
  readonly reason: string;
  /** The one that failed, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
}

/** A URL in hand. */
interface Lease {
  readonly url: URL;
  readonly deadlineMs: number | null;
  readonly obtainedMs: number;
}

type Refusal = Extract<Attempt, { kind: 'refused' | 'not the file' }>;

const REFUSALS_THAT_COUNT = 2;
/** Of a URL whose life nobody knows: a signature that dies within a minute is not handed out. */
const SURELY_ALIVE_MS = 60_000;

/**
 * @param order when the file came, for its place in the queue
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
  const first = lease(request.location, options);
  if ('lost' in first) return first.lost;
  let held = first;
  let isStale = false;
  /** The history no longer has the file: this URL is the last there will be. */
  let isLast = false;
  let refusals = 0;
  let failures = 0;

  for (;;) {
    const turn = await queue.turn({ order, deadlineMs: held.deadlineMs, isStale }, signal);
    let attempt: Attempt;
    let isPrompt = false;
    let requestedMs: number;
    let answeredMs: number;
    try {
      if (turn.action !== 'download') {
        const fresh = await refresh(request, signal);
        if (fresh === undefined && isStale) return gone(held);
        if (fresh === undefined) {
          // Past its deadline by our reckoning but never refused: worth the one request it costs.
          isLast = true;
          held = { ...held, deadlineMs: null };
        } else {
          const next = 'lost' in fresh ? fresh : lease(stillAlive(fresh, clock), options);
          if ('lost' in next) return next.lost;
          held = next;
          isStale = false;
        }
        if (turn.action === 'refresh') continue;
        turn.refreshed();
        isPrompt = true;
      }
      requestedMs = clock.monotonic();
      attempt = await options.attempt({
        url: held.url,
        kind: request.kind,
        signal,
        onReceived: () => {
          turn.leave();
        },
      });
      answeredMs = clock.monotonic();
      if (attempt.kind === 'stored') options.observeDownload(answeredMs - requestedMs);
    } finally {
      turn.leave();
    }

    switch (attempt.kind) {
      case 'stored':
        if (failures > 0) options.onRecovery(held.url.host, failures + 1);
        return attempt.file;
      case 'missing':
      case 'rejected':
      case 'failed':
        return { status: attempt.kind, reason: attempt.reason };
      case 'refused':
      case 'not the file':
        if (isLast) return gone(held);
        if (isPrompt || isWellInsideItsLife(held, requestedMs)) {
          if (isAlive(held, answeredMs)) refusals++;
          else failures++; // it ran out under way, on a slow host or in a slow process
        }
        if (refusals >= REFUSALS_THAT_COUNT) return refusedForGood(attempt);
        if (failures >= options.maxAttempts) return ranOutUnderWay(attempt, failures);
        isStale = true;
        break;
      case 'retry': {
        failures++;
        const delayMs = attempt.afterMs ?? backoffMs(failures, options.random);
        if (failures >= options.maxAttempts || delayMs > options.longestWaitMs) {
          return usedUp(attempt.reason, failures, attempt.afterMs);
        }
        options.onRetry({
          host: held.url.host,
          reason: attempt.reason,
          attempt: failures,
          delayMs,
        });
        await clock.sleep(delayMs, signal); // without a slot: others may go meanwhile
      }
    }
  }
}

/** A fresh URL that claims to be dead is tried all the same: one of the clocks is wrong. */
function stillAlive(fresh: FileLocation, clock: Clock): FileLocation {
  const isDead = fresh.deadlineMs !== null && fresh.deadlineMs <= clock.monotonic();
  return isDead ? { ...fresh, deadlineMs: null } : fresh;
}

function lease(
  location: FileLocation,
  options: SettleOptions,
): Lease | { readonly lost: LostFile } {
  const resolved = options.resolve(location.url);
  if ('lost' in resolved) return resolved;
  const obtainedMs = options.clock.monotonic();
  if (location.deadlineMs !== null) options.observeLife(location.deadlineMs - obtainedMs);
  return { url: resolved.url, deadlineMs: location.deadlineMs, obtainedMs };
}

/** @returns `undefined` where the history no longer has the file */
async function refresh(
  request: FileRequest,
  signal: AbortSignal,
): Promise<FileLocation | { readonly lost: LostFile } | undefined> {
  try {
    return await request.refresh(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BudgetSpentError) throw error; // the file is not lost: the next run asks for it
    const reason = `the page could not be read again for a fresh URL: ${redactText(messageOf(error))}`;
    return { lost: { status: 'failed', reason } };
  }
}

function isWellInsideItsLife({ deadlineMs, obtainedMs }: Lease, requestedMs: number): boolean {
  if (deadlineMs === null) return requestedMs - obtainedMs <= SURELY_ALIVE_MS;
  return deadlineMs - requestedMs >= (deadlineMs - obtainedMs) / 2;
}

function isAlive({ deadlineMs, obtainedMs }: Lease, atMs: number): boolean {
  return atMs <= (deadlineMs ?? obtainedMs + SURELY_ALIVE_MS);
}

function ranOutUnderWay({ reason }: Refusal, tries: number): LostFile {
  const when = `after the URL had run out; given up after ${tries} tries`;
  return { status: 'expired', reason: `${reason}, ${when}` };
}

function refusedForGood(refusal: Refusal): LostFile {
  const status = refusal.kind === 'refused' ? 'expired' : 'rejected';
  return { status, reason: `${refusal.reason}, from fresh URLs too` };
}

function gone({ url }: Lease): LostFile {
  const reason = `the URL at ${url.host} has run out and the history no longer has the file`;
  return { status: 'expired', reason };
}

function usedUp(reason: string, failures: number, afterMs: number | null): LostFile {
  const wait = afterMs === null ? '' : ` and asks to wait ${Math.ceil(afterMs / 1000)} s`;
  const tries = failures === 1 ? '1 try' : `${failures} tries`;
  return { status: 'failed', reason: `${reason}${wait}; given up after ${tries}` };
}
