/** Who is listed before there is an archive, and what ends a run before it has one. */
import { expect, it } from 'vitest';
import { preflight } from '../../../src/export/preflight.js';
import type { UserSource } from '../../../src/export/users/user-source.js';
import { asUserId } from '../../../src/model/ids.js';
import { BudgetSpentError } from '../../../src/service/pace/request-budget.js';
import { FakeClock } from '../../support/base/fake-clock.js';

const BUDGET = new BudgetSpentError('the budget is spent');

/** @param answers by user: what listing them throws, or nothing */
function listed(answers: Readonly<Record<string, Error | undefined>>, source?: UserSource) {
  const { signal } = new AbortController();
  const options = {
    clock: new FakeClock(0),
    signal,
    users: source ? [] : Object.keys(answers).map(asUserId),
    source,
    service: {
      listSessions: ({ userId }: { userId: string }) => {
        const error = answers[userId];
        return error ? Promise.reject(error) : Promise.resolve({ sessions: [], total: 0 });
      },
    },
  };
  return preflight(options as never);
}

function sourceOf(...users: string[]) {
  const settled: string[] = [];
  const source: UserSource = {
    maxClaimed: 1,
    next: () => Promise.resolve(users.length > 0 ? asUserId(users.shift() ?? '') : undefined),
    isExpected: () => true,
    settled: (user) => void settled.push(user),
    doubted: () => undefined,
  };
  return { source, settled };
}

it('the first user who can be listed ends it', async () => {
  expect(await listed({ ann: undefined, ben: BUDGET })).toEqual({
    listed: 'ann',
    refused: [],
    isBudgetSpent: false,
  });
});

it('a budget that ends before anybody is listed leaves everybody for a later run', async () => {
  expect(await listed({ ann: BUDGET })).toMatchObject({ listed: undefined, isBudgetSpent: true });
});

it('a budget that ends for the user of a queue ends the run, and settles nobody', async () => {
  const { source, settled } = sourceOf('ann', 'ben');
  await expect(listed({ ann: BUDGET }, source)).rejects.toBe(BUDGET);
  expect(settled).toEqual([]);
});
