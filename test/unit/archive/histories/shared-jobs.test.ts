import { expect, it } from 'vitest';
import {
  hasJobs,
  haveSharedJobs,
  historyOf,
  SharedJobs,
  type HistoryFacts,
} from '../../../../src/archive/histories/shared-jobs.js';
import { asJobId } from '../../../../src/model/ids.js';
import { archived, job } from '../../../support/store/archived-sessions.js';

const CUIDS = [
  'cm3ikdeuj02zk01l1yeuirt77',
  'cm3ikdeuj02zk01l1yeuirt78',
  'cm3ikdeuj02zk01l1yeuirt79',
];

function history(
  session: string,
  jobs: readonly string[],
  contents?: readonly string[],
): HistoryFacts {
  const whole = contents && new Map(jobs.map((job, at) => [job, contents[at] ?? '']));
  return { user: `user of ${session}`, session, ids: jobs, whole };
}

function sessionsWith(histories: SharedJobs, facts: HistoryFacts): string[] {
  return histories.othersWith(facts).map(({ session }) => session);
}

it('A history has jobs where it has an id', () => {
  expect([hasJobs(history('a', [])), hasJobs(history('a', ['1']))]).toEqual([false, true]);
});

it('SharedJobs finds the session, and its user, that has one of the ids', () => {
  const histories = new SharedJobs();
  histories.add(history('a', CUIDS));
  expect(histories.othersWith(history('b', [CUIDS[1] ?? '', '7']))).toEqual([
    { user: 'user of a', session: 'a' },
  ]);
});

it('SharedJobs says that not all of a history is kept where one job had no room, also if the jobs after it are there', () => {
  const idOf = (n: number): string => `cm3ikdeuj02zk01l1yeuirt${10 + n}`;
  const histories = new SharedJobs(64); // room for 48 keys
  const ids = Array.from({ length: 46 }, (_, n) => idOf(n));
  expect(histories.add(history('a', ids))).toBe(true);
  expect(histories.add(history('a', [idOf(46), idOf(47), idOf(0)]))).toBe(false);
  expect(sessionsWith(histories, history('b', [idOf(46)]))).toEqual(['a']);
  expect(sessionsWith(histories, history('b', [idOf(47)]))).toEqual([]);
  expect(histories.add(history('b', []))).toBe(false);
});

it('SharedJobs finds nothing by ids that count', () => {
  const histories = new SharedJobs();
  histories.add(history('a', ['1', '2']));
  expect(sessionsWith(histories, history('b', ['1', '2']))).toEqual([]);
});

it.each([
  ['equal in ids and contents', ['1', '2'], ['x', 'y'], ['a']],
  ['equal in another order', ['2', '1'], ['y', 'x'], ['a']],
  ['equal in ids alone', ['1', '2'], ['x', 'z'], []],
  ['equal in contents alone', ['1', '3'], ['x', 'y'], []],
  ['the beginning of it', ['1'], ['x'], []],
])('SharedJobs compares whole histories: one that is %s', (_, jobs, contents, found) => {
  const histories = new SharedJobs();
  histories.add(history('a', ['1', '2'], ['x', 'y']));
  expect(sessionsWith(histories, history('b', jobs, contents))).toEqual(found);
});

it('SharedJobs compares no history of one job', () => {
  const histories = new SharedJobs();
  histories.add(history('a', ['1'], ['x']));
  expect(sessionsWith(histories, history('b', ['1'], ['x']))).toEqual([]);
});

it('SharedJobs takes a session that two users list for one session', () => {
  const histories = new SharedJobs();
  histories.add(history('a', CUIDS));
  expect(sessionsWith(histories, { ...history('a', CUIDS), user: 'A' })).toEqual([]);
});

it('SharedJobs leaves a job to the session that had it first, unless that was found to have others', () => {
  const histories = new SharedJobs();
  histories.add(history('a', CUIDS));
  histories.add(history('b', CUIDS));
  expect(sessionsWith(histories, history('c', CUIDS))).toEqual(['a']);
  histories.add(history('b', CUIDS), [{ user: 'user of a', session: 'a' }]);
  expect(sessionsWith(histories, history('c', CUIDS))).toEqual(['b']);
});

