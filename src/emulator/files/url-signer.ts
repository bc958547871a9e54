/** Presigned URLs in the manner of S3 signature version 4: real HMACs, so that whatever is changed is refused. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { formatTimestamp } from '../../model/timestamp.js';

/** The folder of all files on the file host; a path-style bucket. */
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
}

export class UrlSigner {
  constructor(private readonly options: UrlSignerOptions) {}

  /** All URLs of one page are signed at one moment: now. */
  signerOfOnePage(): PageSigner {
    const { clock, ttlMs } = this.options;
    const servedAtMs = Math.floor(clock.now());
    const deadlineMs = servedAtMs + ttlMs;
    // A made-up but constant count of microseconds: the service shows six decimals.
    const expiresAt = formatTimestamp(BigInt(deadlineMs) * 1000n + 544n);
    const amzDate = new Date(servedAtMs).toISOString().replace(/[-:]|\.\d+/g, '');
    const query = [
      'X-Amz-Algorithm=AWS4-HMAC-SHA256',
      `X-Amz-Credential=${encodeURIComponent(`${ACCESS_KEY}/${amzDate.slice(0, 8)}/${REGION}/s3/aws4_request`)}`,
      `X-Amz-Date=${amzDate}`,
      `X-Amz-Expires=${Math.ceil(ttlMs / 1000)}`,
      // S3 counts whole seconds from X-Amz-Date; the exact deadline travels here, under the signature.
      `X-Amz-Security-Token=${deadlineMs.toString(36)}`,
      'X-Amz-SignedHeaders=host',
    ].join('&');
    const url = (key: string): string => {
      const path = pathOfKey(key);
      return `${this.options.origin()}${path}?${query}&X-Amz-Signature=${this.signature(path, query)}`;
    };
    const fill = (text: string): string =>
      text.replace(PLACEHOLDER, (_match, key: string | undefined) =>
        key === undefined ? expiresAt : url(key),
      );
    return { fill, url, expiresAt };
  }

  /** Judges what the file host was asked for: path and query exactly as they came. */
  judge(path: string, query: string): Verdict {
    const mark = query.lastIndexOf('&X-Amz-Signature=');
    if (mark < 0) return 'unsigned';
    const signed = query.slice(0, mark);
    const given = Buffer.from(query.slice(mark + '&X-Amz-Signature='.length));
    const right = Buffer.from(this.signature(path, signed));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return 'wrong';
    const token = /(?:^|&)X-Amz-Security-Token=([0-9a-z]+)/.exec(signed)?.[1] ?? '0';
    return parseInt(token, 36) < this.options.clock.now() ? 'expired' : 'valid';
  }

  private signature(path: string, query: string): string {
    return createHmac('sha256', this.options.secret).update(`GET\n${path}\n${query}`).digest('hex');
  }
}

export function pathOfKey(key: string): string {
  return `/${BUCKET}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** The key that a path names, or `undefined` when it is not in the bucket. */
export function keyOfPath(path: string): string | undefined {
  if (!path.startsWith(`/${BUCKET}/`)) return undefined;
  try {
    return path
      .slice(BUCKET.length + 2)
      .split('/')
      .map(decodeURIComponent)
      .join('/');
  } catch {
    return undefined;
  }
}
