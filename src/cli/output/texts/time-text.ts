/** Times, in words. */
import { knowsDaysAlone } from '../../../archive/reading/users/read-until.js';
import { formatDuration } from '../../../base/units.js';
import type { OpenArchive } from '../../../library/open-archive.js';

/** `2026-01-31T09:30:00Z` @param at ISO 8601 in UTC */
export function secondText(at: string): string {
  return `${at.slice(0, 19)}Z`;
}

/** How a time of a question is told: of a copy that knows days alone as its day. @param textOf of any other */
export function questionTime(
  { identity }: Pick<OpenArchive, 'identity'>,
  textOf: (at: string) => string,
): (at: string) => string {
  return knowsDaysAlone(identity.pseudonymised) ? (at) => at.slice(0, 10) : textOf;
}

/** `2026-01-31T09:30:00Z, 3 days 4 h ago`. @param at ISO 8601 in UTC */
export function timeWithAge(at: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(at);
  const time = secondText(at);
  // the clock of the machine that wrote it may be ahead
  return ageMs < 0 ? time : `${time}, ${formatDuration(ageMs)} ago`;
}
