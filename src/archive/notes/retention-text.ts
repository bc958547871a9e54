/** How long the archive keeps everything at least, in words. */
import { counted } from '../../base/text/counted.js';
import type { RetentionFloor } from '../log/retention-floor.js';

/** `2,192 days (set on 2026-11-29 by Grace: "SEC 17a-4")` */
export function floorText({ min_ms: minMs, since, by, reason }: RetentionFloor): string {
  return `${daysText(minMs)} (set on ${since.slice(0, 10)} by ${by}: ${JSON.stringify(reason)})`;
}

export function daysText(ms: number): string {
  return counted(Math.floor(ms / 86_400_000), 'day');
}
