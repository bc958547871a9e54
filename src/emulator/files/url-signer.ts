/** Presigned URLs like those of S3 signature version 4, with real HMACs: a changed URL is refused. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/runtime.js';
import { formatTimestamp } from '../../model/times/timestamp.js';

/** The path-style bucket of all files. */
const BUCKET = 'session-files';
const REGION = 'eu-central-1';
const ACCESS_KEY = 'EMULATORACCESSKEY';
/** `{{url:KEY}}` and `{{expires_at}}` in a job's text. */
const PLACEHOLDER = /\{\{(?:url:([^{}"\\]+)|expires_at)\}\}/g;

export interface PageSigner {
  /** A job's text with every `{{url:KEY}}` signed and every `{{expires_at}}` filled in. */
  fill(text: string): string;
  url(key: string): string;
  /** ISO 8601 with microseconds. */
  readonly expiresAt: string;
}

export type Verdict = 'valid' | 'expired' | 'unsigned' | 'wrong';

export interface UrlSignerOptions {
  /** `http://host:port` of the file host. */
  readonly origin: () => string;
  readonly secret: string;
  /** How long a URL lives, counted from the moment its page is served. */
  readonly ttlMs: number;
  readonly clock: Clock;
  /** The name of a parameter whose value differs in every URL; empty: none. */
  readonly changingParameter: () => string;
}

export class UrlSigner {
  #urls = 0;
  readonly #options: UrlSignerOptions;

  constructor(options: UrlSignerOptions) {
    this.#options = options;
  }

  /** Signs all URLs of one page with the same time: now. */
  signerOfOnePage(): PageSigner {
    const { clock, ttlMs } = this.#options;
    const servedAtMs = Math.floor(clock.now());
    const deadlineMs = servedAtMs + ttlMs;
    // the service shows six decimals; the last three are constant here
    const expiresAt = formatTimestamp(BigInt(deadlineMs) * 1000n + 544n);
    const amzDate = new Date(servedAtMs).toISOString().replace(/[-:]|\.\d+/g, '');
    const query = [
      'X-Amz-Algorithm=AWS4-HMAC-SHA256',
      `X-Amz-Credential=${encodeURIComponent(`${ACCESS_KEY}/${amzDate.slice(0, 8)}/${REGION}/s3/aws4_request`)}`,
      `X-Amz-Date=${amzDate}`,
      `X-Amz-Expires=${Math.ceil(ttlMs / 1000)}`,
      // S3 counts whole seconds from X-Amz-Date; this signed parameter has the exact deadline
      `X-Amz-Security-Token=${deadlineMs.toString(36)}`,
      'X-Amz-SignedHeaders=host',
    ].join('&');
    const url = (key: string): string => {
      const { path, keyQuery } = partsOf(key);
      const name = this.#options.changingParameter();
      const changing = name === '' ? '' : `${name}=${(++this.#urls).toString(36)}&`;
      const signed = (keyQuery === '' ? '' : `${keyQuery}&`) + changing + query;
      return `${this.#options.origin()}${path}?${signed}&X-Amz-Signature=${this.#signature(path, signed)}`;
    };
    const fill = (text: string): string =>
      text.replace(PLACEHOLDER, (_match, key: string | undefined) =>
        key === undefined ? expiresAt : url(key),
      );
    return { fill, url, expiresAt };
  }

  /** Checks the signature and the expiry of a request. @param path and query as received */
  verify(path: string, query: string): Verdict {
    const mark = query.lastIndexOf('&X-Amz-Signature=');
    if (mark < 0) return 'unsigned';
    const signed = query.slice(0, mark);
    const given = Buffer.from(query.slice(mark + '&X-Amz-Signature='.length));
    const right = Buffer.from(this.#signature(path, signed));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return 'wrong';
    const token = /(?:^|&)X-Amz-Security-Token=([0-9a-z]+)/.exec(signed)?.[1] ?? '0';
    return parseInt(token, 36) < this.#options.clock.now() ? 'expired' : 'valid';
  }

  #signature(path: string, query: string): string {
    return createHmac('sha256', this.#options.secret)
      .update(`GET\n${path}\n${query}`)
      .digest('hex');
  }
}

export function pathOfKey(key: string): string {
  return `/${BUCKET}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** The keys that a URL may stand for, the likeliest first: parameters before the signature may belong to the key. */
export function keysOf(path: string, query: string): string[] {
  if (!path.startsWith(`/${BUCKET}/`)) return [];
  let key: string;
  try {
    key = path
      .slice(BUCKET.length + 2)
      .split('/')
      .map(decodeURIComponent)
      .join('/');
  } catch {
    return [];
  }
  const keyParameters = query
    .slice(0, Math.max(0, query.indexOf('X-Amz-Algorithm=') - 1))
    .split('&');
  return keyParameters
    .map((_, index) => keyParameters.slice(0, keyParameters.length - index).join('&'))
    .flatMap((parameters) => {
      return parameters === '' ? [] : [`${key}?${parameters}`];
    })
    .concat(key);
}

/** A key may end with a query: `files/download?id=1`. */
function partsOf(key: string): { readonly path: string; readonly keyQuery: string } {
  const mark = key.indexOf('?');
  if (mark < 0) return { path: pathOfKey(key), keyQuery: '' };
  return { path: pathOfKey(key.slice(0, mark)), keyQuery: key.slice(mark + 1) };
}

/** S3's error documents. */
export function s3Error(code: string, message: string, extra = ''): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<Error><Code>${code}</Code><Message>${message}</Message>${extra}` +
    '<RequestId>0A49CE4060975EAC</RequestId><HostId>emulator</HostId></Error>'
  );
}

export const ACCESS_DENIED = s3Error('AccessDenied', 'Access Denied');
export const NO_SUCH_KEY = s3Error('NoSuchKey', 'The specified key does not exist.');
export const WRONG_SIGNATURE = s3Error(
  'SignatureDoesNotMatch',
  'The request signature we calculated does not match the signature you provided.',
);

export function requestHasExpired(serverTimeMs: number): string {
  const serverTime = new Date(serverTimeMs).toISOString();
  return s3Error('AccessDenied', 'Request has expired', `<ServerTime>${serverTime}</ServerTime>`);
}
