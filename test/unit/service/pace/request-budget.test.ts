import { expect, it } from 'vitest';
import { HeldPace, RateLimiter } from '../../../../src/service/pace/pace.js';
import {
  RequestBudget,
  type RequestBudgetOptions,
} from '../../../../src/service/pace/request-budget.js';
import { FakeClock } from '../../../support/base/fake-clock.js';

const spent = { name: 'BudgetSpentError' };

function budgetOf(limits: Omit<RequestBudgetOptions, 'clock'>, rate = 1e6) {
  const clock = new FakeClock();
  const budget = new RequestBudget(new RateLimiter({ clock, rate }), { ...limits, clock });
  const send = async (): Promise<void> => {
    const sent = budget.acquire();
    sent.catch(() => undefined);
    await clock.advance(1000);
    await sent;
  };
  return { clock, budget, send };
}

it('a reserved request counts at once, and is sent when everything else is spent', async () => {
  const { budget, send } = budgetOf({ maxRequests: 2 });
  const reserved = budget.reserve();
  await send();
  await expect(send()).rejects.toMatchObject(spent);
  reserved.use();
  await send();
  await expect(send()).rejects.toMatchObject(spent);
});

it('a reserved request is sent, too, when the time is over: once', async () => {
  const { clock, budget, send } = budgetOf({ maxDurationMs: 5000 });
  const reserved = budget.reserve();
  await clock.advance(5000);
  await expect(send()).rejects.toMatchObject(spent);
  reserved.use();
  reserved.use();
  await send();
  await expect(send()).rejects.toMatchObject(spent);
});

it('a reserved request is free again where it is not needed, but not once it is used', async () => {
  const { budget, send } = budgetOf({ maxRequests: 1 });
  const reserved = budget.reserve();
  expect(() => budget.reserve()).toThrow('the budget of 1 requests is spent');
  reserved.cancel();
  reserved.cancel();
  const another = budget.reserve();
  another.use();
  another.cancel();
  await send();
  await expect(send()).rejects.toMatchObject(spent);
});

it('requests held together count as a whole, and those that are not sent are free again', async () => {
  const { budget, send } = budgetOf({ maxRequests: 3 });
  const held = new HeldPace(budget, 3, 3);
  await held.acquire();
  await expect(send()).rejects.toMatchObject(spent);
  await held.close();
  await held.close();
  await send();
  await send();
  await expect(send()).rejects.toMatchObject(spent);
});

it('requests held together are refused where time is over before their turn', async () => {
  const { clock, budget, send } = budgetOf({ maxDurationMs: 3000 }, 0.2);
  await send();
  const held = budget.hold(3);
  held.catch(() => undefined);
  await clock.advance(60_000);
  await expect(held).rejects.toMatchObject(spent);
  await budget.pace.acquire();
});

it('so many requests are allowed by how many were counted, and when they are to be sent', () => {
  const { budget } = budgetOf({ maxRequests: 3, maxDurationMs: 1000 });
  budget.reserve();
  expect(() => budget.assertAllows(2)).not.toThrow();
  expect(() => budget.assertAllows(3)).toThrow('the budget of 3 requests is spent');
  expect(() => budget.assertAllows(1, 999)).not.toThrow();
  expect(() => budget.assertAllows(1, 1000)).toThrow('the time of the run is over');
});

it('what is left is lessened by requests, and by a piece of work from its beginning on', async () => {
  const { budget, send } = budgetOf({ maxRequests: 10 });
  await send();
  budget.begin();
  expect([budget.spent, budget.remaining()]).toEqual([2, 8]);
  await send();
  expect(budget.spent).toBe(2);
  await send();
  budget.begin();
  expect([budget.spent, budget.remaining()]).toEqual([3, 7]);
  expect(budget.remainingMs()).toBe(Infinity);
});

it('what is left is the requests that the time allows, at the allowed and the actual pace', async () => {
  const { clock, budget, send } = budgetOf({ maxDurationMs: 1_000_000, rate: 20 });
  expect([budget.remaining(), budget.remainingMs()]).toEqual([20_000, 1_000_000]);
  for (let sent = 0; sent < 200; sent++) await send();
  // one a second
  expect(budget.remaining()).toBe(800);
  await clock.advance(900_000);
  expect(budget.remaining()).toBe(0);
});
