import { expect, it } from 'vitest';
import { refusal } from '../../../src/prune/refusal.js';
import { NotFoundError, PermissionDeniedError } from '../../../src/service/service-errors.js';
import {
  answered,
  ATTEMPT,
  deleting,
  denied,
  failed,
  limited,
} from '../../support/http/one-deletion.js';
import { errorFacts, jobRecord } from '../../support/http/one-session.js';

it('a deletion reads the session and the history, sends one DELETE, and reads the outcome', async () => {
  const { one, deletion } = deleting(() => {
    one.passedMs += 40;
  });
  const result = await deletion.run();
  expect(result).toMatchObject({
    outcome: 'confirmed',
    intent: { run: 'run-1', user: 'ann', session: 's1', commit: 7, job_count: 2 },
  });
  expect(one.asked).toEqual([...ATTEMPT, 'getSession']);
  expect([[...one.users], one.announced, one.open]).toEqual([['ann'], [3], 0]);
  // since the history was asked for
  expect(deletion.moments).toEqual([40]);
  // the log has to hold the deletion before its intent goes
  expect(deletion.intents).toBe(1);
  const about = JSON.stringify({ user: 'ann', session: 's1' });
  expect(one.logged).toEqual([
    `debug deleting ${JSON.stringify({ user: 'ann', session: 's1', momentMs: 40 })}`,
    `info deletion confirmed ${about}`,
  ]);
});

it('a deletion writes its intent before it asks for anything', async () => {
  const { deletion } = deleting(() => {
    expect(deletion.intents).toBe(1);
  });
  expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
  expect.hasAssertions();
});

it('a deletion sends no DELETE after a final check that finds a change, and forgets its intent', async () => {
  const { one, deletion } = deleting();
  const archived = one.archived();
  one.jobs.push(jobRecord('j9', 'And?'));
  expect(await deletion.run(archived)).toMatchObject({ refusal: { reason: 'grown' } });
  expect(one.asked).toEqual(['getSession', 'getHistory']);
  expect([deletion.intents, one.open, deletion.moments]).toEqual([0, 0, []]);
});

it('a deletion sends no DELETE where the log says that something came in between', async () => {
  const { one, deletion } = deleting();
  deletion.conflictOf = () => Promise.resolve(refusal('conflict', 'another run'));
  expect(await deletion.run()).toEqual({
    refusal: { reason: 'conflict', detail: 'another run' },
    mayHaveHappened: false,
    error: undefined,
  });
  expect([one.count('deleteSession'), deletion.intents]).toEqual([0, 0]);
});

it('a session that is not found is gone already where it cannot be read either', async () => {
  const { one, deletion } = deleting();
  one.isThere = false;
  expect(await deletion.run()).toMatchObject({
    outcome: 'already-gone',
    intent: { user: 'ann' },
  });
  expect(one.asked).toEqual(['getSession', 'getSession']);
  expect([one.logged, deletion.intents]).toEqual([[], 1]);
});

