/** What a Retry-After header asks for. Source: RFC 9110, section 10.2.3 */

/** An HTTP date, in the form that is sent or one of the two old ones: always with a weekday first. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /i;

/**
 * Milliseconds to wait from now: 0 for a date that is past; null for an absent header or nonsense.
 *
 * @param nowMs wall time of the one who wrote the header, so that its clock may be wrong
 */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return null;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
