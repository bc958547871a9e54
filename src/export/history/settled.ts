/** Decides whether a job is settled: its answer is not expected to change any more. */

export interface SettleFacts {
  readonly hasRespondBlock: boolean;
  /** From the job's id; null if the id has no time. */
  readonly createdAtMs: number | null;
  /** How long ago this content was first seen; 0 the first time. */
  readonly unchangedForMs: number;
  readonly nowMs: number;
  /** `--settle-time`. */
  readonly settleTimeMs: number;
}

/** How long an answer must be the same to count as settled, however old its job. */
export const AGREEING_READS_MS = 10 * 60_000;
/** Likewise for a job without an answer. */
export const WITHOUT_RESPOND_MS = 24 * 3_600_000;

export function isSettled(facts: SettleFacts): boolean {
  if (!facts.hasRespondBlock) return facts.unchangedForMs >= WITHOUT_RESPOND_MS;
  const isOld = facts.createdAtMs !== null && facts.nowMs - facts.createdAtMs >= facts.settleTimeMs;
  return isOld || facts.unchangedForMs >= AGREEING_READS_MS;
}
