import { beforeEach, expect, it } from 'vitest';
import { ExportMeter } from '../../../../../src/cli/output/progress/export-meter.js';
import {
  progressFields,
  progressText,
} from '../../../../../src/cli/output/progress/progress-text.js';
import { FakeClock } from '../../../../support/base/fake-clock.js';

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});

const looked = (meter: ExportMeter, user: string, sessions: number) => {
  for (let n = 0; n < sessions; n++) {
    meter.observer.sessionFinished?.(user, String(n), { kind: 'new', gaps: [], unchanged: 0 });
  }
};

it('how far an export has come counts users, sessions and jobs', () => {
  const meter = new ExportMeter(clock, 2);
  meter.observer.userStarted?.('ada');
  meter.observer.sessionsListed?.('ada', 3);
  meter.observer.jobArchived?.('ada', 's');
  looked(meter, 'ada', 3);
  meter.observer.userFinished?.('ada');
  expect(meter.state()).toMatchObject({
    users: 1,
    usersTotal: 2,
    sessions: 3,
    sessionsListed: 3,
    jobs: 1,
  });
});

it('estimates the remaining time from the speed so far and the users still to be listed', async () => {
  const meter = new ExportMeter(clock, 4);
  meter.observer.userStarted?.('ada');
  meter.observer.sessionsListed?.('ada', 20);
  looked(meter, 'ada', 10);
  await clock.advance(5_000);
  // 10 of ada's and 3 × 20 of the others at 2 a second
  expect(meter.state()).toMatchObject({ sessionsPerSecond: 2, leftMs: 35_000, share: 1 / 8 });
});

it('how far an export has come says nothing of the time left before anything is known', async () => {
  const meter = new ExportMeter(clock, 4);
  expect(meter.state()).toMatchObject({ leftMs: undefined, share: 0 });
  meter.observer.sessionsListed?.('ada', 20);
  looked(meter, 'ada', 2);
  await clock.advance(60_000);
  expect(meter.state().leftMs).toBeUndefined();
});

it('progress counts a restarted user from the beginning, and a user reported twice once', () => {
  const meter = new ExportMeter(clock, 1);
  for (let round = 0; round < 2; round++) {
    meter.observer.userStarted?.('ada');
    meter.observer.sessionsListed?.('ada', 2);
    looked(meter, 'ada', 2);
    meter.observer.userFinished?.('ada');
    meter.observer.userFinished?.('ada');
  }
  expect(meter.state()).toMatchObject({ users: 1, sessions: 2, sessionsListed: 2, share: 1 });
});

it('how far an export has come leaves out sessions that a run does not check', () => {
  const meter = new ExportMeter(clock, 1);
  meter.observer.sessionsListed?.('ada', 100);
  looked(meter, 'ada', 5);
  meter.observer.userFinished?.('ada');
  expect(meter.state()).toMatchObject({ sessionsListed: 5, share: 1 });
});

const state = {
  users: 3,
  usersTotal: 12,
  sessions: 37,
  sessionsListed: 120,
  jobs: 2345,
  share: 0.25,
  sessionsPerSecond: 4.23,
  leftMs: 124_000,
};

it('the line on a terminal shows everything if there is room', () => {
  expect(progressText(state, 200)).toBe(
    '█████░░░░░░░░░░░░░░░ 37 of 120 conversations · about 2 m 10 s left · ' +
      '2345 questions · 3 of 12 users · 4.2 conversations/s',
  );
});

it('the line on a terminal is never as wide as the terminal', () => {
  for (const columns of [10, 20, 40, 60, 80, 100]) {
    expect(progressText(state, columns).length).toBeLessThan(columns);
  }
});

it('the line on a terminal has a shorter bar, or none, where there is little room', () => {
  expect(progressText(state, 32)).toBe('██░░░░░ 37 of 120 conversations');
  expect(progressText(state, 24)).toBe('37 of 120 conversations');
  expect(progressText(state, 12)).toBe('37 of 120 …');
});

it('a log tells when the export will end, once it can be estimated', async () => {
  const meter = new ExportMeter(clock, 10);
  meter.observer.userStarted?.('ada');
  meter.observer.sessionsListed?.('ada', 6);
  const nowMs = Date.UTC(2026, 0, 31, 9, 30);
  expect(progressFields(meter.state(), nowMs)).not.toHaveProperty('endsAbout');
  await clock.advance(60_000);
  looked(meter, 'ada', 6);
  meter.observer.userFinished?.('ada');
  // nine users with six sessions each, at one session in ten seconds
  expect(progressFields(meter.state(), nowMs)).toMatchObject({
    secondsLeft: 540,
    endsAbout: '2026-01-31T09:39Z',
  });
});

it('the line on a terminal leaves out what is not known', () => {
  const fields = progressFields({ ...state, sessionsPerSecond: undefined, leftMs: undefined }, 0);
  expect(Object.keys(fields)).toEqual([
    'users',
    'usersTotal',
    'sessions',
    'sessionsListed',
    'jobs',
  ]);
});
