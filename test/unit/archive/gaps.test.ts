import { beforeEach, describe, expect, it } from 'vitest';
import { acceptGaps, withdrawGaps, type AcceptChoices } from '../../../src/archive/gaps.js';
import type { Archive } from '../../../src/archive/archive.js';
import type { GapEntry } from '../../../src/archive/log/commit.js';
import { ErasureUnfinishedError } from '../../../src/archive/archive-errors.js';
import { UsageError } from '../../../src/base/error.js';
import { asJobId, asSessionId } from '../../../src/model/ids.js';
import {
  gapOf,
  begunReceipt,
  draft,
  makeArchive,
  reopened,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { fault } from '../../support/base/fault.js';

const file = (job: string, over: Partial<GapEntry> = {}) => gapOf(job, { block_index: 1, ...over });
const UNREAD = { ...file('-'), job: null, role: null, block_index: null, file_index: null };
const OF_SESSION: GapEntry = { ...UNREAD, kind: null, status: 'failed', reason: 'HTTP 500' };
const DOUBT: GapEntry = { ...OF_SESSION, status: 'doubtful', shared_with: asSessionId('t') };

let archive: Archive;
/** Of ann's session s, two jobs have a gap each, and so has the session; t is in doubt; u has none. */
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  await commit(session('ann', 's', { gaps: [file('j1'), file('j2'), OF_SESSION] }));
  await commit(session('ann', 't', { gaps: [DOUBT] }), session('ann', 'u'));
});

async function commit(...sessions: ReturnType<typeof session>[]): Promise<void> {
  await archive.index.refresh();
  await archive.log.append(draft({ base: archive.index.through, sessions }));
  await archive.index.refresh();
}

const accept = (over: Partial<AcceptChoices>) =>
  acceptGaps(archive, {
    sessions: ['s'],
    reason: 'ticket 7',
    by: 'Grace',
    ...over,
  });
const acceptedOf = (gap: GapEntry, user = 'ann', id = 's') =>
  archive.index.acceptedGaps.find(user, id, gap);

// I-51 in FORMAT.md

it('accepting gaps takes all that the session has now, with who and why', async () => {
  const accepted = await accept({});
  expect(accepted).toMatchObject([
    { user: 'ann', session: 's', job: 'j1', status: 'missing', reason: 'ticket 7', by: 'Grace' },
    { job: 'j2' },
    { job: null, status: 'failed' },
  ]);
  expect(accepted.every(({ commit: number }) => number === 3)).toBe(true);
  expect(acceptedOf(file('j1'))).toMatchObject({ by: 'Grace', at: '2026-11-05T12:00:00.000Z' });
});

it('accepting gaps takes those of one job alone', async () => {
  expect(await accept({ job: 'j2' })).toMatchObject([{ job: 'j2' }]);
  expect(acceptedOf(file('j1'))).toBeUndefined();
  expect(acceptedOf(OF_SESSION)).toBeUndefined();
  expect(await accept({})).toMatchObject([{ job: 'j1' }, { job: null }]);
});

it.each([
  ['another job', { job: asJobId('j3') }],
  ['another place', { block_index: 2 }],
  ['another file of the block', { file_index: 1 }],
  ['the question', { role: 'question' }],
  ['another kind', { kind: 'IMAGE' }],
  ['a doubtful file', { status: 'doubtful' }],
  ['a doubt', { shared_with: asSessionId('t') }],
])('an acceptance is not of a gap with %s', async (_what, over) => {
  await accept({});
  expect(acceptedOf(file('j1', { reason: 'said otherwise' }))).toBeDefined();
  expect(acceptedOf(file('j1', over))).toBeUndefined();
  expect(acceptedOf(file('j1'), 'ben')).toBeUndefined();
  expect(acceptedOf(file('j1'), 'ann', 'u')).toBeUndefined();
});

it('an acceptance of a lost file holds whatever the newest reason is', async () => {
  await accept({});
  expect(acceptedOf(file('j1', { status: 'expired' }))).toBeDefined();
  expect(acceptedOf(file('j1', { status: 'failed' }))).toBeDefined();
});