it('a session that is not found is still there where it can be read', async () => {
  const missing = new NotFoundError('no history', errorFacts);
  const { deletion } = deleting((operation) => {
    if (operation === 'getHistory') throw missing;
  });
  const result = await deletion.run();
  expect(result).toMatchObject({ refusal: { reason: 'still-there' }, error: missing });
  expect('refusal' in result && result.refusal.detail).toMatch(
    /^it was not found, and yet it can be read \(could not do it: no history/,
  );
  expect(deletion.intents).toBe(0);
});

it('a final check that fails is a refusal with what the service said, and no DELETE', async () => {
  const leaky = new PermissionDeniedError(
    'see https://files.example/a?X-Amz-Signature=abcdef0123456789abcdef',
    errorFacts,
  );
  const { one, deletion } = deleting((operation) => {
    if (operation === 'getSession') throw leaky;
  });
  const result = await deletion.run();
  expect(result).toMatchObject({ refusal: { reason: 'service' }, error: leaky });
  expect(JSON.stringify('refusal' in result && result.refusal)).toContain('files.example/a');
  expect(JSON.stringify('refusal' in result && result.refusal)).not.toContain('abcdef01');
  expect(one.asked).toEqual(['getSession']);
  expect([deletion.intents, one.open]).toEqual([0, 0]);
});

it('a failed final check is repeated as often as the client allows, and its waiting is told', async () => {
  const { one, deletion } = deleting((operation, count) => {
    if (operation === 'getHistory' && count <= 2) throw failed;
  });
  one.waits = [500, 700];
  expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
  expect(one.slept).toEqual([500, 700]);
  expect(one.progress).toEqual([
    { attempts: 1, waitedMs: 0 },
    { attempts: 2, waitedMs: 500 },
  ]);
  const failing = ['getSession', 'getHistory'];
  expect(one.asked).toEqual([...failing, ...failing, ...ATTEMPT, 'getSession']);
});

it('a final check that fails otherwise ends the run, without an intent if nothing was sent', async () => {
  const { deletion } = deleting();
  const broken = new Error('no disk');
  deletion.conflictOf = () => Promise.reject(broken);
  await expect(deletion.run()).rejects.toBe(broken);
  expect(deletion.intents).toBe(0);
});

it('a DELETE that fails is repeated after another final check', async () => {
  const { one, deletion } = deleting(answered(limited, 1));
  one.waits = [1000];
  expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
  expect(one.asked).toEqual([...ATTEMPT, ...ATTEMPT, 'getSession']);
  expect([one.slept, one.open]).toEqual([[1000], 0]);
});

it('a DELETE that fails and was not carried out leaves no intent', async () => {
  const { deletion } = deleting(answered(limited));
  const result = await deletion.run();
  expect(result).toMatchObject({ refusal: { reason: 'still-there' }, error: limited });
  expect('refusal' in result && result.refusal.detail).toMatch(
    /^it is still there after the DELETE \(could not do it: too many/,
  );
  expect(deletion.intents).toBe(0);
});

it('a DELETE that fails and may have been carried out leaves its intent for the next run', async () => {
  const { deletion } = deleting(answered(failed));
  expect(await deletion.run()).toMatchObject({
    refusal: { reason: 'still-there' },
    error: failed,
  });
  expect(deletion.intents).toBe(1);
});

it('a DELETE that fails once may still be under way when the next one is refused', async () => {
  const { one, deletion } = deleting((operation, count) => {
    if (operation === 'deleteSession') throw count === 1 ? failed : denied;
  });
  one.waits = [1];
  expect(await deletion.run()).toMatchObject({ error: denied });
  expect(deletion.intents).toBe(1);
});

it.each([
  ['may have been carried out, is confirmed', failed, 'confirmed'],
  ['was not carried out, is not by our hand', limited, 'already-gone'],
])('a DELETE that fails and %s where the session is gone', async (_, error, outcome) => {
  const { one, deletion } = deleting((operation) => {
    if (operation !== 'deleteSession') return;
    one.isThere = false;
    throw error;
  });
  expect(await deletion.run()).toMatchObject({ outcome });
  expect(one.logged.some((line) => line.startsWith('info deletion confirmed'))).toBe(
    outcome === 'confirmed',
  );
});

it('a DELETE that fails in a way that nobody foresaw ends the run and leaves its intent', async () => {
  const bug = new TypeError('a bug');
  const { deletion } = deleting(answered(bug));
  await expect(deletion.run()).rejects.toBe(bug);
  expect(deletion.intents).toBe(1);
});

it('a DELETE that fails and is answered "done" is not believed', async () => {
  const { one, deletion } = deleting((operation, count) => {
    if (operation === 'getSession' && count === 2) one.isThere = true;
  });
  const result = await deletion.run();
  expect(result).toEqual({
    refusal: {
      reason: 'still-there',
      detail: 'it is still there after the DELETE (the service says done)',
    },
    mayHaveHappened: true,
    error: undefined,
  });
  expect(deletion.intents).toBe(1);
});

it('a DELETE, failed or not, is unconfirmed where the session cannot be read afterwards', async () => {
  const { deletion } = deleting((operation, count) => {
    if (operation === 'getSession' && count === 2) throw failed;
  });
  const result = await deletion.run();
  expect(result).toMatchObject({ refusal: { reason: 'unconfirmed' }, error: failed });
  expect('refusal' in result && result.refusal.detail).toMatch(
    /^whether it is gone could not be read \(could not do it: it failed.*\): the next prune/,
  );
  expect(deletion.intents).toBe(1);
});
