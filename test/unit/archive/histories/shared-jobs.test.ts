import { expect, it } from 'vitest';
import {
  everyJobOf,
  haveSharedJobs,
  SharedJobs,
  type JobHashes,
} from '../../../../src/archive/histories/shared-jobs.js';
import { asJobId } from '../../../../src/model/ids.js';
import { archived, job } from '../../../support/store/archived-sessions.js';

const CUIDS = [
  'cm3ikdeuj02zk01l1yeuirt77',
  'cm3ikdeuj02zk01l1yeuirt78',
  'cm3ikdeuj02zk01l1yeuirt79',
];

const refOf = (session: string) => ({ user: `user of ${session}`, session });

/** @param contents default: one for each id */
function jobs(ids: readonly string[], contents: readonly string[] = ids): JobHashes {
  return new Map(ids.map((id, at) => [id, { hash: contents[at] ?? '' }]));
}

/** Sessions, by id, that share a job with the last one of these. */
function sharing(...sessions: readonly (readonly [string, JobHashes])[]): string[] {
  const shared = new SharedJobs();
  for (const [session, own] of sessions) shared.add(refOf(session), own);
  return shared.othersOf(refOf(sessions.at(-1)?.[0] ?? '')).map(({ session }) => session);
}

it('SharedJobs finds two sessions that have one id, and tells each of the other', () => {
  const shared = new SharedJobs();
  shared.add(refOf('a'), jobs(CUIDS));
  shared.add(refOf('b'), jobs([CUIDS[1] ?? '', '7']));
  shared.add(refOf('c'), jobs(['8']));
  expect(shared.othersOf(refOf('a'))).toEqual([refOf('b')]);
  expect(shared.othersOf(refOf('b'))).toEqual([refOf('a')]);
  expect(shared.sharing().sort((a, b) => (a.user < b.user ? -1 : 1))).toEqual([
    refOf('a'),
    refOf('b'),
  ]);
});

it('SharedJobs finds nothing by ids that can be guessed', () => {
  expect(sharing(['a', jobs(['1', '2'])], ['b', jobs(['1', '3'])])).toEqual([]);
  expect(sharing(['a', jobs(['1'])], ['b', jobs(['1'])])).toEqual([]);
});

it.each([
  ['equal in ids and contents', ['1', '2'], ['x', 'y'], ['a']],
  ['equal in another order', ['2', '1'], ['y', 'x'], ['a']],
  ['equal in ids alone', ['1', '2'], ['x', 'z'], []],
  ['equal in contents alone', ['1', '3'], ['x', 'y'], []],
  ['the beginning of it', ['1'], ['x'], []],
])(
  'SharedJobs compares whole histories where ids can be guessed: one that is %s',
  (_, ids, contents, found) => {
    const [a, b] = [jobs(['1', '2'], ['x', 'y']), jobs(ids, contents)];
    expect(sharing(['a', a], ['b', b])).toEqual(found);
    expect([haveSharedJobs(a, b), haveSharedJobs(b, a)]).toEqual([
      found.length > 0,
      found.length > 0,
    ]);
  },
);

it('SharedJobs tells of a session that two users list, also without a job, and not of itself', () => {
  const shared = new SharedJobs();
  shared.add(refOf('a'), jobs(CUIDS));
  shared.add(refOf('a'), jobs(CUIDS));
  expect(shared.othersOf(refOf('a'))).toEqual([]);
  const beside = { user: 'A', session: 'a' };
  shared.add(beside, jobs([]));
  expect(shared.othersOf(beside)).toEqual([refOf('a')]);
});

it('SharedJobs compares a session that is not kept, and takes no room for it', () => {
  const shared = new SharedJobs();
  shared.add(refOf('a'), jobs(CUIDS.slice(0, 1)));
  shared.compare(refOf('b'), jobs(CUIDS.slice(0, 2)));
  shared.compare(refOf('c'), jobs(CUIDS.slice(1)));
  expect(shared.othersOf(refOf('a'))).toEqual([refOf('b')]);
  expect(shared.othersOf(refOf('c'))).toEqual([]);
});

it('SharedJobs says that not all of a session is kept where a job had no room, and compares on', () => {
  const idOf = (n: number): string => `cm3ikdeuj02zk01l1yeuirt${10 + n}`;
  const shared = new SharedJobs(64); // room for 48 keys
  const ids = Array.from({ length: 46 }, (_, n) => idOf(n));
  expect(shared.add(refOf('a'), jobs(ids))).toBe(true);
  expect(shared.add(refOf('b'), jobs([idOf(46), idOf(0)]))).toBe(false);
  expect(shared.isFull).toBe(true);
  expect(shared.add(refOf('c'), jobs([idOf(1)]))).toBe(false);
  // c has a job of a, and so has b
  expect(shared.othersOf(refOf('c'))).toEqual([refOf('a'), refOf('b')]);
});

it('SharedJobs names every session of a job, whichever came first', () => {
  const shared = new SharedJobs();
  const all = ['misread', 'owner', 'misread too', 'last'];
  for (const session of all) shared.add(refOf(session), jobs(CUIDS));
  for (const session of all) {
    const others = all.filter((other) => other !== session).map(refOf);
    expect(shared.othersOf(refOf(session))).toEqual(expect.arrayContaining(others));
    expect(shared.othersOf(refOf(session))).toHaveLength(others.length);
  }
});

it('SharedJobs is full with an eighth as many sessions as it has slots, also without jobs', () => {
  const shared = new SharedJobs(32);
  const kept = ['a', 'b', 'c', 'd', 'e'].map((session) => {
    const { isFull } = shared;
    return [isFull, shared.add(refOf(session), jobs([]))];
  });
  expect(kept).toEqual([...Array.from({ length: 4 }, () => [false, true]), [true, false]]);
});

it('haveSharedJobs compares ids that cannot be guessed, whatever their contents', () => {
  expect(haveSharedJobs(jobs(CUIDS), jobs(CUIDS.slice(2), ['x']))).toBe(true);
  expect(haveSharedJobs(jobs(CUIDS.slice(0, 1)), jobs(CUIDS.slice(1)))).toBe(false);
});

it('A job that was withdrawn from a session is one that it had', () => {
  const [own, other] = ['1', '2'].map((id) => new Map([[asJobId(id), job()]]));
  const { state } = archived('a', { commit: 1 }, { jobs: own!, withdrawn: other! });
  expect([...everyJobOf(state).keys()]).toEqual(['1', '2']);
});
