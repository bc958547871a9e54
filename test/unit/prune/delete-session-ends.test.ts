import { describe, expect, it } from 'vitest';
import { RequestBudget } from '../../../src/service/pace/request-budget.js';
import type { Pace } from '../../../src/service/pace/pace.js';
import {
  answered,
  ATTEMPT,
  deleting,
  Deleting,
  failed,
  limited,
} from '../../support/http/one-deletion.js';
import { OneSession, type Operation } from '../../support/http/one-session.js';

it('an interruption before the final check ends the deletion, and nothing is asked', async () => {
  const { one, deletion } = deleting();
  deletion.abort.abort(new Error('stop'));
  await expect(deletion.run()).rejects.toThrow('stop');
  expect([one.asked, one.announced, deletion.intents]).toEqual([[], [], 0]);
});

it('an interruption between final check and DELETE sends no DELETE', async () => {
  const { one, deletion } = deleting((operation) => {
    if (operation === 'getHistory') deletion.abort.abort(new Error('stop'));
  });
  await expect(deletion.run()).rejects.toThrow('stop');
  expect([one.count('deleteSession'), deletion.intents, one.open]).toEqual([0, 0, 0]);
});

it('an interruption while the DELETE is under way is followed to its end, and not repeated', async () => {
  const { one, deletion } = deleting((operation) => {
    if (operation !== 'deleteSession') return;
    deletion.abort.abort(new Error('stop'));
    throw failed;
  });
  one.waits = [1000];
  expect(await deletion.run()).toMatchObject({ refusal: { reason: 'still-there' } });
  expect([one.asked, one.slept]).toEqual([[...ATTEMPT, 'getSession'], []]);
});

it('an interruption of the wait between two attempts ends with what was found last', async () => {
  const { one, deletion } = deleting(answered(limited));
  one.waits = [1000];
  one.clock.sleep = () => Promise.reject(new Error('called off'));
  expect(await deletion.run()).toMatchObject({ error: limited });
  expect(one.asked).toEqual([...ATTEMPT, 'getSession']);
});

describe('delete session ends', () => {
  const slow =
    (one: OneSession, ms: number, times: number) => (operation: Operation, count: number) => {
      if (operation === 'getHistory' && count <= times) one.passedMs += ms;
    };

  it('the moment between final check and DELETE may be ten seconds long', async () => {
    const { one, deletion } = deleting();
    one.before = slow(one, 10_000, 1);
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    expect([one.count('getHistory'), deletion.moments]).toEqual([1, [10_000]]);
  });

  it('a moment that was longer is followed by another final check', async () => {
    const { one, deletion } = deleting();
    one.before = slow(one, 10_001, 1);
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    expect(one.asked).toEqual(['getSession', 'getHistory', ...ATTEMPT, 'getSession']);
    expect([deletion.moments, one.progress, one.open]).toEqual([[0], [], 0]);
  });

  it('a moment counts connecting: what is too late is not sent, and checked again', async () => {
    const { one, deletion } = deleting();
    one.waits = [0];
    one.connecting = (count) => {
      if (count === 1) one.passedMs += 10_001;
    };
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    const check = ['getSession', 'getHistory'];
    expect(one.asked).toEqual([...check, ...ATTEMPT, 'getSession']);
    expect([deletion.moments, one.open]).toEqual([[0], 0]);
  });

  it('a moment in which connecting always takes too long deletes nothing, forgets its intent', async () => {
    const { one, deletion } = deleting();
    one.waits = [0, 0];
    one.connecting = () => {
      one.passedMs += 10_001;
    };
    expect(await deletion.run()).toMatchObject({
      refusal: { reason: 'service', detail: expect.stringContaining('too late') as string },
    });
    expect([one.count('deleteSession'), one.isThere, deletion.intents]).toEqual([0, true, 0]);
    expect(deletion.moments).toEqual([]);
  });

  it('the moment between final check and DELETE is given up after ten final checks', async () => {
    const { one, deletion } = deleting();
    one.before = slow(one, 10_001, Infinity);
    expect(await deletion.run()).toMatchObject({
      refusal: {
        reason: 'service',
        detail: expect.stringContaining(
          'after 10 final checks none was followed by a DELETE within 10',
        ) as string,
      },
    });
    expect([one.count('getHistory'), one.count('deleteSession')]).toEqual([10, 0]);
    expect(deletion.intents).toBe(0);
  });

  it("a moment has room for the history's pages: with more, the final check is repeated", async () => {
    const one = new OneSession(250);
    const deletion = new Deleting(one);
    one.pageCap = 50;
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    const pages = one.count('getHistory') / 2;
    expect(one.announced).toEqual([3 + 2, pages + 2]);
    expect(one.count('deleteSession')).toBe(1);
  });
});

