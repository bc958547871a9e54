/** A service, or a proxy in front of it, that sends no `Date`: nothing shows whether this machine's clock is right. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import type { PruneRules } from '../../../src/prune/prune-rules.js';
import { cachingFront, type CachingFront } from '../../support/http/caching-front.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { MovedClock } from '../../support/rigs/export-rig.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let rig: PruneRig;
let front: CachingFront;
beforeEach(async () => {
  rig = await PruneRig.start();
  front = await cachingFront(rig.emulator.baseUrl);
  front.keyOf = () => undefined;
  rig.addSessions('ann', ['a1', 'a2']);
});
afterEach(async () => {
  await front[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

const exported = () => rig.rig.export({ baseUrl: front.baseUrl });
const pruned = (rules: Partial<PruneRules>) => rig.pruned({ baseUrl: front.baseUrl, rules });

async function jobsOf(session: string) {
  const { sessions } = await (await rig.rig.open()).states.load(asUserId('ann'));
  return [...(sessions.get(asSessionId(session))?.jobs.values() ?? [])];
}

describe('a deletion by age', () => {
  beforeEach(exported);

  it('is refused without a Date, and says what to do: exit code 7', fault('F-79'), async () => {
    front.hasDate = false;
    const summary = await pruned({ olderThanMs: HOUR });
    expect(outcomes(summary)).toEqual({ a1: 'clock', a2: 'clock' });
    expect(summary.sessions[0]?.detail).toBe(
      "the service's answers have no Date, so nothing shows that this machine's clock is right: nothing is deleted by age, unless --trust-this-clock is given",
    );
    expect(rig.deletesSent).toBe(0);
    const words = ['prune', rig.out, '--older-than', '1h', '--base-url', front.baseUrl, '--yes'];
    expect((await cli(words)).exitCode).toBe(7);
    expect(rig.deletesSent).toBe(0);
    expect((await cli([...words, '--trust-this-clock'])).exitCode).toBe(0);
    expect(rig.left()).toEqual([]);
  });

  it('goes on without a Date where this clock is trusted; no other rule asks for one', async () => {
    front.hasDate = false;
    const trusted = { olderThanMs: HOUR, trustThisClock: true, sessions: ['a1'] };
    expect(outcomes(await pruned(trusted))).toEqual({ a1: 'deleted' });
    expect(outcomes(await pruned({ keep: 0 }))).toEqual({ a2: 'deleted' });
  });

  it('is refused by a clock that the service contradicts, trusted or not', async () => {
    const clock = new MovedClock();
    clock.ahead = 60 * DAY;
    const rules = { olderThanMs: 30 * DAY, trustThisClock: true };
    const summary = await rig.pruned({ baseUrl: front.baseUrl, rules, clock });
    expect(outcomes(summary)).toEqual({ a1: 'clock', a2: 'clock' });
  });
});

it(
  'an export without a Date goes on; nothing is deleted unless this clock is trusted',
  fault('F-79'),
  async () => {
    front.hasDate = false;
    expect(await exported()).toMatchObject({ status: 'complete', jobs: { archived: 4 } });
    const before = await jobsOf('a1');
    expect(before).toMatchObject([{ settled: true }, { settled: true }]);
    front.hasDate = true;
    expect(await exported()).toMatchObject({ jobs: { archived: 0 }, rows: {} });
    expect(await jobsOf('a1')).toEqual(before);
    const summary = await pruned({ all: true });
    expect(outcomes(summary)).toEqual({ a1: 'clock', a2: 'clock' });
    expect(summary.sessions[0]?.detail).toContain(
      'some of it was seen, or settled, by a clock that no Date of the service confirmed',
    );
    expect(outcomes(await pruned({ sessions: ['a1'], trustThisClock: true }))).toEqual({
      a1: 'deleted',
    });
  },
);
