/** The gaps of a session: those of the log, and one for a history that was not read to its end. */
import type { GapEntry } from '../log/commit.js';
import type { SessionState } from '../state/user-state.js';

const UNREAD: GapEntry = {
  job: null,
  role: null,
  block_index: null,
  file_index: null,
  kind: null,
  status: 'incomplete',
  reason: 'its history has not been read to the end yet',
};

/** Whether a job, by its id as the log has it, is one of those that are looked at. */
type IsChosen = (job: string) => boolean;

/**
 * A gap of the whole session already says why it is not complete; the gap of a file does not.
 *
 * @param isChosen the jobs that are looked at; default: all of the session
 */
export function sessionGaps(
  { complete, gaps }: Pick<SessionState, 'complete' | 'gaps'>,
  isChosen?: IsChosen,
): readonly GapEntry[] {
  const isTold = complete || gaps.some(({ job }) => job === null);
  const all = isTold ? gaps : [...gaps, UNREAD];
  return isChosen ? gapsOfChosen(all, isChosen) : all;
}

/** Gaps of the session as a whole stay: a chosen job may be what is missing. */
export function gapsOfChosen(gaps: readonly GapEntry[], isChosen: IsChosen): readonly GapEntry[] {
  return gaps.filter(({ job }) => job === null || isChosen(job));
}
