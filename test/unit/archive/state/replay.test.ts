import { expect, it } from 'vitest';
import {
  emptyState,
  type JobState,
  type UserState,
} from '../../../../src/archive/state/user-state.js';
import {
  applyCommit,
  sortedOut,
  sessionEntryOf,
} from '../../../../src/archive/state/apply-commit.js';
import type { DeletionEntry, JobLine, SessionEntry } from '../../../../src/archive/log/commit.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import { job, NO_JOB, session } from '../../../support/store/archive-samples.js';

const ann = asUserId('ann');
function deletion(user: string, id: string): DeletionEntry {
  const which = { user: asUserId(user), session: asSessionId(id) };
  return {
    ...which,
    deleted_at: '2026-11-05T12:00:00Z',
    commit: 1,
    job_count: 1,
    outcome: 'deleted',
  };
}

/** The state after one commit after the other, of these entries each. */
function replayed(
  ...commits: readonly {
    readonly sessions?: SessionEntry[];
    readonly jobs?: JobLine[];
    readonly deletions?: DeletionEntry[];
  }[]
): UserState {
  return commits.reduce((state, { sessions = [], jobs = [], deletions = [] }, before) => {
    const number = before + 1;
    return applyCommit(state, { number, digest: `d${number}`, sessions, deletions }, jobs);
  }, emptyState(ann));
}

/** The sessions of a state, with their jobs. */
const told = ({ sessions }: UserState) =>
  [...sessions].map(([id, { deleted, jobs }]) => [id, deleted, [...jobs.keys()].join(' ')]);

it("a commit changes a user's state by that user’s entries alone, even of equal session ids", () => {
  const state = replayed(
    { sessions: [session('ann', 's')], jobs: [job('ann', 's', 'a'), job('ben', 's', 'b')] },
    { sessions: [session('ben', 's', { version: 9 }), session('ben', 't')] },
    { deletions: [deletion('ben', 's')] },
  );
  expect(told(state)).toEqual([['s', false, 'a']]);
  expect(state.sessions.get(asSessionId('s'))?.version).toBe(1);
  expect([state.through, state.throughDigest]).toEqual([3, 'd3']);
});

it('a deletion of a session that is not archived changes nothing in the state of a user', () => {
  expect(told(replayed({ deletions: [deletion('ann', 's')] }))).toEqual([]);
  expect(told(replayed({ jobs: [job('ann', 's', 'a')] }))).toEqual([]);
});

it('a user has a session no longer as deleted once it is read from the service again', () => {
  const [archived, deleted] = [
    { sessions: [session('ann', 's')] },
    { deletions: [deletion('ann', 's')] },
  ];
  const goneAt = '2026-11-06T12:00:00Z';
  expect(told(replayed(archived, deleted))).toEqual([['s', true, '']]);
  expect(told(replayed(archived, deleted, archived))).toEqual([['s', false, '']]);
  const gone = { sessions: [session('ann', 's', { gone_at: goneAt })] };
  expect(told(replayed(archived, deleted, gone))).toEqual([['s', true, '']]);
  expect(told(replayed(archived, gone))).toEqual([['s', false, '']]);
  expect(told(replayed(gone))).toEqual([['s', false, '']]);
});

it('the jobs of a user stay where a commit brings others, in the order of their places', () => {
  const state = replayed(
    { sessions: [session('ann', 's')], jobs: [job('ann', 's', 'b', { index: 1 })] },
    { sessions: [session('ann', 's')], jobs: [job('ann', 's', 'c', { index: 0 })] },
    { sessions: [session('ann', 's')], jobs: [job('ann', 's', 'a', { index: 1, version: 2 })] },
  );
  expect(told(state)).toEqual([['s', false, 'c a b']]);
});

it('all jobs that a commit brings come to a user, each to its session', () => {
  const jobs = [job('ann', 's', 'a'), job('ann', 't', 'b'), job('ann', 's', 'c')];
  const state = replayed({ sessions: [session('ann', 's'), session('ann', 't')], jobs });
  expect(told(state)).toEqual([
    ['s', false, 'a c'],
    ['t', false, 'b'],
  ]);
});

it('a session that is written again says what the commit said of it', () => {
  const gaps = [{ ...NO_JOB, status: 'failed', reason: 'HTTP 500' }];
  const facts = {
    version: 7,
    total: 3,
    archived: 2,
    complete: false,
    growth: 'front',
    gaps,
  } as const;
  const gone = { gone_at: '2026-11-06T12:00:00Z', meta_hash: 'm7' };
  const entries = [session('ann', 's', { ...facts, ...gone }), session('ann', 't')];
  const { sessions } = replayed({ sessions: entries });
  const again = [...sessions].map(([id, state]) => sessionEntryOf(ann, id, state));
  expect(again).toStrictEqual(entries);
});

it('jobs at one place stand in the order of their ids', () => {
  const entries = ['b', 'c', 'a'].map((id) => [asJobId(id), { index: 0 } as JobState] as const);
  expect([...sortedOut(entries.map(([id, state]) => [id, state])).jobs.keys()]).toEqual([
    'a',
    'b',
    'c',
  ]);
});

it('a job that is withdrawn leaves its session, and comes back with a later line', () => {
  const lines = [
    job('ann', 's', 'a'),
    { ...job('ann', 's', 'a'), version: 2, withdrawn: true as const },
    { ...job('ann', 's', 'a'), version: 3 },
  ];
  const after = [1, 2, 3].map((count) => {
    const commits = lines.slice(0, count).map((line) => {
      return { sessions: [session('ann', 's')], jobs: [line] };
    });
    const { jobs, withdrawn } = replayed(...commits).sessions.get(asSessionId('s'))!;
    return [[...jobs.keys()], [...withdrawn.keys()]];
  });
  expect(after).toEqual([
    [['a'], []],
    [[], ['a']],
    [['a'], []],
  ]);
});
