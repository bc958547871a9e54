import { describe, expect, it } from 'vitest';
import { deletionRequests } from '../../../src/prune/delete-session.js';
import { finalCheck } from '../../../src/prune/final-check.js';
import { refusal } from '../../../src/prune/refusal.js';
import { ServiceView } from '../../../src/prune/service-view.js';
import { InvalidRequestError, ServerFailureError } from '../../../src/service/service-errors.js';
import { errorFacts, jobRecord, OneSession } from '../../support/http/one-session.js';
import { fault } from '../../support/base/fault.js';

const signal = new AbortController().signal;

function viewOf(one: OneSession, pageSize = 100, isAccountedFor = () => true): ServiceView {
  return new ServiceView(one.service, { pageSize }, { isAccountedFor }, signal);
}

async function changed(one: OneSession, change: () => void, isAccountedFor = () => true) {
  const archived = one.archived();
  change();
  return await viewOf(one, 100, isAccountedFor).changeOf(archived, one.service);
}

it.each([0, 1, 250])(
  'the history that is read again is what is archived, of %d jobs',
  async (jobs) => {
    expect(await changed(new OneSession(jobs), () => undefined)).toBeUndefined();
  },
);

it.each([
  [1, /^1 new job since: to be archived by the next export$/],
  [2, /^2 new jobs since/],
])('the history that is read again has grown by %d', async (count, detail) => {
  const one = new OneSession();
  const why = await changed(one, () => {
    for (let n = 0; n < count; n++) one.jobs.push(jobRecord(`new${n}`, 'And?'));
  });
  expect(why).toMatchObject({ reason: 'grown' });
  expect(why?.detail).toMatch(detail);
});

it('the history that is read again has a job with another content', async () => {
  const one = new OneSession();
  const why = await changed(one, () => {
    one.jobs[1] = jobRecord('j1', 'Hmm?');
  });
  expect(why).toEqual(
    refusal('changed', '1 job changed since: to be archived by the next export --full'),
  );
});

it('the history that is read again has files whose URLs say something else', async () => {
  const why = await changed(
    new OneSession(),
    () => undefined,
    () => false,
  );
  expect(why).toEqual(
    refusal(
      'files',
      'the URLs of files of 2 jobs say something else now: whether the files are the archived ones is not known',
    ),
  );
});

it('the history that is read again lacks a job that is archived', async () => {
  const one = new OneSession(3);
  const why = await changed(one, () => one.jobs.pop());
  expect(why).toEqual(
    refusal('vanished', 'the service no longer has 1 job of the archive: the two are not the same'),
  );
});

it('the history that is read again cannot be read to its end', async () => {
  const one = new OneSession();
  const why = await changed(one, () => {
    one.extraTotal = 1;
  });
  expect(why?.reason).toBe('unproven');
  expect(why?.detail).toMatch(/^the history of session s1: 2 seen, 3 announced/);
});

it('a reread history reports first what would be lost: a new job before a changed one', async () => {
  const one = new OneSession();
  const why = await changed(one, () => {
    one.jobs = [jobRecord('j0', 'Hmm?'), jobRecord('new', 'And?')];
  });
  expect(why?.reason).toBe('grown');
});

it('the history that is read again counts a job by every content that it is sent with', async () => {
  const one = new OneSession(150);
  const archived = one.archived();
  one.before = (operation, count) => {
    if (operation === 'getHistory' && count === 2) one.jobs[99] = jobRecord('j99', 'Hmm?');
  };
  // pages overlap by one job at least
  const why = await viewOf(one).changeOf(archived, one.service);
  expect(why).toMatchObject({ reason: 'changed' });
});

it('the history that is read again is asked for on behalf of its user', async () => {
  const one = new OneSession();
  await changed(one, () => undefined);
  expect([...one.users]).toEqual(['ann']);
});

