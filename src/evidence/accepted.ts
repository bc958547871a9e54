/** What a pack says of gaps that somebody has accepted: for whom it is made they stay gaps. */
import type { AcceptedGap } from '../archive/log/accepted-gaps.js';

/** The cells of a gap in `gaps.csv` that nobody has accepted. */
export const NOT_ACCEPTED = { accepted_by: null, accepted_at: null, accepted_reason: null };

export function acceptedCells(accepted: AcceptedGap | undefined) {
  if (!accepted) return NOT_ACCEPTED;
  const { by, at, reason } = accepted;
  return { accepted_by: by, accepted_at: at, accepted_reason: reason };
}
