/** A plan says what a clock that is wrong would make the run refuse, and when nobody could tell. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pruneView } from '../../../src/cli/output/reports/prune-report.js';
import { viewText } from '../../../src/cli/output/view.js';
import type { PruneSummary } from '../../../src/prune/prune-summary.js';
import { cliJson } from '../../support/programs/cli-in-process.js';
import { MovedClock } from '../../support/rigs/export-rig.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

const DAY = 24 * 3_600_000;
const ACCESS = { apiKey: 'demo-key', rate: 10_000 };

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSession('bob', 'b1');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

function clockAhead(ms: number): MovedClock {
  const clock = new MovedClock();
  clock.ahead = rig.rig.clock.ahead + ms;
  return clock;
}

const rules = { all: true };
const clockLine = (report: string) => /^ {2}clock +(.*)$/m.exec(report)?.[1];

it('refuses in a plan what the run refuses, with the same words, after one request', async () => {
  const clock = clockAhead(10 * DAY);
  const before = rig.emulator.stats.totalRequests;
  const { summary, saved } = await rig.plan({ rules, clock, access: ACCESS });
  expect(rig.emulator.stats.totalRequests - before).toBe(1);
  expect([summary.planned, summary.deletions.refused, saved.sessions]).toEqual([0, 3, []]);
  expect(summary.requests.api).toBe(1);
  const run = await rig.pruned({ rules, clock });
  const told = ({ sessions }: typeof summary) =>
    sessions
      .map(({ session, outcome, reason, detail }) => {
        // the request took some of a second
        return [session, outcome, reason, detail?.replace('9 days 23 h', '10 days')];
      })
      .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)); // users come in any order
  expect(told(summary)).toEqual(told(run));
  expect(told(summary)[0]).toEqual([
    ...['a1', 'refused', 'clock'],
    "this machine's clock is 10 days ahead of the service's: set it before anything is deleted by it",
  ]);
  expect(clockLine(viewText(pruneView(summary)))).toBeUndefined();
});

it('compares the clock in the dry run of an export that deletes, too', async () => {
  const words = ['export', '--out', rig.out, '--base-url', rig.emulator.baseUrl, '--user', 'ann'];
  const { prune } = await cliJson<{ prune: PruneSummary }>([
    ...words,
    ...['--delete-archived', '--all', '--dry-run'],
  ]);
  expect([prune.planned, prune.clock_not_compared]).toEqual([2, null]);
});

it.each([true, false])(
  'is compared before a run shows its plan, so that nothing refused is told as going (%j)',
  async (isAgreedBeforehand) => {
    const shown: PruneSummary[] = [];
    const confirm = (plan: PruneSummary): Promise<boolean> => {
      shown.push(plan);
      return Promise.resolve(true);
    };
    const clock = clockAhead(10 * DAY);
    const { sessions } = await rig.pruned({ rules, clock, confirm, isAgreedBeforehand });
    expect([shown, rig.left().length]).toEqual([[], 3]);
    const details = sessions.map(({ outcome, reason, detail }) => {
      return [outcome, reason, detail?.replace('9 days 23 h', '10 days')];
    });
    expect(details).toEqual(
      Array.from({ length: 3 }, () => [
        ...['refused', 'clock'],
        "this machine's clock is 10 days ahead of the service's: set it before anything is deleted by it",
      ]),
    );
  },
);

it('asks nothing where nothing may go, and plans as before by a clock that is right', async () => {
  const before = rig.emulator.stats.totalRequests;
  const { summary } = await rig.plan({ rules: { keep: 9 }, access: ACCESS });
  expect([summary.planned, rig.emulator.stats.totalRequests]).toEqual([0, before]);
  const { summary: free } = await rig.plan({ rules, access: ACCESS });
  expect([free.planned, free.clock_not_compared]).toEqual([3, null]);
});

it('says so where the service gives no answer, or there is no key to ask with', async () => {
  const { summary } = await rig.plan({ rules });
  expect(summary.planned).toBe(3);
  expect(clockLine(viewText(pruneView(summary)))).toBe(
    "not compared with the service's, because there is no API key to ask it with: a run refuses every conversation if it is wrong",
  );
  const words = ['prune', rig.out, '--all', '--dry-run'];
  const notCompared = async (environment: Record<string, string>): Promise<unknown> => {
    const { planned, clock_not_compared: why } = await cliJson<PruneSummary>(words, 0, environment);
    expect(planned).toBe(3);
    return why;
  };
  expect(await notCompared({})).toBe('there is no API key to ask it with');
  expect(await notCompared({ JOBVAULT_API_KEY: 'demo-key' })).toBeNull();
  await rig.emulator.close();
  expect(await notCompared({ JOBVAULT_API_KEY: 'demo-key' })).toMatch(/ECONNREFUSED/);
});
