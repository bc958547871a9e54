/** Computes when a URL expires, on our monotonic clock, from the service's `expires_at` and the URL's signature. */
import type { Clock } from '../base/runtime.js';
import { parseTimestamp } from '../model/times/timestamp.js';
import type { ServedAt } from '../service/service-client.js';
import type { FileLocation } from './artifact-fetcher.js';

export interface DeadlineInput {
  /** As the service sent it; a bare key without a query is fine. */
  readonly url: string;
  /** The block's `expires_at`, in microseconds since 1970 UTC. */
  readonly expiresAtMicros: bigint | null;
  /** When the page with the URL was served, by our monotonic clock and by the server's `Date`. */
  readonly served: { readonly sentAtMonotonicMs: number; readonly dateMs: number | null };
  /** Our wall clock, used only if the page had no `Date`. */
  readonly nowMs: number;
  readonly nowMonotonicMs: number;
}

const DAY_MS = 86_400_000;
const LONGEST_PAST_MS = DAY_MS;
const LONGEST_LIFE_MS = 3660 * DAY_MS;
const LARGEST_MARGIN_MS = 1000; // a `Date` header has whole seconds

/**
 * The URL's deadline on the monotonic clock (milliseconds), or null if unknown. The earlier of
 * `expires_at` and the signature's expiry counts. An expiry more than a day ago or ten years ahead is
 * implausible and ignored.
 *
 * The remaining life is computed by the server's clock alone, so that our wall clock does not matter.
 */
export function deadlineOf(input: DeadlineInput): number | null {
  const { served, nowMs, nowMonotonicMs } = input;
  const [serverNowMs, anchorMs] =
    served.dateMs === null ? [nowMs, nowMonotonicMs] : [served.dateMs, served.sentAtMonotonicMs];
  const lives = expiriesMs(input)
    .map((expiryMs) => expiryMs - serverNowMs)
    .filter((lifeMs) => lifeMs >= -LONGEST_PAST_MS && lifeMs <= LONGEST_LIFE_MS);
  if (lives.length === 0) return null;
  const lifeMs = Math.min(...lives);
  return anchorMs + lifeMs - Math.min(LARGEST_MARGIN_MS, Math.max(0, lifeMs / 10));
}

/** The URL with its deadline. @param expiresAt the block's `expires_at`, in microseconds since 1970 UTC */
export function fileLocation(
  url: string,
  expiresAt: bigint | null,
  served: ServedAt,
  clock: Clock,
): FileLocation {
  const deadlineMs = deadlineOf({
    url,
    expiresAtMicros: expiresAt,
    served,
    nowMs: clock.now(),
    nowMonotonicMs: clock.monotonic(),
  });
  return { url, deadlineMs };
}

function expiriesMs({ url, expiresAtMicros }: DeadlineInput): number[] {
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
