/** Computes when a URL expires, on our monotonic clock, from the service's `expires_at` and the signature, by the server's clock. */
import { parseTimestamp } from '../model/timestamp.js';

export interface DeadlineQuestion {
  /** As the service sent it; a bare key without a query is fine. */
  readonly url: string;
  /** The block's `expires_at`, in microseconds since 1970 UTC. */
  readonly expiresAtMicros: bigint | null;
  /** When the page that held the URL was made, by our monotonic clock and by the server's `Date`. */
  readonly served: { readonly sentAtMonotonicMs: number; readonly dateMs: number | null };
  /** Our wall clock, used only where the page carried no `Date`. */
  readonly nowMs: number;
  readonly nowMonotonicMs: number;
}

const DAY_MS = 86_400_000;
const LONGEST_PAST_MS = DAY_MS;
const LONGEST_LIFE_MS = 3660 * DAY_MS;
const LARGEST_MARGIN_MS = 1000; // a `Date` header is cut to whole seconds

/**
 * The moment on the monotonic clock (milliseconds) after which the URL is not worth a request, or null
 * where nothing tells. `expires_at` and the signature are both believed and the earlier counts; an
 * expiry more than a day ago or ten years ahead was not meant as one and is ignored.
 *
 * Server times are held against the server's clock and only the difference against ours, so that it
 * does not matter what our wall clock says.
 */
export function deadlineOf(question: DeadlineQuestion): number | null {
  const { served, nowMs, nowMonotonicMs } = question;
  const [serverNowMs, anchorMs] =
    served.dateMs === null ? [nowMs, nowMonotonicMs] : [served.dateMs, served.sentAtMonotonicMs];
  const lives = expiriesMs(question)
    .map((expiryMs) => expiryMs - serverNowMs)
    .filter((lifeMs) => lifeMs >= -LONGEST_PAST_MS && lifeMs <= LONGEST_LIFE_MS);
  if (lives.length === 0) return null;
  const lifeMs = Math.min(...lives);
  return anchorMs + lifeMs - Math.min(LARGEST_MARGIN_MS, Math.max(0, lifeMs / 10));
}

function expiriesMs({ url, expiresAtMicros }: DeadlineQuestion): number[] {
  const stated = expiresAtMicros === null ? [] : [Number(expiresAtMicros / 1000n)];
  return [...stated, ...signedExpiriesMs(url)].filter((ms) => Number.isFinite(ms));
}

function signedExpiriesMs(url: string): number[] {
  const [beforeFragment = ''] = url.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  if (mark < 0) return [];
  const parameters = new Map(
    [...new URLSearchParams(beforeFragment.slice(mark + 1))].map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const signedFor = ['x-amz', 'x-goog', 'x-oss'].map(
    (scheme) =>
      compactTimeMs(parameters.get(`${scheme}-date`)) +
      secondsMs(parameters.get(`${scheme}-expires`)),
  );
  return [
    ...signedFor,
    epochMs(parameters.get('expires')), // S3 version 2, CloudFront, Google version 2
    epochMs(parameters.get('q-sign-time')?.split(';')[1]), // Tencent COS: from;to
    isoMs(parameters.get('se')), // Azure
  ];
}

/** `20241018T104617Z`, the form of X-Amz-Date. */
function compactTimeMs(text: string | undefined): number {
  const digits = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '');
  if (!digits) return NaN;
  const [, year, month, day, hour, minute, second] = digits;
  return Date.parse(
    `${year ?? ''}-${month ?? ''}-${day ?? ''}T${[hour, minute, second].join(':')}Z`,
  );
}

function secondsMs(text: string | undefined): number {
  return /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) * 1000 : NaN;
}

function epochMs(text: string | undefined): number {
  return /^\d{9,11}$/.test(text ?? '') ? Number(text) * 1000 : NaN;
}

function isoMs(text: string | undefined): number {
  const micros = parseTimestamp(
    /^\d{4}-\d\d-\d\d$/.test(text ?? '') ? `${text ?? ''}T00:00:00Z` : (text ?? ''),
  );
  return micros === undefined ? NaN : Number(micros / 1000n);
}
