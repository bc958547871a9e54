import { expect, it } from 'vitest';
import { placeOfUser, readLap, userAt, writeLap, type Lap } from '../../../src/archive/laps.js';
import type { ListingsOfUser } from '../../../src/archive/log/newest-listings.js';
import { fromPlace, lapAtEnd, placeOfLap, saveLap } from '../../../src/fleet/queue-lap.js';
import type { RunRecord } from '../../../src/fleet/queue-records.js';
import { silentLogger } from '../../../src/base/logger.js';
import { asUserId } from '../../../src/model/ids.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import { unwrittenArchive } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const NOW_MS = Date.UTC(2026, 10, 29);
const HOUR_MS = 3_600_000;
const users = Array.from({ length: 40 }, (_, index) => `user-${index}`);
const inOrder = users.toSorted((a, b) => placeOfUser(asUserId(a)) - placeOfUser(asUserId(b)));
const placeOf = (index: number) => placeOfUser(asUserId(inOrder[index] ?? ''));

function recordOf(more: Partial<RunRecord> = {}): RunRecord {
  const enqueued_at = new Date(NOW_MS - HOUR_MS).toISOString();
  const place = { archive: 'A', location: '/archive' };
  const list = { users: 40, round: true, doubtful_list: false };
  return { name: 'night', enqueued_at, ...place, since: 7, ...list, ...more };
}

/** @param read of each user who was listed: commit, sessions listed, sessions read */
function archiveOf(read: Record<string, readonly [number, number, number]> = {}) {
  const listings = Object.entries(read).map(([user, [commit, listed, checked]]) => {
    const sessions = { new: 0, changed: 0, unchanged: checked, failed: 0 };
    const last = { commit, entry: { listed, sessions } };
    return [asUserId(user), { since: 1, last, lastOfAll: last } as unknown as ListingsOfUser];
  });
  const log = {
    through: 9,
    digestOf: () => null,
    refresh: () => Promise.resolve(),
    listings: () => Promise.resolve(new Map(listings as never)),
  };
  const warnings: unknown[] = [];
  const warn = (facts: object) => void warnings.push(facts);
  const logger = { ...silentLogger, warn };
  const clock = new FakeClock(NOW_MS);
  const storage = createMemoryStorage();
  const archive = unwrittenArchive(storage, { clock, logger });
  return { ...archive, index: log as never, warnings };
}

type Known = ReturnType<typeof archiveOf>;
const all = new Set(users);

async function begun(archive: Known, more: Partial<Lap>): Promise<void> {
  const lap = { number: 3, beganAtMs: NOW_MS - 50 * HOUR_MS, lastBeganAtMs: 0, place: 0, ...more };
  await writeLap(archive.storage, 'queue', { ...lap, head: { number: 7, digest: null } });
}

it('users are put on the queue from the place where the lap goes on, and round', () => {
  expect([...fromPlace(users, 0)]).toEqual(inOrder);
  const from = placeOf(25);
  expect([...fromPlace(users, from)]).toEqual([...inOrder.slice(25), ...inOrder.slice(0, 25)]);
  expect([...fromPlace(users, from + 1)][0]).toBe(inOrder[26]);
});

it('the lap of a queue goes on at the first user of whom a run has left something', async () => {
  const partly = archiveOf({ [inOrder[12] ?? '']: [8, 5, 3], [inOrder[9] ?? '']: [8, 5, 5] });
  await begun(partly, { place: placeOf(4) });
  const run = { record: recordOf(), users: all };
  const usersLeft = [inOrder[20] ?? ''];
  expect(await lapAtEnd(partly, { ...run, usersLeft })).toMatchObject({
    number: 3,
    place: placeOf(12),
  });
  const none = archiveOf({ [inOrder[12] ?? '']: [7, 5, 3] }); // listed before the run
  await begun(none, { place: placeOf(4) });
  expect(await lapAtEnd(none, { ...run, usersLeft })).toMatchObject({
    number: 3,
    place: placeOf(20),
  });
});

it('the lap of a queue goes on by one user at least, whatever the budget', async () => {
  const archive = archiveOf();
  await begun(archive, { place: placeOf(4) });
  const run = { record: recordOf(), users: all, usersLeft: users };
  expect(await lapAtEnd(archive, run)).toMatchObject({ number: 3, place: placeOf(5) });
});

it('the lap of a queue ends where a run has read everybody, and the next began with that run', async () => {
  const archive = archiveOf();
  await begun(archive, { place: 0 });
  const run = { record: recordOf(), users: all, usersLeft: [] };
  expect(await lapAtEnd(archive, run)).toEqual({
    number: 4,
    beganAtMs: NOW_MS - HOUR_MS,
    lastBeganAtMs: NOW_MS - 50 * HOUR_MS,
    place: 0,
  });
});

it("a small budget takes a queue's lap to everybody, whoever comes and goes", async () => {
  const archive = archiveOf();
  const members = new Set(users.slice(0, 30));
  const read = new Set<string>();
  const laps: number[] = [];
  for (let run = 0; run < 14; run++) {
    if (run === 3) for (const user of users.slice(30)) members.add(user);
    if (run === 5) for (const user of users.slice(0, 5)) members.delete(user);
    const queued = [...fromPlace(members, await placeOfLap(archive.storage))];
    for (const user of queued.slice(0, 4)) read.add(user);
    const end = { record: recordOf(), users: new Set(members), usersLeft: queued.slice(4) };
    const lap = await lapAtEnd(archive, end);
    if (lap) await saveLap(archive, lap);
    laps.push(lap?.number ?? 0);
  }
  for (const user of users.slice(5)) expect(read).toContain(user);
  expect(laps.at(-1)).toBe(2);
});

it('a run of users who were named, or whose end another worker has recorded, leaves the lap', async () => {
  const archive = archiveOf();
  const named = { record: recordOf({ round: false }), users: all, usersLeft: [] };
  expect(await lapAtEnd(archive, named)).toBeUndefined();
  expect(
    await lapAtEnd(archive, { record: recordOf(), users: undefined, usersLeft: [] }),
  ).toBeUndefined();
});

it('a lap of a queue that a clock ahead has begun counts as begun now', async () => {
  const archive = archiveOf();
  await begun(archive, { place: placeOf(4), beganAtMs: NOW_MS + 1000 * HOUR_MS });
  const run = { record: recordOf(), users: all, usersLeft: [inOrder[9] ?? ''] };
  expect(await lapAtEnd(archive, run)).toMatchObject({ beganAtMs: NOW_MS, place: placeOf(9) });
});

it('a lap of a queue that cannot be saved is told, and ends no run', async () => {
  const archive = archiveOf();
  const lap = { number: 1, beganAtMs: 0, lastBeganAtMs: null, place: placeOf(3) };
  await saveLap(archive, lap);
  expect(await readLap(archive.storage, 'queue')).toMatchObject({ ...lap, head: { number: 9 } });
  expect(await placeOfLap(archive.storage)).toBe(userAt(placeOf(3)));
  const full = { put: () => Promise.reject(new Error('the disk is full')) };
  await saveLap({ ...archive, storage: full as never }, lap);
  expect(archive.warnings).toEqual([{ reason: 'the disk is full' }]);
});
