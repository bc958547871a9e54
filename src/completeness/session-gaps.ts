/** The gaps of a session: those of the log, and one for a history that was not read to its end. */
import type { GapEntry } from '../archive/log/commit.js';
import type { SessionState } from '../archive/state/user-state.js';

const UNREAD: GapEntry = {
  job: null,
  role: null,
  block_index: null,
  file_index: null,
  kind: null,
  status: 'incomplete',
  reason: 'its history has not been read to the end yet',
};

/** A gap of the whole session already covers a history that was not read to its end. */
export function sessionGaps({
  complete,
  gaps,
}: Pick<SessionState, 'complete' | 'gaps'>): readonly GapEntry[] {
  return complete || gaps.some(({ job }) => job === null) ? gaps : [...gaps, UNREAD];
}