describe('a history that comes five jobs at a time, and that says that these are all', () => {
  function cut(one: OneSession): OneSession['service'] {
    const { service } = one;
    const getHistory: typeof service.getHistory = async (request) => {
      const pageSize = Math.min(request.pageSize ?? 10, 5);
      const page = await service.getHistory({ ...request, pageSize });
      return { ...page, pageSize: request.pageSize ?? 10, totalItems: page.records.length };
    };
    return { ...service, getHistory };
  }
  const viewOfCut = (one: OneSession) =>
    new ServiceView(cut(one), { pageSize: 100 }, { isAccountedFor: () => true }, signal);

  it(
    'shows before anything is deleted that there are more, and in the final check, too',
    fault('F-136'),
    async () => {
      const archived = new OneSession(5).archived();
      const one = new OneSession(12);
      const view = viewOfCut(one);
      expect(await view.cutShort(archived)).toMatchObject({ reason: 'unproven' });
      expect(await view.changeOf(archived, view.service)).toMatchObject({ reason: 'grown' });
    },
  );

  it('is looked behind once where the totals are found to count all, or pages behind are refused', async () => {
    const one = new OneSession(3);
    const view = viewOf(one);
    for (let n = 0; n < 2; n++) expect(await view.cutShort(one.archived())).toBeUndefined();
    expect(one.count('getHistory')).toBe(1);
    const refusing = new OneSession(3);
    refusing.before = () => {
      throw new InvalidRequestError('no such page', errorFacts);
    };
    const strict = viewOf(refusing);
    for (let n = 0; n < 2; n++) expect(await strict.cutShort(refusing.archived())).toBeUndefined();
    expect(refusing.count('getHistory')).toBe(1);
  });
});

it('a view of the service lists the sessions of a user', async () => {
  const one = new OneSession();
  const { sessions, gap } = await viewOf(one).list(one.user);
  expect([[...sessions.keys()], gap]).toEqual([['s1'], undefined]);
  expect(sessions.get('s1')?.value.name).toBe('A name');
  expect([...one.users]).toEqual(['ann']);
});

it('a view of the service says why a listing is not proven complete', async () => {
  const one = new OneSession();
  one.extraTotal = 1;
  const { gap } = await viewOf(one).list(one.user);
  expect(gap).toMatch(/^the sessions of user ann: 1 seen, 2 announced/);
});

it('a view of the service finds a session there, or gone, or neither', async () => {
  const one = new OneSession();
  const of = { user: one.user, session: one.id };
  expect(await viewOf(one).isGone(of)).toBe(false);
  one.isThere = false;
  expect(await viewOf(one).isGone(of)).toBe(true);
  const failed = new ServerFailureError('it failed', errorFacts);
  one.before = () => {
    throw failed;
  };
  await expect(viewOf(one).isGone(of)).rejects.toBe(failed);
});

it('a view of the service says that a cache listed, and not whether a session is gone', async () => {
  const one = new OneSession();
  one.stale = () => 'Age: 12';
  const listing = await viewOf(one).list(one.user);
  expect(listing.isStale).toBe(true);
  expect(listing.gap).toContain('(Age: 12)');
  const of = { user: one.user, session: one.id };
  const doubt =
    'a cache answered for session s1 from its memory (Age: 12), also when asked again: this proves nothing';
  await expect(viewOf(one).isGone(of)).rejects.toThrow(doubt);
  one.isThere = false;
  await expect(viewOf(one).isGone(of)).rejects.toThrow(doubt);
  one.stale = () => undefined;
  expect((await viewOf(one).list(one.user)).isStale).toBe(false);
});

it('a view of the service knows how many pages a history has, and learns what a page is', async () => {
  const one = new OneSession(250);
  one.pageCap = 50;
  const view = viewOf(one);
  expect([0, 1, 99, 100, 101].map((jobs) => view.pagesOf(jobs))).toEqual([1, 1, 1, 2, 2]);
  await view.changeOf(one.archived(), one.service);
  expect([49, 50].map((jobs) => view.pagesOf(jobs))).toEqual([1, 2]);
  // the pages, the session, the DELETE and its outcome
  expect([49, 50].map((jobs) => deletionRequests(view, jobs))).toEqual([4, 5]);
});

