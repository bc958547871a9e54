import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../../src/base/random.js';
import { asRunId } from '../../../src/model/ids.js';
import { deleteSession } from '../../../src/prune/delete-session.js';
import { Intents } from '../../../src/prune/intents.js';
import type { LastLookTools } from '../../../src/prune/last-look.js';
import { refusal } from '../../../src/prune/refusal.js';
import { ServiceLook } from '../../../src/prune/service-look.js';
import { NotFoundError } from '../../../src/service/errors/not-found-error.js';
import { PermissionDeniedError } from '../../../src/service/errors/permission-denied-error.js';
import { RateLimitedError } from '../../../src/service/errors/rate-limited-error.js';
import { ServerFailureError } from '../../../src/service/errors/server-failure-error.js';
import { createMemoryStorage } from '../../support/memory-storage.js';
import { errorFacts, jobRecord, OneSession, type Operation } from '../../support/one-session.js';

const limited = new RateLimitedError('too many', errorFacts);
const failed = new ServerFailureError('it failed', errorFacts);
const denied = new PermissionDeniedError('not allowed', errorFacts);

class Deleting {
  readonly storage = createMemoryStorage();
  readonly abort = new AbortController();
  readonly moments: number[] = [];
  conflictOf: LastLookTools['conflictOf'] = () => Promise.resolve(undefined);
  pageSize = 100;

  constructor(readonly one: OneSession) {}

  run(archived = this.one.archived()) {
    const { one, storage } = this;
    const { clock, logger, service } = one;
    const { signal } = this.abort;
    const files = { isAccountedFor: () => true };
    const look = new ServiceLook(service, { pageSize: this.pageSize }, files, signal);
    const intents = new Intents({ storage, clock, random: systemRandom });
    const onMoment = (ms: number): void => void this.moments.push(ms);
    const tools = { run: asRunId('run-1'), look, intents, clock, logger, signal, onMoment };
    return deleteSession(tools, archived, { conflictOf: this.conflictOf, listed: undefined });
  }

  get intents(): number {
    return this.storage.place.objects.size;
  }
}

function deleting(before: (operation: Operation, count: number) => void = () => undefined) {
  const one = new OneSession();
  one.before = before;
  return { one, deletion: new Deleting(one) };
}

/** Every DELETE, or the first ones, are answered so. */
const answered =
  (error: Error, times = Infinity) =>
  (operation: Operation, count: number): void => {
    if (operation === 'deleteSession' && count <= times) throw error;
  };

const ATTEMPT: readonly Operation[] = ['getHistory', 'getSession', 'deleteSession'];

describe('a deletion', () => {
  it('is a look at the history and at the session, one DELETE, and a look at what came of it', async () => {
    const { one, deletion } = deleting((operation) => {
      // in the answer to the first request, between the two looks, and in the DELETE
      if (operation !== 'getSession' || one.isThere) one.passedMs += 40;
    });
    const result = await deletion.run();
    expect(result).toMatchObject({
      outcome: 'confirmed',
      intent: { run: 'run-1', user: 'ann', session: 's1', commit: 7, job_count: 2 },
    });
    expect(one.asked).toEqual([...ATTEMPT, 'getSession']);
    expect([one.announced, one.open]).toEqual([[3], 0]);
    // since the history was asked for
    expect(deletion.moments).toEqual([80]);
    // the log has to hold the deletion before its intent goes
    expect(deletion.intents).toBe(1);
    const about = JSON.stringify({ user: 'ann', session: 's1' });
    expect(one.logged).toEqual([
      `debug deleting ${JSON.stringify({ user: 'ann', session: 's1', momentMs: 80 })}`,
      `info deletion confirmed ${about}`,
    ]);
  });

  it('writes its intent before it asks for anything', async () => {
    const { deletion } = deleting(() => {
      expect(deletion.intents).toBe(1);
    });
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    expect.hasAssertions();
  });

  it('sends no DELETE after a look that finds a change, and forgets its intent', async () => {
    const { one, deletion } = deleting();
    const archived = one.archived();
    one.jobs.push(jobRecord('j9', 'And?'));
    expect(await deletion.run(archived)).toMatchObject({ refusal: { reason: 'grown' } });
    expect(one.asked).toEqual(['getHistory']);
    expect([deletion.intents, one.open, deletion.moments]).toEqual([0, 0, []]);
  });

  it('sends no DELETE where the log says that something came in between', async () => {
    const { one, deletion } = deleting();
    deletion.conflictOf = () => Promise.resolve(refusal('conflict', 'another run'));
    expect(await deletion.run()).toEqual({
      refusal: { reason: 'conflict', detail: 'another run' },
      error: undefined,
    });
    expect([one.count('deleteSession'), deletion.intents]).toEqual([0, 0]);
  });
});

