/** What a budget keeps for a company that is too large for a full check a night; the tables of config/guide/capacity.md. */
import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../../src/emulator/seed/seed-plan.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import { DAY_MS, SimulatedFleet } from '../../support/http/simulated-fleet.js';

// Fixed: a month may come in which so much changes that the budget is too small.
const SEED = Number(process.env['JOBVAULT_TEST_SEED'] ?? 1);
/**
 * Of a million users and 20 requests a second there is one in ten thousand: the rules only compare numbers. The
 * tables have one in 2,500.
 */
const SCALE = Number(process.env['JOBVAULT_TEST_SCALE'] ?? 10_000);
const USERS = 1_000_000 / SCALE;
const RATE = 20 / SCALE;
const HOUR_MS = 3_600_000;

function companyOf(more: {
  sessionsPerUser: number;
  changing: number;
  rate: number;
  users?: number;
}) {
  const stream = RandomStream.of('company', SEED);
  const clock = new FakeClock();
  const random = () => stream.fraction();
  const fleet = new SimulatedFleet({
    clock,
    random,
    users: USERS,
    lately: 0.95,
    fresh: 0.3,
    maxStalenessMs: 14 * DAY_MS,
    ...more,
  });
  return { clock, random, fleet };
}

describe(`a month of 1,000,000 users at 20 requests a second (seed ${SEED})`, () => {
  it.each([
    { sessionsPerUser: 3, percent: 1, inTime: [0.75, 1], days: [2, 8] },
    { sessionsPerUser: 10, percent: 1, inTime: [0.7, 0.95], days: [8, 30] },
  ])(
    '$sessionsPerUser sessions each, $percent % changed a day: $inTime are archived in a day',
    async ({ sessionsPerUser, percent, inTime, days }) => {
      const { clock, fleet } = companyOf({ sessionsPerUser, changing: percent / 100, rate: RATE });
      const day = Math.floor((DAY_MS / 1000) * RATE);
      await fleet.run(fleet.fullPass * 2); // the first, which may take weeks
      fleet.archived.length = 0;
      const began = clock.now();
      for (let night = 0; night < 30; night++) {
        fleet.schedule(began + night * DAY_MS, began + (night + 1) * DAY_MS);
        await fleet.run(day);
        await clock.advance(Math.max(0, began + (night + 1) * DAY_MS - clock.now()));
      }
      const changes = fleet.archived.length + fleet.openSinceMs.length;
      const soon = fleet.archived.filter(({ delayMs }) => delayMs <= DAY_MS).length / changes;
      const oldest = fleet.checkAgesMs(clock.now()).reduce((a, b) => Math.max(a, b), 0) / DAY_MS;
      for (const [value, [least = 0, most = 0]] of [
        [soon, inTime],
        [oldest, days],
      ] as const) {
        expect(value).toBeGreaterThanOrEqual(least);
        expect(value).toBeLessThanOrEqual(most);
      }
    },
    120_000,
  );
});

describe(`a day of sessions that live for an hour, with a run every ten minutes (seed ${SEED})`, () => {
  it.each([
    [0.1, 0.3],
    [0.25, 0.95],
    [0.5, 0.99],
  ])(
    'of %f requests for each user archives at least %f of them',
    async (perUser, share) => {
      const users = 100;
      const company = { users, sessionsPerUser: 10, changing: 0.01, rate: 20 };
      const { clock, random, fleet } = companyOf(company);
      await fleet.run(fleet.fullPass * 2);
      const began = clock.now();
      fleet.schedule(began, began + DAY_MS);
      const sessions = Array.from({ length: 200 }, () =>
        fleet.scheduleShortLived(began + random() * (DAY_MS - HOUR_MS), HOUR_MS),
      );
      for (let run = 0; run < 144; run++) {
        // at night everything is checked
        await fleet.run(run === 12 ? fleet.fullPass * 2 : Math.round(users * perUser));
        await clock.advance(Math.max(0, began + (run + 1) * (DAY_MS / 144) - clock.now()));
      }
      const archived = sessions.filter((isArchived) => isArchived()).length / sessions.length;
      expect(archived).toBeGreaterThanOrEqual(share);
    },
    60_000,
  );
});
