/** Sessions with gaps and users not proven complete, in the scope of a search. */
import { beforeEach, expect, it } from 'vitest';
import { acceptGaps, listGaps } from '../../../../src/archive/gaps.js';
import type { Archive } from '../../../../src/archive/archive.js';
import { doubtsIn } from '../../../../src/archive/reading/doubts.js';
import { caveatsOf } from '../../../../src/archive/reading/caveats/caveat.js';
import { headlineOf, isIncomplete } from '../../../../src/archive/reading/caveats/caveat-text.js';
import { readUsers } from '../../../../src/archive/reading/caveats/read-users.js';
import { ArchiveView } from '../../../../src/archive/reading/archive-view.js';
import { archiveStatus } from '../../../../src/completeness/archive-status.js';
import type { UserStatus } from '../../../../src/completeness/user-status.js';
import { NO_PLACE } from '../../../../src/model/records.js';
import { readScope } from '../../../../src/archive/reading/caveats/read-scope.js';
import { Selection } from '../../../../src/archive/reading/selection.js';
import { UserListings } from '../../../../src/archive/reading/users/user-listings.js';
import {
  gapOf,
  deletionEntry,
  draft,
  makeArchive,
  NO_JOB,
  runOf,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { NOTHING_FOUND } from '../../../support/tables/caveat-counts.js';

const { signal } = new AbortController();
const asked = { reason: 'ticket 7', by: 'Grace' };
const ids = Array.from({ length: 12 }, (_, at) => `s${String(at + 1).padStart(2, '0')}`);

let archive: Archive;
/** Ann has twelve sessions with a gap each, the last with two; ben has one without; of cyd no list was read. */
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  const sessions = ids.map((id) =>
    session('ann', id, { gaps: id === 's12' ? [gapOf('j'), gapOf('k')] : [gapOf('j')] }),
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

/** The kinds of caveat of the scope: how many, and whom they name. */
async function told(users: string[] = [], sessions: string[] = []) {
  const reading = await readScope(archive, { users, sessions }, signal);
  return caveatsOf(reading(NOTHING_FOUND)).map(({ kind, count, named }) => [
    kind,
    count,
    named.length,
  ]);
}

async function doubtsOf(users: string[]) {
  const selection = await Selection.of(archive, { users, sessions: [] }, { signal });
  return doubtsIn(archive, selection, await UserListings.of(archive), { signal });
}

it('doubts in a scope are sessions with gaps, and users not proven complete', async () => {
  expect(await told()).toEqual([
    ['searched_gap', 12, 12],
    ['not_proven', 1, 1],
  ]);
  expect(await told(['ben'])).toEqual([]);
  expect(await told([], ['s03', 'c1'])).toEqual([['searched_gap', 1, 1]]);
});

it('doubts in a scope are also sessions of which every gap is accepted, which fail no command', async () => {
  const caveats = async () => {
    const reading = await readScope(archive, { users: ['ann'], sessions: [] }, signal);
    return caveatsOf(reading(NOTHING_FOUND));
  };
  await acceptGaps(archive, { sessions: ids.slice(0, 11), ...asked });
  await acceptGaps(archive, { sessions: ['s12'], job: 'k', ...asked });
  const [some] = await caveats();
  expect(some?.headline).toBe(
    '12 conversations that were searched have gaps, those of 11 all accepted',
  );
  expect(isIncomplete(await caveats())).toBe(true);
  await acceptGaps(archive, { sessions: ['s12'], ...asked });
  const [all] = await caveats();
  expect(all?.headline).toBe('12 conversations that were searched have gaps, all of them accepted');
  expect(isIncomplete(await caveats())).toBe(false);
  const ofAnn = await doubtsOf(['ann']);
  expect([ofAnn.hasUser('ann'), ofAnn.hasUser('ben')]).toEqual([true, false]);
  expect((await doubtsOf(['ben'])).hasUser('ben')).toBe(false);
});

const doubted = { ...NO_PLACE, job: null, kind: null, status: 'doubtful', reason: 'as s2 has it' };

it('Doubts are told as doubts where a search looked, and not as gaps', async () => {
  const both = [session('dan', 's1', { gaps: [doubted] }), session('dan', 's2')];
  const gaps = [doubted, gapOf('j')];
  const draftOf = [...both, session('dan', 's3', { gaps })];
  await archive.log.append(draft({ base: 1, run: runOf('B'), sessions: draftOf }));
  const caveats = async () => {
    const reading = await readScope(archive, { users: [], sessions: ['s1', 's2', 's3'] }, signal);
    return caveatsOf(reading(NOTHING_FOUND)).map(({ kind, headline, open, next }) => {
      return [kind, headline, open, next?.text().includes('--retry-gaps') ?? false];
    });
  };
  expect(await caveats()).toEqual([
    ['searched_gap', '1 conversation that was searched has gaps', true, true],
    ['searched_doubt', '2 conversations that were searched are in doubt', true, false],
  ]);
  await acceptGaps(archive, { sessions: ['s1'], ...asked });
  const [, some] = await caveats();
  expect(some?.slice(1, 3)).toEqual([
    '2 conversations that were searched are in doubt, 1 of them accepted',
    true,
  ]);
  await acceptGaps(archive, { sessions: ['s3'], ...asked });
  const [, all] = await caveats();
  expect(all?.slice(1, 3)).toEqual([
    '2 conversations that were searched are in doubt, all accepted',
    false,
  ]);
});

it('An accepted doubt is no loss: of what is archived it is said that it is in doubt', async () => {
  const sessions = [session('dan', 's1', { gaps: [doubted] }), session('dan', 's2')];
  const users = [userEntry('dan', { listed: 2, total_items: 2, gaps: 1 })];
  await archive.log.append(draft({ base: 1, run: runOf('B'), sessions, users }));
  const told = async () => {
    const view = await ArchiveView.of(archive, { users: ['dan'], sessions: [] });
    const caveats = caveatsOf(await readUsers(view));
    const statuses: UserStatus[] = [];
    await archiveStatus(archive, { onUser: (one) => statuses.push(one) });
    return [headlineOf(caveats), isIncomplete(caveats), statuses.at(-1)?.status];
  };
  const head = 'Not proven complete: 1 doubt about what is archived';
  expect(await told()).toEqual([head, true, 'not-proven']);
  await acceptGaps(archive, { sessions: ['s1'], ...asked });
  expect(await told()).toEqual([`${head}, which is accepted`, false, 'not-proven']);
});

it('Of what a scope has many the first two hundred are named, and the others counted', async () => {
  const users = Array.from({ length: 202 }, (_, at) => `u${String(at).padStart(3, '0')}`);
  await archive.log.append(draft({ base: 1, sessions: users.map((user) => session(user, 's')) }));
  const reading = await readScope(archive, { users, sessions: [] }, signal);
  const [caveat] = caveatsOf(reading(NOTHING_FOUND));
  expect([caveat?.count, caveat?.total, caveat?.named.at(-1), caveat?.unnamed]).toEqual([
    202,
    202,
    'u199: never listed as a whole',
    2,
  ]);
});

it('Of a gap it is said whether its session is gone or deleted: no run reads that any more', async () => {
  const gone = { version: 2, gone_at: '2026-11-20T00:00:00.000Z', gaps: [gapOf('j')] };
  await archive.log.append(
    draft({ base: 1, run: runOf('B'), sessions: [session('ann', 's01', gone)] }),
  );
  const deletions = [deletionEntry('ann', 's02')];
  await archive.log.append(draft({ base: 2, run: runOf('C'), deletions }));
  const listed = await listGaps(archive, signal);
  const isAbsent = (id: string) => listed.find((one) => one.session === id)?.is_absent;
  expect(['s01', 's02', 's03'].map(isAbsent)).toEqual([true, true, false]);
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
    {
      user: 'ann',
      session: 's12',
      ...gapOf('j'),
      is_absent: false,
      is_read_no_more: false,
      accepted: null,
    },
    {
      user: 'ann',
      session: 's12',
      ...gapOf('k'),
      is_absent: false,
      is_read_no_more: false,
      accepted: expect.objectContaining(asked) as unknown,
    },
  ]);
  expect(listed.at(-1)).toEqual({
    user: 'dan',
    session: null,
    ...NO_JOB,
    status: 'failed',
    reason: 'HTTP 500',
    is_absent: false,
    is_read_no_more: false,
    accepted: null,
  });
});