describe('a session that is not found', () => {
  it('is gone already where it cannot be read either', async () => {
    const { one, deletion } = deleting();
    one.isThere = false;
    expect(await deletion.run()).toMatchObject({
      outcome: 'already-gone',
      intent: { user: 'ann' },
    });
    expect(one.asked).toEqual(['getHistory', 'getSession']);
    expect([one.logged, deletion.intents]).toEqual([[], 1]);
  });

  it('is still there where it can be read', async () => {
    const missing = new NotFoundError('no history', errorFacts);
    const { deletion } = deleting((operation) => {
      if (operation === 'getHistory') throw missing;
    });
    const result = await deletion.run();
    expect(result).toMatchObject({ refusal: { reason: 'still-there' }, error: missing });
    expect('refusal' in result && result.refusal.detail).toMatch(
      /^its history is not found, and yet it can be read \(could not do it: no history/,
    );
    expect(deletion.intents).toBe(0);
  });
});

describe('a look that fails', () => {
  it('is a refusal with what the service said, and no DELETE', async () => {
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
    expect(one.asked).toEqual(['getHistory', 'getSession']);
    expect([deletion.intents, one.open]).toEqual([0, 0]);
  });

  it('is repeated as often as the client allows, and what it waited is told', async () => {
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
    expect(one.asked).toEqual(['getHistory', 'getHistory', ...ATTEMPT, 'getSession']);
  });

  it('of another kind ends the run, without an intent where nothing was sent', async () => {
    const { deletion } = deleting();
    const broken = new Error('no disk');
    deletion.conflictOf = () => Promise.reject(broken);
    await expect(deletion.run()).rejects.toBe(broken);
    expect(deletion.intents).toBe(0);
  });
});

describe('a DELETE that fails', () => {
  it('is repeated after another look', async () => {
    const { one, deletion } = deleting(answered(limited, 1));
    one.waits = [1000];
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    expect(one.asked).toEqual([...ATTEMPT, ...ATTEMPT, 'getSession']);
    expect([one.slept, one.open]).toEqual([[1000], 0]);
  });

  it('and was not carried out leaves no intent', async () => {
    const { deletion } = deleting(answered(limited));
    const result = await deletion.run();
    expect(result).toMatchObject({ refusal: { reason: 'still-there' }, error: limited });
    expect('refusal' in result && result.refusal.detail).toMatch(
      /^it is still there after the DELETE \(could not do it: too many/,
    );
    expect(deletion.intents).toBe(0);
  });

  it('and may have been carried out leaves its intent for the next run', async () => {
    const { deletion } = deleting(answered(failed));
    expect(await deletion.run()).toMatchObject({
      refusal: { reason: 'still-there' },
      error: failed,
    });
    expect(deletion.intents).toBe(1);
  });

  it('once may still be under way when the next one is refused', async () => {
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
  ])('and %s where the session is gone', async (_, error, outcome) => {
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

  it('in a way that nobody foresaw ends the run and leaves its intent', async () => {
    const bug = new TypeError('a bug');
    const { deletion } = deleting(answered(bug));
    await expect(deletion.run()).rejects.toBe(bug);
    expect(deletion.intents).toBe(1);
  });

  it('and is answered "done" is not believed', async () => {
    const { one, deletion } = deleting((operation, count) => {
      if (operation === 'getSession' && count === 2) one.isThere = true;
    });
    const result = await deletion.run();
    expect(result).toEqual({
      refusal: {
        reason: 'still-there',
        detail: 'it is still there after the DELETE (the service says done)',
      },
      error: undefined,
    });
    expect(deletion.intents).toBe(1);
  });

  it('or not, is unconfirmed where the session cannot be looked at afterwards', async () => {
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
});

describe('an interruption', () => {
  it('before the look ends the deletion, and nothing is asked', async () => {
    const { one, deletion } = deleting();
    deletion.abort.abort(new Error('stop'));
    await expect(deletion.run()).rejects.toThrow('stop');
    expect([one.asked, one.announced, deletion.intents]).toEqual([[], [], 0]);
  });

  it('between look and DELETE sends no DELETE', async () => {
    const { one, deletion } = deleting((operation) => {
      if (operation === 'getSession') deletion.abort.abort(new Error('stop'));
    });
    await expect(deletion.run()).rejects.toThrow('stop');
    expect([one.count('deleteSession'), deletion.intents, one.open]).toEqual([0, 0, 0]);
  });

  it('while the DELETE is under way is followed to its end, and not repeated', async () => {
    const { one, deletion } = deleting((operation) => {
      if (operation !== 'deleteSession') return;
      deletion.abort.abort(new Error('stop'));
      throw failed;
    });
    one.waits = [1000];
    expect(await deletion.run()).toMatchObject({ refusal: { reason: 'still-there' } });
    expect([one.asked, one.slept]).toEqual([[...ATTEMPT, 'getSession'], []]);
  });

  it('of the wait between two attempts ends with what was found last', async () => {
    const { one, deletion } = deleting(answered(limited));
    one.waits = [1000];
    one.clock.sleep = () => Promise.reject(new Error('called off'));
    expect(await deletion.run()).toMatchObject({ error: limited });
    expect(one.asked).toEqual([...ATTEMPT, 'getSession']);
  });
});

describe('the moment between look and DELETE', () => {
  const slow =
    (one: OneSession, ms: number, times: number) => (operation: Operation, count: number) => {
      if (operation === 'getSession' && count <= times) one.passedMs += ms;
    };

  it('may be ten seconds long', async () => {
    const { one, deletion } = deleting();
    one.before = slow(one, 10_000, 1);
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    expect([one.count('getHistory'), deletion.moments]).toEqual([1, [10_000]]);
  });

  it('is looked at again where it was longer', async () => {
    const { one, deletion } = deleting();
    one.before = slow(one, 10_001, 1);
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    expect(one.asked).toEqual(['getHistory', 'getSession', ...ATTEMPT, 'getSession']);
    expect([deletion.moments, one.progress, one.open]).toEqual([[0], [], 0]);
  });

  it('is given up after ten looks', async () => {
    const { one, deletion } = deleting();
    one.before = slow(one, 10_001, Infinity);
    expect(await deletion.run()).toMatchObject({
      refusal: {
        reason: 'service',
        detail: expect.stringContaining(
          'after 10 looks none was followed by a DELETE within 10',
        ) as string,
      },
    });
    expect([one.count('getHistory'), one.count('deleteSession')]).toEqual([10, 0]);
    expect(deletion.intents).toBe(0);
  });

  it('has room for as many pages as the history has: with more, it is looked at again', async () => {
    const one = new OneSession(250);
    const deletion = new Deleting(one);
    one.pageCap = 50;
    expect(await deletion.run()).toMatchObject({ outcome: 'confirmed' });
    const pages = one.count('getHistory') / 2;
    expect(one.announced).toEqual([3 + 2, pages + 2]);
    expect(one.count('deleteSession')).toBe(1);
  });
});
