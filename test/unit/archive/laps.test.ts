import { expect, it } from 'vitest';
import {
  distance,
  firstLap,
  isTurnOf,
  lapAfter,
  placeOfSession,
  placeOfUser,
  PLACES,
  readLap,
  userAt,
  writeLap,
} from '../../../src/archive/laps.js';
import { asUserId } from '../../../src/model/ids.js';
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
    for (const session of sessions.filter((id) => isTurnOf(id, lap, rereadMs))) {
      turns.set(session, (turns.get(session) ?? 0) + 1);
    }
  }
  expect([...new Set(turns.values())]).toEqual([3]);
});

it('a lap that is longer than the period reads everything whole, and the first nothing', () => {
  const second = lapAfter(firstLap(0), 31 * DAY_MS);
  expect(isTurnOf('a', second, 30 * DAY_MS)).toBe(true);
  expect(isTurnOf('a', firstLap(0), DAY_MS)).toBe(false);
});
