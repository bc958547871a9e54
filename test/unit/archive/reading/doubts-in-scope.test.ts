/** Sessions with gaps and users not proven complete, in the scope of a search. */
import { beforeEach, expect, it } from 'vitest';
import { acceptGaps, listGaps } from '../../../../src/archive/gaps.js';
import { fromSnapshot, type Archive } from '../../../../src/archive/archive.js';
import {
  countDoubts,
  doubtsIn,
  sessionsWithOpenGaps,
} from '../../../../src/archive/reading/doubts.js';
import { Selection } from '../../../../src/archive/reading/selection.js';
import { UserListings } from '../../../../src/archive/reading/user-listings.js';
import { asJobId } from '../../../../src/model/ids.js';
import {
  deletionEntry,
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../support/store/snapshots.js';

const { signal } = new AbortController();
const gap = (job: string) => ({
  job: asJobId(job),
  role: 'answer',
  block_index: 0,
  file_index: 0,
  kind: 'TABLE',
  status: 'missing',
  reason: 'HTTP 404',
});
const asked = { reason: 'ticket 7', by: 'Grace' };
const ids = Array.from({ length: 12 }, (_, at) => `s${String(at + 1).padStart(2, '0')}`);

let archive: Archive;
/** Ann has twelve sessions with a gap each, the last with two; ben has one without; of cyd no list was read. */
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  const sessions = ids.map((id) =>
    session('ann', id, { gaps: id === 's12' ? [gap('j'), gap('k')] : [gap('j')] }),
  );
  const users = [
    userEntry('ann', { listed: 12, total_items: 12, gaps: 13 }),
    userEntry('ben', { listed: 1, total_items: 1 }),
  ];
  await archive.log.append(
    draft({ sessions: [...sessions, session('ben', 'b1'), session('cyd', 'c1')], users }),
  );
  await archive.index.refresh();
});

const counted = (users: string[] = [], sessions: string[] = []) =>
  countDoubts(archive, { users, sessions }, signal);

async function doubtsOf(users: string[]) {
  const selection = await Selection.of(archive, { users, sessions: [] }, signal);
  return doubtsIn(archive, selection, await UserListings.of(archive), signal);
}

it('doubts in a scope are sessions with gaps, of which ten are named, and users not proven complete', async () => {
  expect(await counted()).toEqual({
    sessions_with_gaps: 12,
    sessions_with_accepted_gaps: 0,
    users_not_proven: 1,
    gap_sessions: ids.slice(0, 10),
    unproven_users: ['cyd'],
  });
  expect(await counted(['ben'])).toMatchObject({ sessions_with_gaps: 0, users_not_proven: 0 });
  expect(await counted([], ['s03', 'c1'])).toEqual({
    sessions_with_gaps: 1,
    sessions_with_accepted_gaps: 0,
    users_not_proven: 0,
    gap_sessions: ['s03'],
    unproven_users: [],
  });
});

it('doubts in a scope are also sessions of which every gap is accepted, which are counted apart', async () => {
  await acceptGaps(archive, { sessions: ids.slice(0, 11), ...asked });
  await acceptGaps(archive, { sessions: ['s12'], job: 'k', ...asked });
  expect(await counted(['ann'])).toMatchObject({
    sessions_with_gaps: 12,
    sessions_with_accepted_gaps: 11,
  });
  await acceptGaps(archive, { sessions: ['s12'], ...asked });
  const ofAnn = await doubtsOf(['ann']);
  expect(ofAnn.named).toEqual({
    sessions_with_gaps: 12,
    sessions_with_accepted_gaps: 12,
    users_not_proven: 0,
    gap_sessions: ids.slice(0, 10),
    unproven_users: [],
  });
  expect([ofAnn.isAny, ofAnn.hasUser('ann'), ofAnn.hasUser('ben')]).toEqual([true, true, false]);
  const ofBen = await doubtsOf(['ben']);
  expect([ofBen.isAny, ofBen.hasUser('ben')]).toEqual([false, false]);
});

