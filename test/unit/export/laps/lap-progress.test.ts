import { expect, it } from 'vitest';
import {
  distance,
  firstLap,
  placeOfSession,
  placeOfUser,
  userAt,
  type Lap,
} from '../../../../src/archive/laps.js';
import { LapProgress } from '../../../../src/export/laps/lap-progress.js';
import { asUserId } from '../../../../src/model/ids.js';

const NOW_MS = 1_000_000;
const all = { postponed: [], brokenOff: new Set<string>() };
const users = ['ann', 'ben', 'cyd', 'dan', 'eve'].map(asUserId);
const byPlace = users.toSorted((a, b) => placeOfUser(a) - placeOfUser(b));
const [first, second, third, fourth, fifth] = byPlace as [
  (typeof users)[0],
  (typeof users)[0],
  (typeof users)[0],
  (typeof users)[0],
  (typeof users)[0],
];

function progressFrom(lap: Lap) {
  return new LapProgress(lap, users, { nextBeganAtMs: () => NOW_MS });
}

it('a lap begins with the first place, and goes on at the first user who is not done', () => {
  const progress = progressFrom(firstLap(0));
  expect(progress.round).toEqual(byPlace);
  progress.visited(second, all);
  expect(progress.lap.place).toBe(placeOfUser(first));
  progress.visited(first, all);
  expect(progress.lap).toEqual({ ...firstLap(0), place: placeOfUser(third) });
});

it('a user of whom sessions are left is where the lap goes on: at the next of these', () => {
  const progress = progressFrom(firstLap(0));
  const sessions = progress.fromPlace(
    first,
    ['a', 'b', 'c', 'd'].map((id) => ({ value: { id } })),
  );
  const postponed = sessions.slice(2).map(({ value }) => value.id);
  progress.visited(first, { ...all, postponed: postponed.toReversed() });
  progress.visited(second, all);
  const { place } = progress.lap;
  expect(place).toBe(placeOfSession(first, postponed[0] ?? ''));
  const next = progressFrom({ ...firstLap(0), place });
  expect(next.fromPlace(first, sessions).map(({ value }) => value.id)).toEqual([
    ...postponed,
    ...sessions.slice(0, 2).map(({ value }) => value.id),
  ]);
  // what lies before was read in this lap
  next.visited(first, { ...all, postponed: sessions.slice(0, 2).map(({ value }) => value.id) });
  expect(next.lap.place).toBe(placeOfUser(second));
});

it('a session that two runs began and could not finish is passed, so that the lap ends', () => {
  const progress = progressFrom(firstLap(0));
  const unfinished = { postponed: ['a'], brokenOff: new Set(['a']) };
  progress.visited(first, unfinished);
  const { place } = progress.lap;
  expect(place).toBe(placeOfSession(first, 'a'));
  const next = progressFrom({ ...firstLap(0), place });
  next.visited(first, unfinished);
  expect(next.lap.place).toBe(placeOfUser(second));
});

it('a lap of users alone begins with another session of a user each time, and has passed none', () => {
  const sessions = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ value: { id } }));
  const orderOf = (seed: string) => {
    const options = { nextBeganAtMs: () => NOW_MS, seed };
    const progress = new LapProgress(firstLap(0), users, options);
    expect(sessions.some(({ value }) => progress.isPassed(second, value.id))).toBe(false);
    return progress.fromPlace(second, sessions).map(({ value }) => value.id);
  };
  const begins = new Set(Array.from({ length: 40 }, (_, lap) => orderOf(String(lap))[0]));
  expect(begins.size).toBeGreaterThanOrEqual(5);
  expect(orderOf('1').toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

it('a full round ends one lap, and is as far in the next as it was in that', () => {
  const lap = { ...firstLap(5), place: placeOfUser(fourth) };
  const progress = progressFrom(lap);
  expect(progress.round).toEqual([fourth, fifth, first, second, third]);
  progress.visited(fourth, all);
  expect(progress.lap).toEqual({ ...lap, place: placeOfUser(fifth) });
  expect(progress.lapOf(fifth).number).toBe(1);
  progress.visited(fifth, all);
  const next = { number: 2, beganAtMs: NOW_MS, lastBeganAtMs: 5 };
  expect(progress.lap).toEqual({ ...next, place: placeOfUser(first) });
  expect(progress.lapOf(first)).toEqual({ ...next, place: 0 });
  for (const user of [first, second, third]) progress.visited(user, all);
  expect(progress.lap).toEqual({ ...next, place: userAt(lap.place) });
});

it('a run that begins at the first place and reads all of them ends the lap', () => {
  const progress = progressFrom(firstLap(5));
  for (const user of users) progress.visited(user, all);
  expect(progress.lap).toEqual({ number: 2, beganAtMs: NOW_MS, lastBeganAtMs: 5, place: 0 });
  expect(progressFrom({ ...firstLap(5), place: 1 }).round).toEqual(byPlace);
});

it('a run of nobody leaves the lap where it is', () => {
  const lap = { ...firstLap(5), place: 77 };
  expect(new LapProgress(lap, [], { nextBeganAtMs: () => NOW_MS }).lap).toEqual(lap);
  expect(distance(lap.place, lap.place)).toBe(0);
});
