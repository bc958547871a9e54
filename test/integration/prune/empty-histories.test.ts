/** Sessions whose history came without a job: nothing else of the service shows whether that is true. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cachingFront } from '../../support/http/caching-front.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

const HOUR = 3_600_000;
const NO_JOBS = '{"page_number":1,"page_size":100,"total_items":0,"records":[]}';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** The history of a1 comes without its jobs. */
function answerEmpty(): void {
  const answer = { kind: 'body', body: `{"code":0,"data":${NO_JOBS}}` } as const;
  rig.emulator.faults.api = [{ operations: ['getHistory'], pathId: 'a1', answer }];
}

it(
  'the session is not deleted in the same night: the final check has the same wrong answer',
  fault('F-92'),
  async () => {
    rig.addSession('ann', 'a1');
    answerEmpty();
    expect(await rig.rig.archived()).toMatchObject({ status: 'complete', jobs: { archived: 0 } });
    const until = new Date(rig.rig.clock.now() + 24 * HOUR).toISOString();
    const summary = await rig.pruned();
    expect(outcomes(summary)).toEqual({ a1: 'unsettled' });
    expect(summary.sessions[0]?.detail).toContain('its history was read as empty');
    expect(summary.sessions[0]?.detail).toContain(until.slice(0, 13));
    expect(outcomes(await rig.pruned({ rules: { sessions: ['a1'] } }))).toEqual({
      a1: 'unsettled',
    });
    expect(rig.left()).toEqual(['a1']);
  },
);

it(
  'the session is not deleted a day later, where the final check has its jobs',
  fault('F-92'),
  async () => {
    rig.addSession('ann', 'a1');
    answerEmpty();
    await rig.rig.archived();
    rig.emulator.faults.api = [];
    rig.rig.clock.ahead = 25 * HOUR;
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'grown' });
    expect(rig.left()).toEqual(['a1']);
  },
);

it('a session whose history came empty is deleted a day later, where it is still empty', async () => {
  rig.addSession('ann', 'a1', { jobs: 0 });
  await rig.rig.archived();
  rig.rig.clock.ahead = 23 * HOUR;
  await rig.rig.export();
  expect(outcomes(await rig.pruned())).toEqual({ a1: 'unsettled' });
  rig.rig.clock.ahead = 25 * HOUR;
  expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
});

it(
  'the session counts its day by a clock that the service confirms, or that is trusted',
  fault('F-92'),
  async () => {
    rig.addSession('ann', 'a1', { jobs: 0 });
    rig.addSession('ann', 'a2');
    await using front = await cachingFront(rig.emulator.baseUrl);
    front.keyOf = () => undefined;
    const { baseUrl } = front;
    await rig.rig.export({ baseUrl });
    rig.rig.clock.ahead = 25 * HOUR;
    front.hasDate = false;
    const summary = await rig.pruned({ baseUrl });
    expect(outcomes(summary)).toEqual({ a1: 'clock', a2: 'deleted' });
    const rules = { all: true, trustThisClock: true };
    expect(outcomes(await rig.pruned({ baseUrl, rules }))).toEqual({ a1: 'deleted' });
  },
);
