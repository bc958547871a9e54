import { expect, it } from 'vitest';
import type { GapEntry, UserEntry } from '../../../../src/archive/log/commit.js';
import { emptyState, type SessionState } from '../../../../src/archive/state/user-state.js';
import type { Gap } from '../../../../src/export/jobs/gap.js';
import { AcceptedGaps } from '../../../../src/archive/log/accepted-gaps.js';
import { KnownGaps } from '../../../../src/export/users/known-gaps.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import { NO_JOB } from '../../../support/store/archive-samples.js';

const file: GapEntry = {
  ...{ job: 'j1', role: 'answer', block_index: 0, file_index: 1 },
  ...{ kind: 'TABLE', status: 'expired', reason: 'the URL has expired' },
} as GapEntry;
const unread: GapEntry = {
  ...NO_JOB,
  status: 'incomplete',
  reason: 'not read to its end',
};
const listing: UserEntry = {
  ...{
    user: asUserId('ann'),
    listed_at: '2026-11-05T12:00:00.000Z',
    listed: 2,
    total_items: 2,
    complete: true,
    gaps: 0,
    error: null,
  },
  ...{ sessions: { new: 0, changed: 0, unchanged: 2, failed: 0 }, jobs: { archived: 0 } },
};

function isKnown(gap: GapEntry, session: string | null = 's1', entries: UserEntry[] = []) {
  const state = emptyState(asUserId('ann'));
  const archived = { gaps: [file, unread] } as unknown as SessionState;
  const sessions = new Map([[asSessionId('s1'), archived]]);
  const told = { state: { ...state, sessions }, listings: entries };
  const known = new KnownGaps({ told, accepted: new AcceptedGaps() });
  return known.marked({ user: 'ann', session, ...gap } as Gap).known === true;
}

it.each<[string, GapEntry, boolean]>([
  ['a file that is missing as before', file, true],
  ['a file that is missing for another reason', { ...file, status: 'missing' }, true],
  ['another file of the job', { ...file, file_index: 2 }, false],
  ['a history that is not read to its end, as before', unread, true],
  ['a doubt about a session that had a gap', { ...unread, status: 'doubtful' }, false],
])('%s: the log had it before is %s', (_what, gap, expected) => {
  expect(isKnown(gap)).toBe(expected);
});

it('of another session the log had none', () => {
  expect(isKnown(file, 's2')).toBe(false);
});

it.each<[string, Partial<UserEntry>, boolean]>([
  ['failed, too', { complete: false, error: 'no permission' }, true],
  ['lacked sessions', { complete: false, listed: 1 }, true],
  ['sent no total', { complete: false, total_items: null }, true],
  ['was complete', {}, false],
  ['was whole, with gaps in sessions', { complete: false }, false],
])('a listing that fails after one that %s: the log had it before is %s', (_what, more, known) => {
  expect(isKnown({ ...unread, status: 'failed' }, null, [{ ...listing, ...more }])).toBe(known);
});