it('Of sessions that are gone or deleted none is present, as listings are compared with them', async () => {
  const present = async (of = archive): Promise<unknown> => {
    const seen: Record<string, [number, number]> = {};
    const listings = {
      isProven: (user: string, there: number) => {
        seen[user] = [there, 0];
        return true;
      },
      gapOf: (user: string, archived: number) => {
        seen[user] = [seen[user]?.[0] ?? 0, archived];
        return undefined;
      },
    };
    const selection = await Selection.of(of, { users: [], sessions: [] }, signal);
    await doubtsIn(of, selection, listings as unknown as UserListings, signal);
    return seen;
  };
  expect(await present()).toEqual({ ann: [12, 12], ben: [1, 1], cyd: [1, 1] });
  const gone = session('ann', 's01', { version: 2, gone_at: '2026-11-20T00:00:00.000Z' });
  await archive.log.append(draft({ base: 1, run: runOf('B'), sessions: [gone] }));
  const deletions = [deletionEntry('ben', 'b1'), deletionEntry('dan', 'd1')];
  await archive.log.append(draft({ base: 2, run: runOf('C'), deletions }));
  await archive.index.refresh();
  const then = { ann: [11, 12], ben: [0, 1], cyd: [1, 1], dan: [0, 0] };
  expect(await present()).toEqual(then);
  await snapshotOf(archive);
  const reader = fromSnapshot(reopened(archive));
  await reader.index.refresh();
  expect(reader.index.snapshot).toBeDefined();
  expect(await present(reader)).toEqual(then);
});

it('Of users who are not proven complete ten are named', async () => {
  const users = Array.from({ length: 12 }, (_, at) => `u${String(at).padStart(2, '0')}`);
  await archive.log.append(draft({ base: 1, sessions: users.map((user) => session(user, 's')) }));
  expect(await counted(users)).toMatchObject({
    users_not_proven: 12,
    unproven_users: users.slice(0, 10),
  });
});

it('Of a gap it is said whether its session is gone or deleted: no run reads that any more', async () => {
  const gone = { version: 2, gone_at: '2026-11-20T00:00:00.000Z', gaps: [gap('j')] };
  await archive.log.append(
    draft({ base: 1, run: runOf('B'), sessions: [session('ann', 's01', gone)] }),
  );
  const deletions = [deletionEntry('ann', 's02')];
  await archive.log.append(draft({ base: 2, run: runOf('C'), deletions }));
  const listed = await listGaps(archive, signal);
  const isGone = (id: string) => listed.find((one) => one.session === id)?.is_gone;
  expect(['s01', 's02', 's03'].map(isGone)).toEqual([true, true, false]);
});

it('A command fails for sessions with a gap that nobody has accepted', () => {
  const doubts = { sessions_with_gaps: 3, sessions_with_accepted_gaps: 1, users_not_proven: 0 };
  expect([sessionsWithOpenGaps(doubts), sessionsWithOpenGaps(null)]).toEqual([2, 0]);
});

it('Gaps are listed with who accepts them, and those of a list that could not be read', async () => {
  await acceptGaps(archive, { sessions: ['s12'], job: 'k', ...asked });
  const users = [
    userEntry('dan', { listed: 0, total_items: null, complete: false, error: 'HTTP 500' }),
  ];
  await archive.log.append(draft({ base: archive.index.through, users }));
  const listed = await listGaps(archive, signal);
  expect(listed).toHaveLength(14);
  expect(listed.filter(({ session: id }) => id === 's12')).toEqual([
    { user: 'ann', session: 's12', ...gap('j'), is_gone: false, accepted: null },
    {
      user: 'ann',
      session: 's12',
      ...gap('k'),
      is_gone: false,
      accepted: expect.objectContaining(asked) as unknown,
    },
  ]);
  expect(listed.at(-1)).toEqual({
    user: 'dan',
    session: null,
    job: null,
    role: null,
    block_index: null,
    file_index: null,
    kind: null,
    status: 'failed',
    reason: 'HTTP 500',
    is_gone: false,
    accepted: null,
  });
});
