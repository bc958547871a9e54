/** Parses a Retry-After header. Source: RFC 9110, section 10.2.3 */

/** An HTTP date, in the current form or one of the two old ones: all begin with a weekday. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /i;

/**
 * Milliseconds to wait from now: 0 for a date in the past; null for an absent or invalid header.
 *
 * @param nowMs wall time of the sender, whose clock may be wrong
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return null;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
