/** Makes one attempt to download a URL within a deadline, and judges the answer. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../base/clock.js';
import { formatDuration } from '../base/duration.js';
import { codeOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import type { Storage } from '../storage/storage.js';
import type { Attempt, AttemptRequest } from './attempt.js';
import { parseRetryAfter } from '../base/http/retry-after.js';
import { follow, type FinalAnswer } from './follow.js';
import type { Guard } from './guard.js';
import { receive } from './receive.js';
import {
  RefusedTargetError,
  TransferError,
  describeFault,
  isCertificateFault,
  isProxyRefusal,
} from './artifact-errors.js';
import { withinTime } from './time-limit.js';

export interface DownloadOptions {
  readonly storage: Pick<Storage, 'stage'>;
  readonly dispatcher: Dispatcher;
  readonly guard: Guard;
  readonly isProxied: (url: URL) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly userAgent: string;
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
  onRequest(): void;
  onBytes(bytes: number): void;
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
      return 'kind' in answer ? answer : await judge(answer, target, within, options);
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
    const onRequest = () => {
      options.onRequest();
    };
    return await follow(url, { ...options, signal, onRequest });
  } catch (error) {
    if (error instanceof RefusedTargetError) return { kind: 'rejected', reason: error.message };
    if (error instanceof TransferError) throw error;
    const reason = describeFault(url.host, error);
    if (isCertificateFault(error))
      return { kind: 'failed', reason: `${reason} (${codeOf(error) ?? ''})` };
    if (isProxyRefusal(error)) return { kind: 'failed', reason };
    throw new TransferError(reason, { cause: error });
  }
}

async function judge(
  answer: FinalAnswer,
  target: AttemptRequest,
  within: AbortSignal,
  options: DownloadOptions,
): Promise<Attempt> {
  const { response, url } = answer;
  const { statusCode: status } = response;
  const { host } = url;
  if (status === 200) {
    const { storage, maxFileBytes: maxBytes } = options;
    const onBytes = (bytes: number) => {
      options.onBytes(bytes);
    };
    return receive(response, {
      storage,
      kind: target.kind,
      path: target.url.pathname,
      host,
      maxBytes,
      signal: target.signal,
      onBytes,
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
