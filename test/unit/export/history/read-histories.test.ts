import { expect, it } from 'vitest';
import { doubtOf } from '../../../../src/export/jobs/gap.js';
import { ReadHistories } from '../../../../src/export/history/read-histories.js';

const cuid = (n: number): string => `cm3ikdeuj02zk01l1yeui${String(n).padStart(4, '0')}`;

function history(session: string, ...jobs: number[]) {
  return { user: 'ann', session, ids: jobs.map(cuid), whole: undefined };
}

function sessionsWith(histories: ReadHistories, session: string, ...jobs: number[]): string[] {
  return histories.othersWith(history(session, ...jobs)).map((other) => other.session);
}

it('ReadHistories forgets the oldest histories when there is no room, and compares with the newest', () => {
  const histories = new ReadHistories(16);
  for (let n = 0; n < 20; n++) histories.keep(history(`s${n}`, n));
  expect(sessionsWith(histories, 'x', 19)).toEqual(['s19']);
  expect(sessionsWith(histories, 'x', 18)).toEqual(['s18']);
  expect(sessionsWith(histories, 'x', 0)).toEqual([]);
  expect(histories.hasRead('s19')).toBe(true);
  expect(histories.hasRead('s0')).toBe(false);
});

it('ReadHistories names a session once that was read before and again since', () => {
  const histories = new ReadHistories(16);
  histories.keep(history('a', 1));
  histories.keep(history('b', 2));
  histories.keep(history('a', 1));
  expect(sessionsWith(histories, 'x', 1)).toEqual(['a']);
  expect(histories.hasRead('a')).toBe(true);
  expect(histories.hasRead('b')).toBe(true);
  expect(sessionsWith(histories, 'x', 2, 1)).toEqual(['a', 'b']);
});

it('ReadHistories gives a job to another session where the one that had it was found to have others', () => {
  const histories = new ReadHistories();
  histories.keep(history('a', 1));
  histories.keep(history('b', 1), [{ user: 'ann', session: 'a' }]);
  expect(sessionsWith(histories, 'x', 1)).toEqual(['b']);
});

it('ReadHistories names three suspects of a session at most, and none of one to be mended', () => {
  const histories = new ReadHistories();
  const [a, b] = ['a', 'b'].map((session) => ({ user: 'ann', session }));
  const suspects = [1, 2, 3, 4].map((n) => ({ user: 'ben', session: `s${n}` }));
  for (const suspect of suspects) histories.readAgain(a!, suspect);
  histories.readAgain(b!);
  histories.readAgain({ user: 'cyd', session: 'c' });
  expect([...histories.toReadAgain()]).toEqual([
    [
      'ann',
      [
        { ...a, suspects: suspects.slice(0, 3) },
        { ...b, suspects: [] },
      ],
    ],
    ['cyd', [{ user: 'cyd', session: 'c', suspects: [] }]],
  ]);
  histories.settle(a!);
  expect([...histories.toReadAgain().keys()]).toEqual(['ann', 'cyd']);
  expect(histories.toReadAgain().get('ann')).toEqual([{ ...b, suspects: [] }]);
});

it('ReadHistories says of a doubt which session it shares jobs with', () => {
  expect(doubtOf('s2')).toEqual({
    reason:
      'its history has jobs of session s2: one of the two was answered with the history of the other',
    sharedWith: 's2',
  });
});

it('ReadHistories asks for a session once, with all that have its jobs, until it is settled', () => {
  const histories = new ReadHistories();
  const [a, b, c] = ['a', 'b', 'c'].map((session) => ({ user: 'ann', session }));
  histories.readAgain(a!, b);
  histories.readAgain(a!, c);
  expect([...histories.toReadAgain()]).toEqual([['ann', [{ ...a, suspects: [b, c] }]]]);
  histories.settle(a!);
  histories.readAgain(a!, b);
  expect([...histories.toReadAgain()]).toEqual([]);
});

it('ReadHistories forgets everything after an erasure, and nothing before', () => {
  const histories = new ReadHistories();
  histories.forgetErased(3);
  histories.keep(history('a', 1));
  histories.doubt({ user: 'ann', session: 'a' });
  histories.readAgain({ user: 'ann', session: 'b' }, { user: 'ann', session: 'a' });
  histories.forgetErased(3);
  expect(sessionsWith(histories, 'x', 1)).toEqual(['a']);
  expect(histories.isDoubted({ user: 'ann', session: 'a' })).toBe(true);
  histories.settle({ user: 'ann', session: 'c' });
  histories.forgetErased(7);
  histories.readAgain({ user: 'ann', session: 'c' });
  expect([...histories.toReadAgain().keys()]).toEqual(['ann']);
  histories.forgetErased(9);
  expect(sessionsWith(histories, 'x', 1)).toEqual([]);
  expect(histories.isDoubted({ user: 'ann', session: 'a' })).toBe(false);
  expect([...histories.toReadAgain()]).toEqual([]);
});