describe('delete session ends', () => {
  /** Allows no more requests, or no more time, than given; every request of the deletion counts. */
  function within(limits: { readonly maxRequests?: number; readonly maxDurationMs?: number }) {
    const one = new OneSession();
    const pace = {
      acquire: () => Promise.resolve(),
      hold: () => Promise.resolve(() => undefined),
    } as unknown as Pace;
    const budget = new RequestBudget(pace, { clock: one.clock, ...limits });
    const deletion = new Deleting(one);
    deletion.budget = budget;
    const fails = answered(limited, 1);
    one.before = (operation, count) => {
      budget.acquire().catch(() => undefined); // counts it
      fails(operation, count);
    };
    return { one, deletion };
  }
  /** The final check and the DELETE of a short history, and the question after it. */
  const once = ATTEMPT.length + 1;

  it.each([
    ['for both', 2 * ATTEMPT.length + 1, 'confirmed'],
    ['not for the second one', 2 * ATTEMPT.length, undefined],
  ])(
    'a budget lets an attempt follow one that failed where it suffices %s',
    async (_, most, outcome) => {
      const { one, deletion } = within({ maxRequests: most });
      one.waits = [1000];
      const result = await deletion.run();
      expect('outcome' in result ? result.outcome : undefined).toBe(outcome);
      if (outcome === undefined) expect(result).toMatchObject({ error: limited });
      const second = outcome === undefined ? [] : ATTEMPT;
      expect(one.asked).toEqual([...ATTEMPT, ...second, 'getSession']);
      expect(one.slept).toEqual(outcome === undefined ? [] : [1000]);
      expect(deletion.intents).toBe(outcome === undefined ? 0 : 1);
    },
  );

  it.each([
    [1000, undefined],
    [1001, 'confirmed'],
  ])('a budget of %d ms and a wait of 1,000: the outcome is %s', async (maxDurationMs, outcome) => {
    const { one, deletion } = within({ maxDurationMs });
    one.waits = [1000];
    const result = await deletion.run();
    expect('outcome' in result ? result.outcome : undefined).toBe(outcome);
    expect(one.slept).toEqual(outcome === undefined ? [] : [1000]);
    expect(one.count('deleteSession')).toBe(outcome === undefined ? 1 : 2);
  });

  it('a budget that is over after the wait ends with what was found before', async () => {
    const { one, deletion } = within({ maxDurationMs: 1500 });
    one.waits = [1000];
    const sleep = one.clock.sleep.bind(one.clock);
    one.clock.sleep = (ms, signal) => sleep(2 * ms, signal);
    expect(await deletion.run()).toMatchObject({ error: limited });
    expect([one.count('deleteSession'), deletion.intents]).toEqual([1, 0]);
  });

  it('a budget that is over between the final check and the DELETE sends no DELETE', async () => {
    const { one, deletion } = within({ maxDurationMs: 1000 });
    one.before = (operation) => {
      if (operation === 'getHistory') one.passedMs += 1000;
    };
    await expect(deletion.run()).rejects.toThrow('the time of the run is over');
    expect([one.count('deleteSession'), one.isThere, deletion.intents]).toEqual([0, true, 0]);
  });

  it('a budget that does not suffice for a deletion with its outcome asks for nothing', async () => {
    const { one, deletion } = within({ maxRequests: once - 1 });
    await expect(deletion.run()).rejects.toThrow(`the budget of ${once - 1} requests is spent`);
    expect([one.asked, deletion.intents]).toEqual([[], 0]);
  });
});