it('a doubt is accepted as it is: not one with another session or of other lost jobs', async () => {
  const lost = { ...DOUBT, shared_with: undefined, lost_below: 1 };
  await commit(session('ann', 'v', { gaps: [lost] }));
  await accept({ sessions: ['t', 'v'] });
  expect(acceptedOf(DOUBT, 'ann', 't')).toBeDefined();
  expect(acceptedOf({ ...DOUBT, shared_with: asSessionId('u') }, 'ann', 't')).toBeUndefined();
  expect(acceptedOf({ ...DOUBT, lost_below: 1 }, 'ann', 't')).toBeUndefined();
  expect(acceptedOf(lost, 'ann', 'v')).toBeDefined();
  expect(acceptedOf({ ...lost, lost_below: 2 }, 'ann', 'v')).toBeUndefined();
});

it('an acceptance lapses as soon as the session lacks the gap: it may come back as another', async () => {
  await accept({});
  await commit(session('ann', 's', { gaps: [file('j1')] }));
  expect(archive.index.acceptedGaps.records).toMatchObject([{ job: 'j1' }]);
  await commit(session('ann', 's', { gaps: [file('j1'), file('j2')] }));
  expect([acceptedOf(file('j1')) !== undefined, acceptedOf(file('j2'))]).toEqual([true, undefined]);
});

it.each([
  [{ sessions: [] }, 'nothing is named whose gaps are meant; give a session, a user or a status'],
  [{ sessions: ['s', 'u'], job: 'j1' }, 'allowed with it is exactly one session'],
  [{ reason: ' ' }, 'needs a reason'],
  [{ by: '' }, 'needs the name of the person'],
  [{ sessions: ['z'] }, 'has no session "z"'],
  [{ sessions: ['u'] }, 'there is no gap of session "u" that can be accepted; jobvault gap list'],
  [{ job: 'j9' }, 'there is no gap of job "j9" of session "s" that can be accepted'],
  [{ sessions: [], users: ['ann'], job: 'j1' }, 'allowed with it is exactly one session'],
  [{ sessions: [], users: ['anna'] }, 'has no user "anna"'],
  [
    { sessions: [], users: ['ann'], statuses: ['expired', 'refused'] },
    'there is no gap of user "ann" with status expired or refused that can be accepted',
  ],
  [{ sessions: [], statuses: ['expired'] }, 'there is no gap with status expired that can'],
  [
    { statuses: ['doubtful'] },
    'there is no gap of session "s" with status doubtful that can be accepted',
  ],
])('accepting gaps is refused for %j', async (over, text) => {
  const accepting = accept(over);
  await expect(accepting).rejects.toThrow(UsageError);
  await expect(accepting).rejects.toThrow(text);
  expect(archive.index.through).toBe(2);
});

it('accepting gaps takes all gaps of a user, of a status, or both, of every session', async () => {
  await commit(session('ben', 'b', { gaps: [file('j1'), file('j2', { status: 'expired' })] }));
  const told = (gaps: readonly { session: string; job: string | null; status: string }[]) =>
    gaps.map((gap) => `${gap.session} ${gap.job ?? '-'} ${gap.status}`);
  const both = { sessions: [], users: ['ben'], statuses: ['missing'] };
  expect(told(await accept(both))).toEqual(['b j1 missing']);
  await expect(accept(both)).rejects.toThrow(
    'every gap of user "ben" with status missing is accepted already',
  );
  expect(told(await accept({ sessions: [], statuses: ['missing', 'doubtful'] }))).toEqual([
    's j1 missing',
    's j2 missing',
    't - doubtful',
  ]);
  expect(told(await accept({ sessions: [], users: ['ann', 'ben'] })).toSorted()).toEqual([
    'b j2 expired',
    's - failed',
  ]);
});

