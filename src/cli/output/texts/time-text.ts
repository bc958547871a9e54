/** Times, in words. */
import { formatDuration } from '../../../base/units.js';
import { isDay } from '../../../model/times/timestamp.js';

/** `2026-01-31T09:30:00Z`, or the day. @param at ISO 8601 in UTC */
export function secondText(at: string): string {
  return isDay(at) ? at : `${at.slice(0, 19)}Z`;
}

/** `2026-01-31T09:30:00Z, 3 days 4 h ago`, or the day. @param at ISO 8601 in UTC */
export function timeWithAge(at: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(at);
  const time = secondText(at);
  // the clock of the machine that wrote it may be ahead
  return ageMs < 0 || isDay(at) ? time : `${time}, ${formatDuration(ageMs)} ago`;
}
