import { describe, expect, it } from 'vitest';
import { ReadHistories } from '../../../../src/export/history/read-histories.js';

const cuid = (n: number): string => `cm3ikdeuj02zk01l1yeui${String(n).padStart(4, '0')}`;

function history(session: string, ...jobs: number[]) {
  return { user: 'ann', session, ids: jobs.map(cuid), whole: undefined };
}

function sessionsWith(histories: ReadHistories, session: string, ...jobs: number[]): string[] {
  return histories.othersWith(history(session, ...jobs)).map((other) => other.session);
}

describe('ReadHistories', () => {
  it('forgets the oldest histories when there is no room, and compares with the newest', () => {
    const histories = new ReadHistories(16);
    for (let n = 0; n < 20; n++) histories.keep(history(`s${n}`, n));
    expect(sessionsWith(histories, 'x', 19)).toEqual(['s19']);
    expect(sessionsWith(histories, 'x', 18)).toEqual(['s18']);
    expect(sessionsWith(histories, 'x', 0)).toEqual([]);
    expect(histories.hasRead('s19')).toBe(true);
    expect(histories.hasRead('s0')).toBe(false);
  });

  it('asks for a session once, with all that have its jobs, until it is settled', () => {
    const histories = new ReadHistories();
    const [a, b, c] = ['a', 'b', 'c'].map((session) => ({ user: 'ann', session }));
    histories.readAgain(a!, b);
    histories.readAgain(a!, c);
    expect([...histories.toReadAgain()]).toEqual([['ann', [{ ...a, suspects: [b, c] }]]]);
    histories.settle(a!);
    histories.readAgain(a!, b);
    expect([...histories.toReadAgain()]).toEqual([]);
  });

  it('forgets everything after an erasure, and nothing before', () => {
    const histories = new ReadHistories();
    histories.forgetErased(3);
    histories.keep(history('a', 1));
    histories.doubt({ user: 'ann', session: 'a' });
    histories.readAgain({ user: 'ann', session: 'b' }, { user: 'ann', session: 'a' });
    histories.forgetErased(3);
    expect(sessionsWith(histories, 'x', 1)).toEqual(['a']);
    expect(histories.isDoubted({ user: 'ann', session: 'a' })).toBe(true);
    histories.forgetErased(7);
    expect(sessionsWith(histories, 'x', 1)).toEqual([]);
    expect(histories.isDoubted({ user: 'ann', session: 'a' })).toBe(false);
    expect([...histories.toReadAgain()]).toEqual([]);
  });
});
