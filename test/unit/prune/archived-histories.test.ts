import { expect, it } from 'vitest';
import type { ArchivedSession } from '../../../src/archive/state/user-state.js';
import { asJobId } from '../../../src/model/ids.js';
import { ArchivedHistories } from '../../../src/prune/archived-histories.js';
import { archived, job } from '../../support/store/archived-sessions.js';

const cuid = (n: number): string => `cm3ikdeuj02zk01l1yeui${String(n).padStart(4, '0')}`;

function session(id: string, jobs: readonly string[], over = {}): ArchivedSession {
  const known = jobs.map((name) => [asJobId(name), job({ hash: `of ${name}` })] as const);
  return archived(id, { commit: 1 }, { jobs: new Map(known), ...over });
}

function compared(sessions: readonly ArchivedSession[], mostSlots?: number): ArchivedHistories {
  const histories = new ArchivedHistories(9, mostSlots);
  for (const one of sessions) histories.add(one);
  return histories;
}

it('ArchivedHistories has, for each session, the others that have jobs of it, deleted ones included', () => {
  const a = session('a', [cuid(1), cuid(2)], { deleted: true });
  const b = session('b', [cuid(2)]);
  const c = session('c', [cuid(3)]);
  const histories = compared([a, b, c]);
  expect(histories.othersOf(a)).toEqual([{ user: 'ann', session: 'b' }]);
  expect(histories.othersOf(b)).toEqual([{ user: 'ann', session: 'a' }]);
  expect(histories.othersOf(c)).toEqual([]);
});

it('ArchivedHistories compares whole histories whose ids count', () => {
  const [a, b] = [session('a', ['1', '2']), session('b', ['1', '2'])];
  expect(compared([a, b]).othersOf(a)).toEqual([{ user: 'ann', session: 'b' }]);
});

it('ArchivedHistories compares a session that is not considered with those that are, and makes no room for it', () => {
  const [a, b] = [session('a', [cuid(1)]), session('b', [cuid(2)])];
  const histories = compared([a, b]);
  const [beside, alike] = [session('c', [cuid(2), cuid(3)]), session('d', [cuid(3)])];
  histories.compareWith(beside);
  histories.compareWith(alike);
  expect(histories.othersOf(b)).toEqual([{ user: 'ann', session: 'c' }]);
  expect(histories.othersOf(a)).toEqual([]);
  expect(histories.othersOf(alike)).toEqual([]);
});

it('ArchivedHistories says which sessions came when there was no room, and still compares them with others', () => {
  const sessions = Array.from({ length: 20 }, (_, n) => session(`s${n}`, [cuid(n)]));
  const late = session('late', [cuid(0)]);
  const histories = compared([...sessions, late], 64);
  expect(histories.isCompared(sessions[0]!)).toBe(true);
  expect(histories.isCompared(late)).toBe(false);
  expect(histories.othersOf(late)).toEqual([{ user: 'ann', session: 's0' }]);
});
