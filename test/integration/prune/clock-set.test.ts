/** This machine's clock is set while a prune runs: what was selected by another time does not go. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/runtime.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';

const DAY = 86_400_000;
const MONTH = 30 * DAY;

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Ahead by this until the session is selected, and right from the first request on. */
function clockSetBack(aheadMs: number) {
  const { clock } = rig.rig;
  let selected = 0;
  const isRight = (): boolean => selected >= 3; // for the survey, for its user, and of what the service lists of the user
  const setBack: Clock = {
    now: () => clock.now() + (isRight() ? 0 : aheadMs),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
  return { clock: setBack, selects: () => ++selected > 0 };
}

it('a too young session is not deleted where the clock is put right after its selection', async () => {
  const summary = await rig.pruned({ ...clockSetBack(2 * MONTH), rules: { olderThanMs: MONTH } });
  expect(outcomes(summary)).toEqual({ a1: 'clock' });
  expect(rig.deletesSent).toBe(0);
});

it('a clock that is set by a minute is no reason to keep a session', async () => {
  const summary = await rig.pruned({ ...clockSetBack(60_000), rules: { olderThanMs: DAY } });
  expect(outcomes(summary)).toEqual({ a1: 'deleted' });
});
