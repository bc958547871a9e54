import { expect, it } from 'vitest';
import type { ArchivedSession } from '../../../src/archive/state/archived-session.js';
import { asJobId, asUserId } from '../../../src/model/ids.js';
import { ComparedSessions } from '../../../src/prune/compared-sessions.js';
import { archived, job } from '../../support/store/archived-sessions.js';

const cuid = (n: number): string => `cm3ikdeuj02zk01l1yeui${String(n).padStart(4, '0')}`;

function session(id: string, jobs: readonly string[], over = {}): ArchivedSession {
  const known = jobs.map((name) => [asJobId(name), job({ hash: `of ${name}` })] as const);
  return archived(id, { commit: 1 }, { jobs: new Map(known), ...over });
}

function compared(sessions: readonly ArchivedSession[], mostSlots?: number): ComparedSessions {
  const all = new ComparedSessions(9, mostSlots);
  for (const one of sessions) all.add(one);
  return all;
}

it('ComparedSessions has the others that have jobs of a session, deleted ones included', () => {
  const a = session('a', [cuid(1), cuid(2)], { deleted: true });
  const b = session('b', [cuid(2)]);
  const c = session('c', [cuid(3)]);
  const all = compared([a, b, c]);
  expect(all.othersOf(a)).toEqual([{ user: 'ann', session: 'b' }]);
  expect(all.othersOf(b)).toEqual([{ user: 'ann', session: 'a' }]);
  expect(all.othersOf(c)).toEqual([]);
});

it('ComparedSessions compares whole all whose ids count', () => {
  const [a, b] = [session('a', ['1', '2']), session('b', ['1', '2'])];
  expect(compared([a, b]).othersOf(a)).toEqual([{ user: 'ann', session: 'b' }]);
});

it('ComparedSessions compares an unconsidered session, and makes no room for it', () => {
  const [a, b] = [session('a', [cuid(1)]), session('b', [cuid(2)])];
  const all = compared([a, b]);
  const [beside, alike] = [session('c', [cuid(2), cuid(3)]), session('d', [cuid(3)])];
  all.compareWith(beside);
  all.compareWith(alike);
  expect(all.othersOf(b)).toEqual([{ user: 'ann', session: 'c' }]);
  expect(all.othersOf(a)).toEqual([]);
  expect(all.othersOf(alike)).toEqual([]);
});

it('ComparedSessions says which came when there was no room, and still compares them', () => {
  const sessions = Array.from({ length: 20 }, (_, n) => session(`s${n}`, [cuid(n)]));
  const late = session('late', [cuid(0)]);
  const all = compared([...sessions, late], 64);
  expect(all.isCompared(sessions[0]!)).toBe(true);
  expect(all.isCompared(late)).toBe(false);
  expect(all.othersOf(late)).toEqual([{ user: 'ann', session: 's0' }]);
});

it('ComparedSessions tells of other users who have a session apart from other sessions', () => {
  const a = session('a', [cuid(1)]);
  const beside = { ...session('a', []), user: asUserId('ben') };
  const all = compared([a, beside]);
  expect([all.othersOf(a), all.ownersOf(a)]).toEqual([[], [{ user: 'ben', session: 'a' }]]);
});
