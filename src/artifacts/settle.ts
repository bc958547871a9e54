/** Settles one file: from its first URL to `stored`, or to the reason why it is lost. */
import type { Clock, Runtime } from '../base/runtime.js';
import { messageOf } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import type { FileLocation, FileOutcome, FileRequest, LostFile } from './artifact-fetcher.js';
import type { Attempt, AttemptRequest } from './attempt.js';
import { backoffMs, waitAsAsked } from '../base/backoff.js';
import type { DownloadCapacity } from './download-capacity.js';
import type { DownloadQueue } from './download-queue.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';
import { resolveLocation } from './resolve-location.js';
import { UnprovenFile, CutOffFile } from './unproven-file.js';

export interface SettleOptions extends Pick<Runtime, 'clock' | 'random' | 'terms' | 'logger'> {
  readonly queue: DownloadQueue;
  /** Failed attempts before the file is given up. */
  readonly maxAttempts: number;
  /** A file whose host asks to wait longer than this is given up. */
  readonly longestWaitMs: number;
  /** What bare storage keys are relative to; undefined: they stay unresolved. */
  readonly storageBaseUrl: URL | undefined;
  /** Told how long URLs live, and how long downloads take. */
  readonly capacity: DownloadCapacity;
  /** Retries are counted here. */
  readonly stats: { retries: number };
  attempt(target: AttemptRequest): Promise<Attempt>;
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
      if ('file' in attempt) options.capacity.observeDownload(answeredMs - requestedMs);
    } finally {
      turn.leave();
    }

    if (attempt.kind === 'cut off' && (await cutOff.isAsBefore(attempt.file))) return attempt.file;
    switch (attempt.kind) {
      case 'stored':
        if (failures > 0) {
          const attempts = failures + 1;
          const facts = { host: current.url.host, attempts };
          options.logger.info(facts, `stored after ${attempts} attempts`);
        }
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
        options.stats.retries++;
        options.logger.info(
          { host: current.url.host, attempt: failures, waitMs: Math.round(delayMs) },
          `${attempt.reason}; trying again`,
        );
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
  const resolved = resolveLocation(location.url, options.storageBaseUrl);
  if ('lost' in resolved) return resolved;
  const obtainedMs = options.clock.monotonic();
  if (location.deadlineMs !== null) options.capacity.observeLife(location.deadlineMs - obtainedMs);
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