it('declined, a gap is not recorded; it is asked once, and what comes meanwhile stays open', async () => {
  const all = { sessions: [], users: ['ann'] };
  const shown: number[] = [];
  const answer = (yes: boolean): AcceptChoices['confirm'] => {
    return (gaps) => {
      shown.push(gaps.length);
      return Promise.resolve(yes);
    };
  };
  expect(await accept({ ...all, confirm: answer(false) })).toEqual([]);
  expect([archive.index.through, shown]).toEqual([2, [4]]);
  const late = reopened(archive);
  const append = late.log.append.bind(late.log);
  let tried = 0;
  late.log.append = async (of) => {
    if (tried++ === 0)
      await commit(session('ann', 's', { version: 2, gaps: [file('j2'), file('j3')] }));
    return append(of);
  };
  const said = { reason: 'ticket 7', by: 'Grace' };
  const accepted = await acceptGaps(late, { ...all, ...said, confirm: answer(true) });
  expect([shown, tried]).toEqual([[4, 4], 2]);
  expect(accepted.map(({ session: id, job }) => [id, job])).toEqual([
    ['s', 'j2'],
    ['t', null],
  ]);
});

it('accepting gaps takes the gaps of each session that is named, and of no other', async () => {
  const accepted = await accept({ sessions: ['t', 's', 't'] });
  expect(accepted.map((one) => [one.session, one.job, one.status])).toEqual([
    ['t', null, 'doubtful'],
    ['s', 'j1', 'missing'],
    ['s', 'j2', 'missing'],
    ['s', null, 'failed'],
  ]);
  await expect(accept({ sessions: ['u', 'z'] })).rejects.toThrow('has no session "z"');
});

it('an acceptance is planned again where the session has changed: the gap may be gone', async () => {
  const late = reopened(archive);
  const append = late.log.append.bind(late.log);
  const bases: number[] = [];
  late.log.append = async (of) => {
    if (bases.push(of.base) === 1) {
      await commit(session('ann', 'u', { version: 2 }));
      await commit(session('ann', 's', { version: 2, gaps: [file('j2')] }));
    }
    return append(of);
  };
  const accepted = await acceptGaps(late, { sessions: ['s'], reason: 'ticket 7', by: 'Grace' });
  expect(accepted.map(({ job }) => job)).toEqual(['j2']);
  expect(bases).toEqual([2, 4]);
  bases.length = 1; // what comes of another session changes nothing
  late.log.append = async (of) => {
    if (bases.push(of.base) === 2) await commit(session('ann', 'u', { version: 3 }));
    return append(of);
  };
  await acceptGaps(late, { sessions: ['t'], reason: 'ticket 7', by: 'Grace' });
  expect(bases).toEqual([2, 5]);
});

it('accepting gaps is refused where every gap is accepted already', async () => {
  await accept({});
  await expect(accept({})).rejects.toThrow('every gap of session "s" is accepted already');
});

it('accepting gaps is refused while an erasure is open', async () => {
  const erasure = () => Promise.resolve(begunReceipt());
  await archive.log.append(draft({ kind: 'erase', base: 2, erasure }));
  await expect(accept({})).rejects.toThrow(ErasureUnfinishedError);
});

describe('gaps', () => {
  const CUT: GapEntry = { ...OF_SESSION, status: 'incomplete', reason: 'two are not shown' };
  const read = (total: number | null, archived: number) =>
    commit(session('ann', 'w', { gaps: [CUT], complete: false, total, archived }));
  const isAccepted = () => acceptedOf(CUT, 'ann', 'w') !== undefined;

  it(
    'an accepted unread end is another gap once it lacks more jobs, not where it grows',
    fault('F-113'),
    async () => {
      await read(7, 5);
      const accepted = await accept({ sessions: ['w'] });
      expect(accepted).toMatchObject([{ status: 'incomplete', lacking: 2 }]);
      for (const [total, archived] of [
        [9, 7],
        [8, 7],
        [null, 7],
        [9, 7],
      ] as const) {
        await read(total, archived);
        expect(isAccepted()).toBe(true);
      }
      await read(10, 7);
      expect(isAccepted()).toBe(false);
      expect(await accept({ sessions: ['w'] })).toMatchObject([{ lacking: 3 }]);
      expect(isAccepted()).toBe(true);
    },
  );

  it('an accepted unread end stays accepted where the service does not say how many jobs', async () => {
    await read(null, 5);
    const [accepted] = await accept({ sessions: ['w'] });
    expect(accepted).not.toHaveProperty('lacking');
    await read(9, 5);
    expect(isAccepted()).toBe(true);
  });
});