it('SharedJobs knows of a session that is known from before whether jobs came with it', () => {
  const histories = new SharedJobs();
  histories.add(history('a', CUIDS.slice(0, 2)), [], true);
  histories.add(history('b', CUIDS.slice(2)));
  const isEstablished = (session: string, ...jobs: (string | undefined)[]) =>
    histories.isEstablishedIn(history(session, jobs as string[]));
  expect(isEstablished('a', CUIDS[1], CUIDS[2], 'unknown')).toBe(true);
  expect(isEstablished('a', CUIDS[2], 'unknown')).toBe(false);
  expect(isEstablished('b', CUIDS[2])).toBe(false);
  expect(isEstablished('c', CUIDS[0])).toBe(false);
});

it('SharedJobs says that not all of one is kept where there is no room for that', () => {
  const histories = new SharedJobs(16); // room for 12 keys
  const ids = Array.from({ length: 10 }, (_, n) => `cm3ikdeuj02zk01l1yeuirt${10 + n}`);
  expect(histories.add(history('a', ids))).toBe(true);
  expect(histories.add(history('b', []), [], true)).toBe(false);
  expect(histories.find('b')).toBeDefined();
});

it('SharedJobs knows the sessions that it has, also one without a job', () => {
  const histories = new SharedJobs();
  histories.add(history('a', []));
  expect(histories.find('a')).toEqual({ user: 'user of a', session: 'a' });
  expect(histories.find('b')).toBeUndefined();
});

it('SharedJobs is full with an eighth as many sessions as it has slots, also without jobs', () => {
  const histories = new SharedJobs(32);
  const kept = ['a', 'b', 'c', 'd', 'e'].map((session) => {
    const { isFull } = histories;
    return [isFull, histories.add(history(session, []))];
  });
  expect(kept).toEqual([...Array.from({ length: 4 }, () => [false, true]), [true, false]]);
  expect(histories.find('d')).toBeDefined();
  expect(histories.find('e')).toBeUndefined();
});

it('SharedJobs keeps all jobs of a history but those that another session has', () => {
  const histories = new SharedJobs();
  histories.add(history('a', CUIDS.slice(0, 1)));
  expect(histories.add(history('b', CUIDS))).toBe(true);
  expect(sessionsWith(histories, history('c', CUIDS.slice(0, 1)))).toEqual(['a']);
  expect(sessionsWith(histories, history('c', CUIDS.slice(1)))).toEqual(['b']);
  expect(sessionsWith(histories, history('c', CUIDS))).toEqual(['a', 'b']);
});

it('SharedJobs says so when it cannot keep a history, and still compares others with those it has', () => {
  const histories = new SharedJobs(16);
  expect(histories.add(history('a', CUIDS))).toBe(true);
  const many = Array.from({ length: 20 }, (_, at) => `cm3ikdeuj02zk01l1yeuirt${10 + at}`);
  expect(histories.add(history('b', many))).toBe(false);
  expect(histories.isFull).toBe(true);
  expect(histories.add(history('c', ['1']))).toBe(false);
  expect(sessionsWith(histories, history('d', CUIDS))).toEqual(['a']);
});

it('haveSharedJobs finds nothing where ids that tell something are others', () => {
  const [a, b] = [history('a', CUIDS.slice(0, 1)), history('b', CUIDS.slice(1))];
  expect(haveSharedJobs(a, b)).toBe(false);
});

it('haveSharedJobs takes of what is archived every job with its content', () => {
  const jobs = new Map(['1', '2'].map((id) => [asJobId(id), job({ hash: `of ${id}` })] as const));
  const { state } = archived('a', { commit: 1 }, { jobs });
  expect(historyOf('ann', 'a', state)).toEqual({
    user: 'ann',
    session: 'a',
    ids: ['1', '2'],
    whole: new Map([
      ['1', 'of 1'],
      ['2', 'of 2'],
    ]),
  });
});

it('haveSharedJobs compares two histories in the same way', () => {
  expect(haveSharedJobs(history('a', CUIDS), history('b', CUIDS.slice(2)))).toBe(true);
  expect(haveSharedJobs(history('a', ['1']), history('b', ['1']))).toBe(false);
  expect(
    haveSharedJobs(history('a', ['1', '2'], ['x', 'y']), history('b', ['2', '1'], ['y', 'x'])),
  ).toBe(true);
});
