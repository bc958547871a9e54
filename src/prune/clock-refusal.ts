/** Whether this machine's clock can be trusted with a deletion: jobs settle and rules count by it. */
import { formatDuration } from '../base/duration.js';
import { refusal, type Refusal } from './refusal.js';

/** The difference between our clock and the service's that a deletion tolerates. */
const TOLERATED_MS = 5 * 60_000;

/** @param gapMs as the service client has it; null where the service does not tell the time: nothing contradicts then */
export function clockRefusal(gapMs: number | null): Refusal | undefined {
  if (gapMs === null || Math.abs(gapMs) <= TOLERATED_MS) return undefined;
  const direction = gapMs < 0 ? 'behind' : 'ahead of';
  const detail = `this machine's clock is ${formatDuration(Math.abs(gapMs))} ${direction} the service's: set it before anything is deleted by it`;
  return refusal('clock', detail);
}
