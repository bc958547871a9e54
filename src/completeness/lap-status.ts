/** The laps of the runs round all users. */
import type { Archive } from '../archive/archive.js';
import { asOf, lapsInUse } from '../archive/laps.js';

export interface LapStatus {
  readonly scope: string;
  readonly number: number;
  readonly began_at: string;
  /** How long the lap before took; null in the first, and where nothing tells it. */
  readonly last_ms: number | null;
  /** Whether that, or the lap under way until now, is longer than `maxStalenessMs`. */
  readonly overdue: boolean;
}

/**
 * The laps in use: an overdue lap of a scope that no run uses any more, as shards of another number, would be told for
 * ever.
 */
export async function lapsOf(
  { storage, clock }: Archive,
  maxStalenessMs: number,
): Promise<LapStatus[]> {
  const nowMs = clock.now();
  return (await lapsInUse(storage)).map((stored) => {
    const { scope, number, beganAtMs, lastBeganAtMs } = asOf(stored, nowMs);
    // both began when one run of a queue was put on it, or by a clock that was ahead: no lap takes no time
    const tookMs = beganAtMs - (lastBeganAtMs ?? beganAtMs);
    const overdue = Math.max(tookMs, nowMs - beganAtMs) > maxStalenessMs;
    return {
      scope,
      number,
      began_at: new Date(beganAtMs).toISOString(),
      last_ms: tookMs > 0 ? tookMs : null,
      overdue,
    };
  });
}
