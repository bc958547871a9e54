import { expect, it } from 'vitest';
import { ServiceFailureTracker } from '../../../src/prune/service-failure-tracker.js';
import {
  AuthenticationError,
  NotFoundError,
  ServerFailureError,
} from '../../../src/service/service-errors.js';
import { BudgetSpentError } from '../../../src/service/pace/request-budget.js';
import { errorFacts } from '../../support/http/one-session.js';

const down = new ServerFailureError('could not list', errorFacts);

function watch(signal = new AbortController().signal) {
  const made = new ServiceFailureTracker(signal);
  const ask = (error?: unknown) =>
    made.answerOr(
      error === undefined ? Promise.resolve('answer') : Promise.reject(error as Error),
      'service',
    );
  return { made, ask };
}

it('a failure of the service refuses one session, and its kind is kept', async () => {
  const { made, ask } = watch();
  expect(await ask()).toEqual({ ok: true, value: 'answer' });
  expect(made.failures).toEqual(new Set());
  expect(await ask(down)).toMatchObject({
    ok: false,
    refusal: { reason: 'service', detail: expect.stringContaining('could not list') as string },
  });
  expect(made.failures).toEqual(new Set(['unreachable']));
});

it('a failure ends the run with the fifth in a row; an answer between begins the count again', async () => {
  const { ask } = watch();
  for (let n = 0; n < 4; n++) await ask(down);
  await ask();
  for (let n = 0; n < 4; n++) await ask(down);
  await expect(ask(down)).rejects.toBe(down);
});

it('a failure of the service that is about one session alone is not counted', async () => {
  const { made, ask } = watch();
  const bySession = { ok: false, refusal: { reason: 'service' } };
  const missing = new NotFoundError('could not read', errorFacts);
  for (let n = 0; n < 9; n++) expect(await ask(missing)).toMatchObject(bySession);
  expect(made.failures).toEqual(new Set());
});

it('a failure for every session ends the run at once, and so does a mistake of ours', async () => {
  const { ask } = watch();
  const refused = new AuthenticationError('could not list', errorFacts);
  await expect(ask(refused)).rejects.toBe(refused);
  const mistake = new TypeError('no such thing');
  await expect(ask(mistake)).rejects.toBe(mistake);
});

it('a failure of the service is none of a run that was stopped: that ends with its reason', async () => {
  const { ask } = watch(AbortSignal.abort(new Error('stopped by SIGTERM')));
  await expect(ask(down)).rejects.toThrow('stopped by SIGTERM');
});

it('A budget that is spent leaves sessions to the next run, and is no failure of the service', async () => {
  const { made, ask } = watch();
  const spent = new BudgetSpentError('the budget is spent');
  for (let n = 0; n < 9; n++) {
    expect(await ask(spent)).toEqual({
      ok: false,
      refusal: { reason: 'budget', detail: 'the budget is spent: the next run goes on' },
    });
    made.failed(spent);
  }
  expect(made.failures).toEqual(new Set());
});