describe('gaps', () => {
  const withdraw = (over: Partial<AcceptChoices>) =>
    withdrawGaps(archive, { sessions: ['s'], reason: 'too soon', by: 'Eli', ...over });

  it('withdrawing an acceptance ends those of the session, or of one of its jobs, and says which', async () => {
    await accept({ sessions: ['s', 't'] });
    const one = await withdraw({ job: 'j1' });
    expect(one).toMatchObject({ commit: 4, withdrawn: [{ job: 'j1', by: 'Grace' }] });
    expect([acceptedOf(file('j1')), acceptedOf(file('j2'))?.by]).toEqual([undefined, 'Grace']);
    const rest = await withdraw({ sessions: ['s', 's'] });
    expect(rest.withdrawn.map(({ job }) => job)).toEqual(['j2', null]);
    expect(archive.index.acceptedGaps.records.map((left) => left.session)).toEqual(['t']);
    const { accepted, kind } = await archive.log.read(4);
    expect([kind, accepted]).toMatchObject([
      'accept',
      [{ action: 'withdraw', job: 'j1', session: 's', reason: 'too soon', by: 'Eli' }],
    ]);
    expect(await accept({ job: 'j1' })).toHaveLength(1);
  });

  it('withdrawing an acceptance ends those of a user or a status, and none where it is declined', async () => {
    await accept({ sessions: ['s', 't'] });
    const ofUser = { sessions: [], users: ['ann'] };
    const declined = await withdraw({ ...ofUser, confirm: () => Promise.resolve(false) });
    expect(declined).toEqual({ commit: null, withdrawn: [] });
    const failed = await withdraw({ ...ofUser, statuses: ['failed'] });
    expect(failed.withdrawn.map(({ status }) => status)).toEqual(['failed']);
    const yes = { confirm: () => Promise.resolve(true) };
    expect((await withdraw({ ...ofUser, ...yes })).withdrawn.map(({ job }) => job)).toEqual([
      'j1',
      'j2',
      null,
    ]);
    await expect(withdraw(ofUser)).rejects.toThrow('no gap of user "ann" is accepted in');
  });

  it('withdrawing counts for what was accepted then, and not for what is accepted anew', async () => {
    const [first] = await accept({ job: 'j1' });
    await withdraw({});
    const [second] = await accept({ job: 'j1' });
    const { run, scope, tool } = await archive.log.read(4);
    const old = { ...file('j1'), user: first!.user, session: first!.session, id: first!.id };
    const entry = { ...old, action: 'withdraw' as const, reason: 'late', by: 'Eli' };
    const unknown = { ...entry, job: asJobId('j9') };
    await archive.log.append({
      kind: 'accept',
      base: 5,
      checkpoint: 2,
      run,
      scope,
      tool,
      accepted: [entry, unknown],
    });
    await archive.index.refresh();
    expect(acceptedOf(file('j1'))?.id).toBe(second?.id);
  });

  it.each([
    [{ sessions: ['u'] }, 'no gap of session "u" is accepted'],
    [{ job: 'j2' }, 'no gap of job "j2" of session "s" is accepted'],
    [{ sessions: ['s', 't'] }, 'no gap of session "t" is accepted'],
    [{ sessions: [] }, 'nothing is named whose gaps are meant; give a session, a user or a status'],
    [{ reason: '' }, 'needs a reason'],
    [{ by: ' ' }, 'needs the name of the person'],
  ])('withdrawing an acceptance is refused for %j', async (over, text) => {
    await accept({ job: 'j1' });
    const withdrawing = withdraw(over);
    await expect(withdrawing).rejects.toThrow(UsageError);
    await expect(withdrawing).rejects.toThrow(text);
    expect(archive.index.acceptedGaps.records).toHaveLength(1);
  });
});
