/** How long the archive keeps everything at least, as the log says it. */
import { counted } from '../../base/text/counted.js';
import type { RetentionEntry } from './commit.js';

/** The floor as of a commit; a later one replaces it, and the log has all. */
export interface RetentionFloor extends RetentionEntry {
  /** When it was set; ISO 8601. */
  readonly since: string;
  /** Number of the commit that set it. */
  readonly commit: number;
}

/** `2,192 days (set on 2026-11-29 by Grace: "SEC 17a-4")` */
export function floorText({ min_ms: minMs, since, by, reason }: RetentionFloor): string {
  return `${daysText(minMs)} (set on ${since.slice(0, 10)} by ${by}: ${JSON.stringify(reason)})`;
}

export function daysText(ms: number): string {
  return counted(Math.floor(ms / 86_400_000), 'day');
}
