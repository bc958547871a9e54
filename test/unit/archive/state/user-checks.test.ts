import { expect, it } from 'vitest';
import {
  checkSummary,
  CheckSurvey,
  noChecks,
  type SessionCheck,
  type UserChecks,
} from '../../../../src/archive/state/user-checks.js';
import {
  emptyState,
  type SessionState,
  type UserState,
} from '../../../../src/archive/state/user-state.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import { archived } from '../../../support/store/archived-sessions.js';

const DAY = 86_400_000;

const user = (name: string, sessions: Readonly<Record<string, Partial<SessionState>>>) => ({
  ...emptyState(asUserId(name)),
  sessions: new Map(
    Object.entries(sessions).map(([id, over]) => [
      asSessionId(id),
      archived(id, { commit: 1 }, over).state,
    ]),
  ),
});

const checks = (name: string, sessions: Readonly<Record<string, Partial<SessionCheck>>>) => ({
  ...noChecks(asUserId(name), 0),
  sessions: new Map(
    Object.entries(sessions).map(([id, over]) => [
      id,
      { checkedAtMs: null, listedAtMs: 0, changedAtMs: null, isIncomplete: false, ...over },
    ]),
  ),
});

const survey = (...users: [UserState, UserChecks | undefined][]) => {
  const found = new CheckSurvey({ rate: 4, pageSize: 2 });
  for (const [of, checks] of users) found.add(of.user, checkSummary(of.sessions, checks));
  return found.status();
};

it('the status of checks of nobody is empty and costs nothing', () => {
  const nothing = { requests: 0, rate: 4, duration_ms: 0 };
  expect(survey()).toEqual({ least_recent: null, not_checked: 0, full_check: nothing });
});

it('the status of checks names the session that was checked least recently, of several the first', () => {
  const times = { listedAtMs: DAY, checkedAtMs: 3 * DAY };
  const { least_recent: leastRecent } = survey(
    [user('ann', { a: {} }), checks('ann', { a: { ...times, checkedAtMs: 4 * DAY } })],
    [user('ben', { b: {} }), checks('ben', { b: times })],
    [user('cyd', { c: {} }), checks('cyd', { c: times })],
    [user('dan', { d: {} }), checks('dan', { d: { ...times, checkedAtMs: 5 * DAY } })],
  );
  expect(leastRecent).toEqual({
    user: 'ben',
    session: 'b',
    listed_at: '1970-01-02T00:00:00.000Z',
    last_checked_at: '1970-01-04T00:00:00.000Z',
  });
});

it('the status of checks counts a session that was only listed from its listing on, though no state has it', () => {
  const { least_recent: leastRecent, full_check: cost } = survey(
    [user('ann', { a: {} }), checks('ann', { a: { checkedAtMs: 2 * DAY } })],
    [user('ben', {}), checks('ben', { b: { listedAtMs: DAY } })],
  );
  expect(leastRecent).toEqual({
    user: 'ben',
    session: 'b',
    listed_at: '1970-01-02T00:00:00.000Z',
    last_checked_at: null,
  });
  expect(cost.requests).toBe(4);
});

it('the status of checks counts the sessions without a record, of users without any, too', () => {
  const some = checks('ann', { a: {} });
  const { not_checked: count } = survey(
    [user('ann', { a: {}, b: {} }), some],
    [user('ben', { c: {} }), undefined],
  );
  expect(count).toBe(2);
});

it('the status of checks leaves out sessions that are gone', () => {
  const gone = { a: { deleted: true }, b: { goneAt: '2026-11-05T12:00:00.000Z' }, c: {} };
  expect(survey([user('ann', gone), undefined])).toEqual({
    least_recent: null,
    not_checked: 1,
    full_check: { requests: 2, rate: 4, duration_ms: 500 },
  });
});

it('the status of checks costs a request for each page of sessions, at least one a user, and one for each history', () => {
  const three = { a: {}, b: {}, c: {} };
  expect(survey([user('ann', three), undefined]).full_check.requests).toBe(5);
  const both = survey([user('ann', three), undefined], [user('ben', {}), undefined]);
  expect(both.full_check).toEqual({ requests: 6, rate: 4, duration_ms: 1500 });
});
