import { expect, it } from 'vitest';
import {
  asOf,
  distance,
  firstLap,
  isTurnOf,
  lapAfter,
  lapsInUse,
  placeOfSession,
  placeOfUser,
  PLACES,
  readLap,
  turnsOf,
  userAt,
  writeLap,
} from '../../../src/archive/laps.js';
import { asUserId } from '../../../src/model/ids.js';
import { fault } from '../../support/base/fault.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const ann = asUserId('ann');
const DAY_MS = 86_400_000;

it('a lap is read as it was written, and one that cannot be read is none', async () => {
  const storage = createMemoryStorage();
  const head = { number: 7, digest: 'a'.repeat(64) };
  const lap = { ...lapAfter(firstLap(1000), 5000), place: PLACES - 1 };
  await writeLap(storage, '3-of-16', { ...lap, head });
  const path = '_laps/3-of-16.json';
  expect(await readLap(storage, '3-of-16')).toEqual({ ...lap, head, path, scope: '3-of-16' });
  expect(await readLap(storage, 'all')).toBeUndefined();
  await storage.put(path, Buffer.from('{"format":1}'));
  expect(await readLap(storage, '3-of-16')).toBeUndefined();
});

it('the sessions of a user lie behind the place of the user and before that of the next', () => {
  for (const session of ['a', 'b', 'c']) {
    const place = placeOfSession(ann, session);
    expect(userAt(place)).toBe(placeOfUser(ann));
    expect(Number.isSafeInteger(place)).toBe(true);
  }
  expect(distance(10, 4)).toBe(PLACES - 6);
  expect(distance(4, 10)).toBe(6);
});

it('every session has one turn in each period, whatever the laps are', () => {
  const rereadMs = 30 * DAY_MS;
  const sessions = Array.from({ length: 300 }, (_, index) => `session-${index}`);
  const turns = new Map(sessions.map((session) => [session, 0]));
  let lap = firstLap(0);
  let atMs = 0;
  for (let index = 0; atMs < 3 * rereadMs; index++) {
    atMs = Math.min(3 * rereadMs, atMs + (1 + (index % 4)) * 0.7 * DAY_MS);
    lap = lapAfter(lap, atMs);
    const period = turnsOf(lap, lap.lastBeganAtMs ?? 0, atMs);
    for (const session of sessions.filter((id) => isTurnOf(id, period, rereadMs))) {
      turns.set(session, (turns.get(session) ?? 0) + 1);
    }
  }
  expect([...new Set(turns.values())]).toEqual([3]);
});

it('a lap that is longer than the period reads everything whole', () => {
  const second = lapAfter(firstLap(0), 31 * DAY_MS);
  expect(isTurnOf('a', turnsOf(second, DAY_MS, 32 * DAY_MS), 30 * DAY_MS)).toBe(true);
});

it('a user who was not in the lap before has the turns since the last list, a new one none', () => {
  const third = lapAfter(lapAfter(firstLap(0), 5 * DAY_MS), 6 * DAY_MS);
  const nowMs = 7 * DAY_MS;
  expect(turnsOf(third, 5.5 * DAY_MS, nowMs)).toEqual([5 * DAY_MS, 6 * DAY_MS]);
  expect(turnsOf(third, 4 * DAY_MS, nowMs)).toEqual([4 * DAY_MS, nowMs]);
  expect(turnsOf(firstLap(nowMs), 6 * DAY_MS, nowMs)).toEqual([6 * DAY_MS, nowMs]);
  expect(turnsOf(third, undefined, nowMs)).toEqual([nowMs, nowMs]);
});

it('a lap that a clock ahead has begun counts as begun now', fault('F-135'), () => {
  const ahead = lapAfter(firstLap(10 * DAY_MS), 400 * DAY_MS);
  const now = asOf(ahead, 11 * DAY_MS);
  expect(now).toEqual({ ...ahead, beganAtMs: 11 * DAY_MS });
  expect(asOf(lapAfter(ahead, 401 * DAY_MS), 12 * DAY_MS).lastBeganAtMs).toBe(12 * DAY_MS);
  // all have their turn in the laps after it
  const turns = new Map<string, number>();
  let lap = now;
  for (let day = 12; day <= 41; day++) {
    lap = lapAfter(lap, day * DAY_MS);
    for (let index = 0; index < 100; index++) {
      const session = `session-${index}`;
      const period = turnsOf(lap, lap.lastBeganAtMs ?? 0, day * DAY_MS);
      if (isTurnOf(session, period, 30 * DAY_MS)) turns.set(session, (turns.get(session) ?? 0) + 1);
    }
  }
  expect([...turns.values()].every((count) => count === 1) && turns.size).toBe(100);
});

it('laps of a kind that no run uses any more are left out, such as shards of another number', async () => {
  const storage = createMemoryStorage();
  const scopes = async () => (await lapsInUse(storage)).map(({ scope }) => scope);
  expect(await scopes()).toEqual([]);
  const put = (scope: string, number: number) =>
    writeLap(storage, scope, { ...firstLap(0), head: { number, digest: null } });
  await put('1-of-4', 5);
  await put('2-of-4', 6);
  expect(await scopes()).toEqual(['1-of-4', '2-of-4']);
  await put('7-of-8', 9);
  await put('1-of-8', 8);
  expect(await scopes()).toEqual(['1-of-8', '7-of-8']);
  await put('all', 10);
  expect(await scopes()).toEqual(['all']);
});
