import { describe, expect, it } from 'vitest';
import {
  noChecks,
  type SessionCheck,
  type UserChecks,
} from '../../../src/archive/state/user-checks.js';
import {
  dueAge,
  factsOf,
  priorityOf,
  RevisitPlanner,
} from '../../../src/export/budget/revisit-planner.js';
import { asUserId } from '../../../src/model/ids.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 21);

const daysAgo = (days: number): number => NOW_MS - days * DAY_MS;

function look(changes: Partial<SessionCheck> = {}): SessionCheck {
  return {
    checkedAtMs: daysAgo(1),
    listedAtMs: daysAgo(90),
    changedAtMs: null,
    isIncomplete: false,
    ...changes,
  };
}

it('the order of checks is: new, not read to the end, needed by the promise, changed lately, cold', () => {
  const dueAgeMs = 6 * DAY_MS;
  const priorities = [
    undefined,
    look({ isIncomplete: true }),
    look({ checkedAtMs: daysAgo(6.5) }),
    look({ changedAtMs: daysAgo(1) }),
    look({ changedAtMs: daysAgo(3) }),
    look({ changedAtMs: daysAgo(20), checkedAtMs: daysAgo(4) }),
    look({ changedAtMs: daysAgo(200), checkedAtMs: daysAgo(4) }),
    look({ changedAtMs: daysAgo(200), checkedAtMs: daysAgo(1) }),
  ].map((known) => priorityOf(factsOf(known, NOW_MS), dueAgeMs));
  expect(priorities).toEqual(priorities.toSorted((a, b) => b - a));
  expect(new Set(priorities).size).toBe(priorities.length);
});

it('the order of checks counts a listed session that was never read as new', () => {
  expect(factsOf(look({ checkedAtMs: null, listedAtMs: daysAgo(3) }), NOW_MS)).toMatchObject({
    kind: 'new',
    ageMs: 3 * DAY_MS,
  });
});

describe('revisit planner', () => {
  const promise = { maxStalenessMs: 7 * DAY_MS, intervalMs: DAY_MS };
  const ages = (...days: number[]): Float64Array => Float64Array.from(days, (day) => day * DAY_MS);

  it('the age from which the promise needs a check spreads sessions that were all checked in the same run over the runs that are left', () => {
    const agesMs = Float64Array.from({ length: 600 }, (_, at) => DAY_MS + at);
    const due = dueAge({ ...promise, agesMs, checksPerRun: 110 });
    expect(agesMs.filter((age) => age >= due)).toHaveLength(100);
  });

  it('the age from which the promise needs a check takes more now where later runs could not do it all', () => {
    const agesMs = Float64Array.from({ length: 600 }, (_, at) => 4.5 * DAY_MS + at);
    const due = dueAge({ ...promise, agesMs, checksPerRun: 150 });
    expect(agesMs.filter((age) => age >= due)).toHaveLength(300);
  });

  it('the age from which the promise needs a check is reached by every session that the next run might come too late for', () => {
    expect(dueAge({ ...promise, agesMs: ages(1, 2, 5.8, 6.5), checksPerRun: 1000 })).toBe(
      5.8 * DAY_MS,
    );
  });

  it('the age from which the promise needs a check is reached by none where there is none', () => {
    expect(dueAge({ ...promise, agesMs: ages(), checksPerRun: 10 })).toBe(Infinity);
  });
});

describe('revisit planner', () => {
  function userOf(name: string, checks: readonly SessionCheck[]): UserChecks {
    const sessions = new Map(checks.map((known, at) => [`${name}-${at}`, known]));
    return { ...noChecks(asUserId(name), daysAgo(90)), listingsMs: [daysAgo(1)], sessions };
  }

  it('the planner chooses over all users, not for the first in line', () => {
    const fifty = (changedAtMs: number): SessionCheck[] =>
      Array.from({ length: 50 }, (_, at) => look({ changedAtMs, checkedAtMs: daysAgo(1) - at }));
    const [cold, warm] = [fifty(daysAgo(300)), fifty(daysAgo(0.5))];
    const planner = new RevisitPlanner({
      nowMs: NOW_MS,
      maxStalenessMs: 90 * DAY_MS,
      requests: 60,
      pageSize: 100,
    });
    const users = [userOf('first', cold), userOf('last', warm)];
    users.forEach((user) => {
      planner.add(user);
    });
    const chosen = users.map(({ user, sessions }) => {
      const { cutoff, dueAgeMs } = planner.begin(user, { requests: 60, spent: 0 });
      const facts = [...sessions.values()].map((known) => factsOf(known, NOW_MS));
      return facts.filter((known) => priorityOf(known, dueAgeMs) > cutoff).length;
    });
    // the oldest cold ones have the rest
    expect(chosen[0]).toBeLessThanOrEqual(6);
    expect(chosen[1]).toBeGreaterThanOrEqual(49);
  });

  it('the planner gives equals just as many checks as are left, the first in line first', () => {
    const checks = Array.from({ length: 6 }, () => look());
    const planner = new RevisitPlanner({
      nowMs: NOW_MS,
      maxStalenessMs: 90 * DAY_MS,
      requests: 12,
      pageSize: 100,
    });
    const users = [userOf('ann', checks), userOf('bob', checks)];
    users.forEach((user) => {
      planner.add(user);
    });
    const first = planner.begin(users[0]!.user, { requests: 11, spent: 1 });
    planner.listed(users[0]!.user, { checks: 6, listed: 6 });
    const second = planner.begin(users[1]!.user, { requests: 10, spent: 2 });
    // twelve requests: two listings, two for what totals count, and eight checks at a little more than one
    expect([first.cutoff, first.ties, second.ties]).toEqual([second.cutoff, 6, 2]);
  });

  it('the planner gives later users what earlier ones have left', () => {
    const checks = Array.from({ length: 10 }, (_, at) =>
      look({ changedAtMs: daysAgo(1 + at / 10) }),
    );
    const planner = new RevisitPlanner({
      nowMs: NOW_MS,
      maxStalenessMs: 90 * DAY_MS,
      requests: 16,
      pageSize: 100,
    });
    const [ann, bob] = [userOf('ann', checks), userOf('bob', checks)];
    [ann, bob].forEach((user) => {
      planner.add(user);
    });
    planner.begin(ann.user, { requests: 15, spent: 1 });
    planner.listed(ann.user, { checks: 0, listed: 0 }); // the listing failed
    const { cutoff } = planner.begin(bob.user, { requests: 14, spent: 2 });
    expect(cutoff).toBeLessThan(0);
  });

  it('the planner counts what is under way once: as chosen until it counts as spent', () => {
    const checks = Array.from({ length: 10 }, (_, at) =>
      look({ changedAtMs: daysAgo(1 + at / 10) }),
    );
    const planner = new RevisitPlanner({
      nowMs: NOW_MS,
      maxStalenessMs: 90 * DAY_MS,
      requests: 25,
      pageSize: 100,
    });
    const [ann, bob] = [userOf('ann', checks), userOf('bob', checks)];
    [ann, bob].forEach((user) => {
      planner.add(user);
    });
    planner.begin(ann.user, { requests: 24, spent: 1 });
    planner.listed(ann.user, { checks: 10, listed: 10 });
    for (let sent = 0; sent < 4; sent++) planner.checked(true); // and none has been answered
    const { cutoff } = planner.begin(bob.user, { requests: 19, spent: 6 });
    expect(cutoff).toBeLessThan(0);
  });
});