describe('service view', () => {
  const last = async (
    one: OneSession,
    options: {
      readonly change?: () => void;
      readonly listed?: Record<string, unknown>;
      readonly conflict?: ReturnType<typeof refusal>;
      readonly pageSize?: number;
    } = {},
  ) => {
    const archived = one.archived();
    const listed = options.listed && { value: { id: one.id, ...options.listed }, text: '{}' };
    options.change?.();
    const view = viewOf(one, options.pageSize);
    const conflictOf = () => Promise.resolve(options.conflict);
    return await finalCheck({ view, conflictOf, listed }, one.service.together(9), archived, 1);
  };

  it("the check finds no change, and has the time of asking for the history's newest page", async () => {
    const one = new OneSession(30);
    one.before = () => void (one.passedMs += 7);
    const { refusal: why, pages, lastPageAskedAtMs } = await last(one, { pageSize: 10 });
    expect([why, pages]).toEqual([undefined, one.count('getHistory')]);
    expect(pages).toBeGreaterThan(3);
    // the session was read before
    expect(lastPageAskedAtMs).toBe(pages * 7);
  });

  it.each(['getSession', 'getHistory'] as const)(
    'the final check is refused where a cache answers %s from its memory',
    async (operation) => {
      const one = new OneSession();
      one.stale = (asked) => (asked === operation ? 'X-Cache: HIT' : undefined);
      const { refusal: why } = await last(one);
      expect(why?.reason).toBe('unproven');
      expect(why?.detail).toContain('(X-Cache: HIT)');
    },
  );

  it('the final check has the time of its request even if the history has changed', async () => {
    const one = new OneSession();
    one.passedMs = 5;
    const check = await last(one, { change: () => one.jobs.pop() });
    expect(check).toMatchObject({
      refusal: { reason: 'vanished' },
      pages: 1,
      lastPageAskedAtMs: 5,
    });
    expect(one.asked).toEqual(['getSession', 'getHistory']);
  });

  const rename = (one: OneSession) => () => {
    one.settings = { id: 's1', name: 'Another name', job_mode: 'AUTO' };
  };

  it.each([
    [
      'of all that the list has otherwise',
      { name: 'A name', agent_id: 'X' },
      ' (unlike in the list of sessions: name, agent_id, job_mode)',
    ],
    ['of none where the list has the same', { name: 'Another name', job_mode: 'AUTO' }, ''],
    ['of none without a list', undefined, ''],
  ])('the final check finds other settings, and names %s', async (_, listed, told) => {
    const one = new OneSession();
    const options = { change: rename(one), ...(listed && { listed }) };
    expect((await last(one, options)).refusal).toEqual(
      refusal(
        'changed',
        `its name or settings changed since${told}: to be archived by the next export`,
      ),
    );
  });

  it('the final check finds a session archived as incomplete to be another one', async () => {
    const one = new OneSession();
    const archived = one.archived();
    const incomplete = { ...archived, state: { ...archived.state, complete: false } };
    const tools = { view: viewOf(one), conflictOf: () => Promise.resolve(undefined) };
    const check = await finalCheck(
      { ...tools, listed: undefined },
      one.service.together(3),
      incomplete,
      1,
    );
    expect(check.refusal?.reason).toBe('changed');
  });

  it(
    'the final check looks for a conflict when it asks for the end of the history',
    fault('F-80'),
    async () => {
      const one = new OneSession(30);
      one.pageCap = 10;
      const archived = one.archived();
      const view = viewOf(one, 10);
      await view.changeOf(archived, one.service); // learns the pages
      const pages = one.count('getHistory');
      one.asked.length = 0;
      const asked: number[] = [];
      const conflictOf = () => {
        asked.push(one.count('getHistory'));
        return Promise.resolve(undefined);
      };
      const tools = { view, conflictOf, listed: undefined };
      await finalCheck(tools, one.service.together(9), archived, pages);
      expect(asked).toEqual([pages - 1]);
      await finalCheck(tools, one.service.together(9), archived, pages + 9);
      expect(asked).toEqual([pages - 1, 2 * pages]);
    },
  );

  it('the final check reports a conflict in the log, but a change first', async () => {
    const conflict = refusal('conflict', 'another run');
    expect((await last(new OneSession(), { conflict })).refusal).toBe(conflict);
    const one = new OneSession();
    const check = await last(one, { conflict, change: rename(one) });
    expect(check.refusal?.reason).toBe('changed');
  });
});
