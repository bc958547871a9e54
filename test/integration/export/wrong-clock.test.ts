/** A machine whose clock is wrong: the export says so, and settles nothing by it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.js';
import { exportView } from '../../../src/cli/output/reports/export-report.js';
import { viewText } from '../../../src/cli/output/view.js';
import { countsOfExport } from '../../../src/cli/output/run-counts.js';
import { asUserId } from '../../../src/model/ids.js';
import { cachingFront } from '../../support/http/caching-front.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { ExportRig, MovedClock } from '../../support/rigs/export-rig.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start();
  rig.state.addSession('ann', { id: 's1' }, [oldJob(rig.state.newJobId(rig.clock.now() - MINUTE))]);
});
afterEach(() => rig[Symbol.asyncDispose]());

/** What an export warns of and says by a clock that is so far ahead of the service's. */
async function exported(ahead: number, baseUrl = rig.emulator.baseUrl) {
  const clock = new MovedClock();
  clock.ahead = rig.clock.ahead + ahead;
  const warned: string[] = [];
  const warn = (_fields: object, text: string) => void warned.push(text);
  const { summary, error } = await rig.run({ baseUrl, clock, logger: { ...silentLogger, warn } });
  expect([error, summary.status]).toEqual([undefined, 'complete']);
  return { warned, summary };
}

async function settled(): Promise<boolean[]> {
  const { sessions } = await (await rig.open()).states.load(asUserId('ann'));
  return [...sessions.values()].flatMap(({ jobs }) => [...jobs.values()].map((job) => job.settled));
}

const clockLine = (report: string) => /^ {2}clock .*$/m.exec(report)?.[0];

it.each([
  [10 * DAY, '10 days ahead of'],
  [-10 * DAY, '10 days behind'],
])(
  'a contradicted clock is told once, in the summary and in numbers: %i ms',
  async (ahead, gap) => {
    const { warned, summary } = await exported(ahead);
    // the request took some of a second
    const what = warned[0]?.replace('9 days 23 h', '10 days');
    expect([what, warned.length]).toEqual([
      `this machine's clock is ${gap} the service's: set it (NTP). Times in the archive and in metrics are wrong by as much; jobs settle by the earlier of both clocks, and begin anew once they agree`,
      1,
    ]);
    expect(Math.abs((summary.clock_gap_ms ?? 0) - ahead)).toBeLessThan(MINUTE);
    const { clockGapMs } = countsOfExport(summary);
    expect(clockGapMs).toBe(summary.clock_gap_ms);
    expect(clockLine(viewText(exportView({ ...summary, clock_gap_ms: 10 * DAY })))).toBe(
      "  clock             10 days ahead of the service's: set it (NTP)",
    );
  },
);

it('a contradicted clock settles no job before its time, whether it is new or was there', async () => {
  await exported(0);
  expect(await settled()).toEqual([false]);
  const id = rig.state.newJobId(rig.clock.now() - MINUTE);
  rig.state.addJob('ann', 's1', oldJob(id));
  await exported(10 * DAY);
  await exported(10 * DAY);
  expect(await settled()).toEqual([false, false]);
  rig.clock.ahead = 2 * 60 * MINUTE;
  await exported(0);
  expect(await settled()).toEqual([true, true]);
});

it('a contradicted clock settles what is old by the clock of the service', async () => {
  rig.clock.ahead = 2 * 60 * MINUTE;
  await exported(10 * DAY);
  expect(await settled()).toEqual([true]);
});

it('a clock that the service’s Date contradicts that is behind settles nothing either', async () => {
  rig.clock.ahead = 2 * 60 * MINUTE;
  await exported(-10 * DAY);
  expect(await settled()).toEqual([false]);
});

it('a clock that agrees within five minutes is not told, and is there as a number', async () => {
  const { warned, summary } = await exported(4 * MINUTE);
  expect([warned, clockLine(viewText(exportView(summary)))]).toEqual([[], undefined]);
  expect(summary.clock_gap_ms).toBeGreaterThan(2 * MINUTE);
  expect((await exported(0)).summary.clock_gap_ms).toBe(0);
});

it('without a Date nothing is told of a clock', async () => {
  await using front = await cachingFront(rig.emulator.baseUrl);
  front.keyOf = () => undefined;
  front.hasDate = false;
  const { warned, summary } = await exported(10 * DAY, front.baseUrl);
  expect([warned, summary.clock_gap_ms]).toEqual([[], null]);
  expect(countsOfExport(summary)).not.toHaveProperty('clockGapMs');
});
