/** Sessions as a prune finds them in an archive, with every field that a test does not care about filled in. */
import type { JobState, SessionState } from '../../../src/archive/state/user-state.js';
import type { ArchivedSession } from '../../../src/archive/state/archived-session.js';
import { asJobId, asSessionId, asUserId } from '../../../src/model/ids.js';

export const DAY = 86_400_000;
export const NOW = Date.UTC(2026, 10, 21);

export const job = (over: Partial<JobState> = {}): JobState => ({
  version: 1,
  hash: 'h',
  text_hash: null,
  urls: null,
  files: null,
  settled: true,
  seen_at: '2026-11-01T00:00:00.000Z',
  index: 0,
  gaps: 0,
  suspicious: 0,
  ...over,
});

/** Archived by a commit, so many days ago. */
export function archived(
  id: string,
  place: {
    readonly commit: number;
    readonly daysAgo?: number;
    /** Default: the commit's own. */
    readonly run?: number;
    /** Told by the ids of its jobs. */
    readonly jobDaysAgo?: number;
  },
  over: Partial<SessionState> = {},
): ArchivedSession {
  const { commit, daysAgo = 0, run = commit, jobDaysAgo } = place;
  const atMs = NOW - daysAgo * DAY;
  const state: SessionState = {
    version: 1,
    metaHash: 'm',
    total: 1,
    archived: 1,
    complete: true,
    growth: null,
    gaps: [],
    deleted: false,
    goneAt: null,
    jobs: new Map([[asJobId('j'), job()]]),
    withdrawn: new Map(),
    ...over,
  };
  return {
    user: asUserId('ann'),
    session: asSessionId(id),
    state,
    commits: [commit],
    hashes: new Map(),
    isClockConfirmed: true,
    changed: { commit, run, atMs },
    activity:
      jobDaysAgo === undefined
        ? { atMs, from: 'first-seen' }
        : { atMs: NOW - jobDaysAgo * DAY, from: 'job-id' },
  };
}
