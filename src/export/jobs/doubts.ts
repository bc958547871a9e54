/** Doubts whether a session was answered with its own history, and what they say. */
import type { GapEntry } from '../../archive/log/commit.js';
import { asSessionId } from '../../model/ids.js';
import { wholeGap } from './gap.js';

/** Both have a job that only one of them can have. */
export function sharedGap(other: string): GapEntry {
  const reason = `its history has jobs of session ${other}: one of the two was answered with the history of the other. Both are read again until they differ`;
  return { ...wholeGap('doubtful', reason), shared_with: asSessionId(other) };
}

/** @param below all archived jobs have a number below this one */
export function lostGap(below: number): GapEntry {
  const reason =
    'its history has none of the jobs that were archived before: it may be that of another session, or they were deleted at the service';
  return { ...wholeGap('doubtful', reason), lost_below: below };
}
