/** One thing that is deleted at the service: only what may go, after a yes, and it is told as gone only if it is. */
import { expect, it } from 'vitest';
import { deleteOne } from '../../../src/cli/delete-one.js';
import { viewText } from '../../../src/cli/output/view.js';
import { EXIT } from '../../../src/cli/exit-code.js';
import {
  NotFoundError,
  PermissionDeniedError,
  RequestTimeoutError,
} from '../../../src/service/service-errors.js';
import { errorFacts } from '../../support/http/one-session.js';

type Deletion = Parameters<typeof deleteOne>[1];

const gone = new NotFoundError('no such session', errorFacts);
const late = new RequestTimeoutError('no answer', errorFacts);

/** What happened in which order, beside the result. */
function deleting(given: Partial<Deletion> = {}, dryRun = false) {
  const done: string[] = [];
  const saying =
    <Result>(what: string, how: () => Promise<Result>) =>
    () => {
      done.push(what);
      return how();
    };
  const deletion: Deletion = {
    id: 's1',
    ask: (plan, question) => {
      done.push(`${viewText(plan(false))}${question}`);
      return Promise.resolve(true);
    },
    describe: () => Promise.resolve('session s1 of ann'),
    ...given,
    whyHeld: saying('held?', given.whyHeld ?? (() => Promise.resolve(undefined))),
    remove: saying('DELETE', given.remove ?? (() => Promise.resolve())),
    find: saying('find', given.find ?? (() => Promise.reject(gone))),
  };
  const settings = { dryRun } as Parameters<typeof deleteOne>[0]['settings'];
  return { done, result: deleteOne({ settings }, deletion) };
}

it('a deletion asks, looks again whether anything keeps it, and whether it is gone', async () => {
  const { done, result } = deleting();
  const { value, view, exitCode } = await result;
  expect([value, viewText(view ?? {}), exitCode]).toEqual([
    { id: 's1', deleted: true },
    'Deleted s1.\n',
    undefined,
  ]);
  expect(done).toEqual([
    'held?',
    'Delete session s1 of ann? This cannot be undone.',
    'held?',
    'DELETE',
    'find',
  ]);
});

it('one deletion is not done without a yes', async () => {
  const { done, result } = deleting({ ask: () => Promise.resolve(false) });
  expect(await result).toEqual({ exitCode: EXIT.refused, note: 'Nothing was deleted.' });
  expect(done).toEqual(['held?']);
});

it('one deletion asks nobody where something keeps it', async () => {
  const { done, result } = deleting({ whyHeld: () => Promise.resolve('it is on hold') });
  expect(await result).toEqual({
    exitCode: EXIT.refused,
    note: 'Nothing was deleted: it is on hold.',
  });
  expect(done).toEqual(['held?']);
});

it('one deletion is not done where a hold came while somebody was asked', async () => {
  let holds = 0;
  const whyHeld = () => Promise.resolve(holds++ === 0 ? undefined : 'it is on hold');
  const { done, result } = deleting({ whyHeld });
  expect(await result).toMatchObject({ note: 'Nothing was deleted: it is on hold.' });
  expect(done).not.toContain('DELETE');
});

it('one deletion says with --dry-run what would go, and does nothing, though it could ask', async () => {
  const { done, result } = deleting({}, true);
  const { value, view, exitCode } = await result;
  expect([value, exitCode, done]).toEqual([{ id: 's1', deleted: false }, undefined, ['held?']]);
  expect(viewText(view ?? {})).toBe(
    'Plan, nothing is deleted: session s1 of ann\n\nTo delete, run it without --dry-run.\n',
  );
});

it('the outcome is a refusal where the thing is still there, though the service says done', async () => {
  const { result } = deleting({ find: () => Promise.resolve() });
  expect(await result).toEqual({
    exitCode: EXIT.refused,
    value: { id: 's1', deleted: false },
    note: 'Not deleted: s1 is still there, though the service says done.\n',
  });
});

it('the outcome of a DELETE is looked up after an answer that was lost', async () => {
  const remove = () => Promise.reject(late);
  expect(await deleting({ remove }).result).toMatchObject({ value: { deleted: true } });
  const { result } = deleting({ remove, find: () => Promise.resolve() });
  await expect(result).rejects.toBe(late);
});

it.each([
  ['refuses', new PermissionDeniedError('not yours', errorFacts)],
  ['does not find it', gone],
])('the outcome of a DELETE is the failure itself where the service %s', async (_, failure) => {
  const { done, result } = deleting({ remove: () => Promise.reject(failure) });
  await expect(result).rejects.toBe(failure);
  expect(done).not.toContain('find');
});

it('the outcome of a DELETE is not known where looking it up fails', async () => {
  const { result } = deleting({ find: () => Promise.reject(late) });
  await expect(result).rejects.toMatchObject({
    code: 'SERVICE_UNKNOWN_OUTCOME',
    message: `a DELETE of s1 was sent, and whether it is gone is not known: ${late.message}`,
    cause: late,
  });
});

it('the outcome of a DELETE is not known where a cache says from its memory that it is gone', async () => {
  const stale = new NotFoundError('no such session', { ...errorFacts, stale: 'Age: 12' });
  const { result } = deleting({ find: () => Promise.reject(stale) });
  await expect(result).rejects.toMatchObject({
    code: 'SERVICE_UNKNOWN_OUTCOME',
    message: expect.stringContaining('a cache said so from its memory (Age: 12)'),
  });
});
