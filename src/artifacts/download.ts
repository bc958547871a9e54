/** Makes one attempt to download a URL within a deadline, and reads its response. */
import type { Dispatcher } from 'undici';
import type { Clock, Runtime } from '../base/runtime.js';
import { formatDuration } from '../base/units.js';
import { codeOf } from '../base/error.js';
import type { Storage } from '../storage/storage.js';
import {
  RefusedTargetError,
  TransferError,
  describeFault,
  isCertificateFault,
  isProxyRefusal,
} from './download-errors.js';
import { type Attempt, type AttemptRequest } from './attempt.js';
import { parseRetryAfter } from '../base/retry-after.js';
import type { Guard } from './guard.js';
import { receive, type SeenContents } from './receive.js';
import { sha256Hex } from '../base/digest.js';
import { downloadKey } from '../model/urls/file-url.js';
import { withinTime } from './time-limit.js';
import { type FinalAnswer, follow } from './follow-redirects.js';

export interface DownloadOptions extends Pick<Runtime, 'clock' | 'logger'> {
  readonly storage: Pick<Storage, 'stage'>;
  readonly dispatcher: Dispatcher;
  readonly guard: Guard;
  /** `host:port` of the proxy that connects to the host, if any; its name is checked here first. */
  readonly proxyOf: (url: URL) => string | undefined;
  readonly userAgent: string;
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
  /** The hosts of all downloads that declare digests: see `ReceiveOptions`. */
  readonly hostsWithDigests?: Set<string> | undefined;
  /** The contents of all downloads: a cache may give for one file what another one is. */
  readonly contents?: SeenContents | undefined;
  /** Requests and received bytes are counted here. */
  readonly stats: { requests: number; bytes: number };
}

const REFUSAL_BYTES = 65_536;
const RETRIED = new Set([408, 425, 429]);

/**
 * @throws the signal's reason, when it is aborted
 * @throws the storage's own errors
 */
export async function download(target: AttemptRequest, options: DownloadOptions): Promise<Attempt> {
  const { url, signal } = target;
  const { clock, timeoutMs } = options;
  const tooLate = () =>
    new TransferError(`${url.host} took longer than ${formatDuration(timeoutMs)} for the file`);
  let attempt: Attempt;
  try {
    attempt = await withinTime({ clock, ms: timeoutMs, signal, tooLate }, async (within) => {
      const answer = await send(url, within, options);
      return 'kind' in answer ? answer : await parseResponse(answer, target, within, options);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TransferError)) throw error;
    attempt = { kind: 'retry', reason: error.message, afterMs: null };
  }
  options.logger.debug(
    {
      host: url.host,
      outcome: attempt.kind,
      ...('reason' in attempt ? { reason: attempt.reason } : {}),
    },
    'tried a file',
  );
  return attempt;
}

async function send(
  url: URL,
  signal: AbortSignal,
  options: DownloadOptions,
): Promise<FinalAnswer | Attempt> {
  try {
    return await follow(url, { ...options, signal });
  } catch (error) {
    if (error instanceof RefusedTargetError) return { kind: 'rejected', reason: error.message };
    if (error instanceof TransferError) throw error;
    const reason = describeFault(url.host, error, options.proxyOf(url));
    if (isCertificateFault(error))
      return { kind: 'failed', reason: `${reason} (${codeOf(error) ?? ''})` };
    if (isProxyRefusal(error)) return { kind: 'failed', reason };
    throw new TransferError(reason, { cause: error });
  }
}

async function parseResponse(
  answer: FinalAnswer,
  target: AttemptRequest,
  within: AbortSignal,
  options: DownloadOptions,
): Promise<Attempt> {
  const { response, url } = answer;
  const { statusCode: status } = response;
  const { host } = url;
  if (status === 200) {
    const { storage, maxFileBytes: maxBytes, hostsWithDigests, contents, stats } = options;
    return receive(response, {
      storage,
      kind: target.kind,
      path: target.url.pathname,
      host,
      maxBytes,
      hostsWithDigests,
      others: contents && { key: sha256Hex(downloadKey(target.url.href)), contents },
      signal: target.signal,
      stats,
      onReceived: target.onReceived,
    });
  }
  const reason = `${host} answered ${status}`;
  const text = await shortBody(response, within);
  if (status === 401 || status === 403) return { kind: 'refused', reason };
  if (status === 400 && /<\?xml|<error/i.test(text) && /expired|token/i.test(text)) {
    return { kind: 'refused', reason: `${reason}: its token has expired` };
  }
  if (status === 404 || status === 410) return { kind: 'missing', reason };
  if (status >= 500 || RETRIED.has(status)) {
    return { kind: 'retry', reason, afterMs: retryAfterMs(response, options.clock) };
  }
  return { kind: 'failed', reason };
}

/** The text of an error answer, up to 64 KiB. Never throws: the status is enough. */
async function shortBody({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += (chunk as Buffer).toString('latin1');
      if (text.length > REFUSAL_BYTES) break;
    }
  } catch {
    signal.throwIfAborted();
  }
  return text;
}

function retryAfterMs({ headers }: Dispatcher.ResponseData, clock: Clock): number | null {
  const [retryAfter] = [headers['retry-after']].flat();
  const [date] = [headers['date']].flat();
  const hostNowMs = Date.parse(date ?? '');
  return parseRetryAfter(retryAfter, Number.isNaN(hostNowMs) ? clock.now() : hostNowMs);
}
