import { expect, it } from 'vitest';
import { clockRefusal, ClockWatch } from '../../../src/prune/clock-refusal.js';

const MINUTE = 60_000;
const byAge = { olderThanMs: 1, trustThisClock: false };
const byNothing = { trustThisClock: false };
const withJobs = { isEmpty: false };

it('a deletion goes on by a clock that the service confirms', () => {
  expect(clockRefusal(5 * MINUTE, byAge, withJobs)).toBeUndefined();
  expect(clockRefusal(-5 * MINUTE, byAge, withJobs)).toBeUndefined();
});

it.each([byAge, byNothing, { ...byAge, trustThisClock: true }])(
  'a deletion is refused by a clock that the service contradicts: %j',
  (rules) => {
    const refused = (how: string) => ({
      reason: 'clock',
      detail: `this machine's clock is 6 m 0 s ${how} the service's: set it before anything is deleted by it`,
    });
    expect(clockRefusal(6 * MINUTE, rules, withJobs)).toEqual(refused('ahead of'));
    expect(clockRefusal(-6 * MINUTE, rules, withJobs)).toEqual(refused('behind'));
  },
);

it('a deletion by age is refused where nothing confirms the clock, unless it is trusted', () => {
  expect(clockRefusal(null, byAge, withJobs)).toEqual({
    reason: 'clock',
    detail:
      "the service's answers have no Date, so nothing shows that this machine's clock is right: nothing is deleted by age, unless --trust-this-clock is given",
  });
  expect(clockRefusal(null, { ...byAge, olderThanMs: 0 }, withJobs)?.reason).toBe('clock');
  expect(clockRefusal(null, { ...byAge, trustThisClock: true }, withJobs)).toBeUndefined();
  expect(clockRefusal(null, byNothing, withJobs)).toBeUndefined();
});

it('a session without a job goes by age, whatever the rule: it must be empty for a day', () => {
  const refused = clockRefusal(null, byNothing, { isEmpty: true });
  expect(refused).toEqual({
    reason: 'clock',
    detail:
      "the service's answers have no Date, so nothing shows that this machine's clock is right: no session without a job is deleted, unless --trust-this-clock is given",
  });
  const trusted = { trustThisClock: true };
  expect(clockRefusal(null, trusted, { isEmpty: true })).toBeUndefined();
  expect(clockRefusal(0, byNothing, { isEmpty: true })).toBeUndefined();
});

it.each([
  [6 * MINUTE, 'forward by 6 m 0 s'],
  [-6 * MINUTE, 'back by 6 m 0 s'],
])('a clock that is watched and is set meanwhile is refused: %d ms', (setMs, how) => {
  let [now, monotonic] = [1000, 10];
  const clock = { now: () => now, monotonic: () => monotonic, sleep: () => Promise.resolve() };
  const watch = new ClockWatch(clock);
  now += 60 * MINUTE;
  monotonic += 60 * MINUTE;
  expect(watch.refusal).toBeUndefined();
  now += setMs;
  expect(watch.refusal).toEqual({
    reason: 'clock',
    detail: `this machine's clock was set ${how} since the session was selected: run it again`,
  });
});
