/** A cache between jobvault and the service: it is asked past, and what it gives from its memory proves nothing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import type { Logger } from '../../../src/base/logger.js';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import type { PruneRules } from '../../../src/prune/prune-rules.js';
import { cli, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { cachingFront, type CachingFront } from '../../support/http/caching-front.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
let front: CachingFront;
let warnings: string[];

beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSession('ben', 'b1');
  front = await cachingFront(rig.emulator.baseUrl);
  warnings = [];
});
afterEach(async () => {
  await front[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

/** As somebody else does. */
async function deleteSession(id: string): Promise<void> {
  const body = JSON.stringify({ user_id: 'ann' });
  const headers = { 'x-pd-api-key': 'demo-key', 'content-type': 'application/json' };
  const url = `${rig.emulator.baseUrl}/v2/team/sessions/${id}`;
  await (await fetch(url, { method: 'DELETE', headers, body })).text();
}

const nothing = (): undefined => undefined;
const logger: Logger = {
  debug: nothing,
  info: nothing,
  warn: (_: unknown, message?: unknown) => void warnings.push(String(message)),
  error: nothing,
};

const exported = (): Promise<ExportSummary> =>
  rig.rig.export({ baseUrl: front.baseUrl, logger, concurrency: 1 });
const pruned = (rules: Partial<PruneRules> = { all: true }) =>
  rig.pruned({ baseUrl: front.baseUrl, logger, rules });

/** The cache has what the service answers now. @param path after `/v2/team/sessions` */
async function keep(path: string): Promise<void> {
  const url = `${front.baseUrl}/v2/team/sessions${path}`;
  await (await fetch(url, { headers: { 'x-pd-api-key': 'demo-key' } })).text();
}

/** The same answer for a resource and user, whatever page was asked for. */
const withoutPages = (url: string): string => url.replaceAll(/page_(size|number)=\d+&?/g, '');
const only =
  (pattern: RegExp) =>
  (url: string): string | undefined =>
    pattern.test(url) ? withoutPages(url) : undefined;
const LISTING = /\/sessions\?/;
const HISTORY = /\/history\?/;
const SESSION = /\/sessions\/[^/]+\?/;

it(
  'an export behind a cache that asks the origin when it is told to archives what is new',
  fault('F-73'),
  async () => {
    front.isPolite = true;
    await exported();
    rig.grow('ann', 'a1');
    expect(await exported()).toMatchObject({ status: 'complete', jobs: { archived: 1 } });
    expect([front.hits, warnings]).toEqual([0, []]);
  },
);

it(
  'an export asks a silent cache again with another page size, and archives what is new',
  fault('F-73'),
  async () => {
    await exported();
    rig.grow('ann', 'a1');
    rig.addSession('ann', 'a3');
    expect(await exported()).toMatchObject({ status: 'complete', jobs: { archived: 3 } });
    expect(warnings).toEqual([expect.stringMatching(/from its memory \(Age: 12\)/)]);
    expect((await rig.rig.verify()).problems).toEqual([]);
  },
);

it('an export asks for no page that it has asked for: a cache would have its own answer', async () => {
  await exported();
  front.asked.splice(0);
  await exported();
  const lists = front.asked.filter((url) => LISTING.test(url));
  expect(lists.length).toBeGreaterThan(2);
  expect(lists).toEqual([...new Set(lists)]);
});

it(
  'an export doubts each user whose list stays old, for one cause, and is complete without it',
  fault('F-73'),
  async () => {
    await exported();
    front.keyOf = only(LISTING);
    await exported();
    warnings = [];
    rig.addSession('ann', 'a3');
    const summary = await exported();
    expect(summary).toMatchObject({ status: 'gaps', users: { complete: 0 } });
    expect(summary.gaps).toMatchObject([
      { user: 'ann', session: null, job: null, status: 'doubtful' },
      { user: 'ben', session: null, job: null, status: 'doubtful' },
    ]);
    expect(summary.gaps[0]?.reason).toMatch(
      /^the sessions of user ann: 2 seen, 2 announced, and a cache answered for page 1 from its memory \(Age: 12\), also when asked for another page size$/,
    );
    expect(warnings).toEqual([expect.stringMatching(/gave 8 of \d+ answers from its memory/)]);
    const archive = await rig.rig.open();
    await archive.index.refresh();
    const listings = await archive.index.listings();
    expect(listings.get(asUserId('ann'))?.lastOfAll?.entry).toMatchObject({
      complete: false,
      error: summary.gaps[0]?.reason,
    });
    front.keyOf = nothing;
    expect(await exported()).toMatchObject({ status: 'complete', jobs: { archived: 2 } });
  },
);

it(
  'an export doubts each session whose history stays old, and changes nothing of what it has',
  fault('F-73'),
  async () => {
    await exported();
    front.keyOf = only(HISTORY);
    await exported();
    const [job = ''] = rig.state.jobIds('ann', 'a1');
    rig.state.growAnswer('ann', 'a1', job, 'and more');
    rig.grow('ann', 'a1');
    front.keyOf = nothing;
    expect(await rig.rig.export({ baseUrl: front.baseUrl, full: true })).toMatchObject({
      status: 'complete',
      jobs: { archived: 2 },
    });
    front.keyOf = only(HISTORY);
    const summary = await rig.rig.export({ baseUrl: front.baseUrl, full: true });
    expect(summary).toMatchObject({ status: 'gaps', jobs: { archived: 0 } });
    expect(summary.gaps.map(({ session, status }) => [session, status]).sort()).toEqual([
      ['a1', 'doubtful'],
      ['a2', 'doubtful'],
      ['b1', 'doubtful'],
    ]);
    expect(outcomes(await rig.pruned({ baseUrl: front.baseUrl }))).toEqual({
      ...{ a1: 'incomplete', a2: 'incomplete', b1: 'incomplete' },
    });
    front.keyOf = nothing;
    expect(await exported()).toMatchObject({ status: 'complete', jobs: { archived: 0 } });
  },
);

it('an export archives a job that only the cache has shown, and does not take it as settled', async () => {
  front.keyOf = only(HISTORY);
  await keep('/a1/history?page_size=100&user_id=ann');
  const summary = await exported();
  expect(summary.gaps).toMatchObject([{ session: 'a1', job: null, status: 'doubtful' }]);
  const { sessions } = await (await rig.rig.open()).states.load(asUserId('ann'));
  const settledOf = (id: string) => {
    const { complete, jobs } = sessions.get(asSessionId(id)) ?? {};
    return { complete, settled: [...(jobs?.values() ?? [])].map(({ settled }) => settled) };
  };
  expect(settledOf('a1')).toEqual({ complete: false, settled: [false, false] });
  expect(settledOf('a2')).toEqual({ complete: true, settled: [true, true] });
});

it('an export doubts old sessions that were asked for one by one', async () => {
  front.keyOf = only(SESSION);
  await keep('/a1?user_id=ann');
  const summary = await rig.rig.export({
    ...{ baseUrl: front.baseUrl, users: ['ann'], sessions: ['a1', 'a2'] },
  });
  expect(summary).toMatchObject({ status: 'gaps', sessions: { listed: 2 } });
  expect(summary.gaps).toMatchObject([
    {
      session: null,
      status: 'doubtful',
      reason: expect.stringContaining('session a1') as string,
    },
  ]);
});

describe('a deletion behind a cache', () => {
  const a1 = { all: true, sessions: ['a1'] };

  beforeEach(async () => {
    front.keyOf = nothing;
    await exported();
    warnings = [];
  });

  it('that gives an old list is refused, and the header is named', fault('F-73'), async () => {
    front.keyOf = only(LISTING);
    await exported();
    const summary = await pruned();
    expect(outcomes(summary)).toEqual({ a1: 'unproven', a2: 'unproven', b1: 'unproven' });
    for (const { detail } of summary.sessions) expect(detail).toContain('(Age: 12)');
    expect([rig.deletesSent, await rig.intents()]).toEqual([0, []]);
  });

  it(
    'an old history in the final check refuses a deletion: no question is lost',
    fault('F-73'),
    async () => {
      front.keyOf = only(HISTORY);
      front.stamp = { 'x-cache': 'MISS from x, HIT from y' };
      await keep('/a1/history?page_size=100&user_id=ann');
      rig.grow('ann', 'a1');
      const summary = await pruned();
      // it takes any page of a history for the first: a2 is asked what stands behind it, and that shows what totals count
      expect(outcomes(summary)).toEqual({ a1: 'unproven', a2: 'unproven', b1: 'deleted' });
      expect(summary.sessions[0]?.detail).toContain('(X-Cache: HIT from y)');
      expect(rig.left()).toEqual(['a1', 'a2']);
      expect(await rig.intents()).toEqual([]);
    },
  );

  it('an old session refuses no deletion where the second answer is the new one', async () => {
    let asked = 0;
    front.keyOf = (url) => (SESSION.test(url) && asked++ % 2 === 0 ? withoutPages(url) : undefined);
    await keep('/a1?user_id=ann');
    asked = 0;
    expect(outcomes(await pruned(a1))).toEqual({ a1: 'deleted' });
    expect(front.hits).toBeGreaterThan(0);
  });

  it(
    'a silent cache does not answer the final check with what it gave the export',
    fault('F-95'),
    async () => {
      front.stamp = {};
      front.keyOf = (url) => (/history/.test(url) ? url : undefined);
      expect((await exported()).status).toBe('complete');
      rig.grow('ann', 'a1');
      const outcome = outcomes(await pruned(a1));
      expect([outcome, front.hits]).toEqual([{ a1: 'grown' }, 0]);
    },
  );

  it(
    'an old session in the final check refuses a deletion, which names the header',
    fault('F-73'),
    async () => {
      front.keyOf = only(SESSION);
      front.stamp = { 'cache-status': 'Front; hit; ttl=30' };
      await keep('/a1?user_id=ann');
      const summary = await pruned(a1);
      expect(outcomes(summary)).toEqual({ a1: 'unproven' });
      expect(summary.sessions[0]?.detail).toContain('(Cache-Status: Front; hit; ttl=30)');
      expect([rig.deletesSent, await rig.intents()]).toEqual([0, []]);
    },
  );

  it('a deletion goes on where the history is fresh when asked for with another page size', async () => {
    // and stays so: where the DELETE comes too late after it, it is read again
    const sizeOf = (url: string) => /page_size=(\d+)/.exec(url)?.[1];
    let first: string | undefined;
    front.keyOf = (url) => {
      if (!HISTORY.test(url)) return undefined;
      first ??= sizeOf(url);
      return sizeOf(url) === first ? withoutPages(url) : undefined;
    };
    await keep('/a1/history?page_number=1&page_size=100&user_id=ann');
    first = undefined;
    expect(outcomes(await pruned(a1))).toEqual({ a1: 'deleted' });
    expect(front.hits).toBeGreaterThan(0);
  });

  it(
    'a cached session keeps a deletion unconfirmed until the service is asked',
    fault('F-73'),
    async () => {
      front.keyOf = only(SESSION);
      const summary = await pruned(a1);
      expect(outcomes(summary)).toEqual({ a1: 'unconfirmed' });
      expect(summary.sessions[0]?.detail).toContain('(Age: 12)');
      expect([rig.deletesSent, await rig.recorded()]).toEqual([1, []]);
      expect(await rig.intents()).toHaveLength(1);
      front.keyOf = nothing;
      expect(outcomes(await pruned(a1))).toEqual({ a1: 'deleted' });
      expect(await rig.recorded()).toEqual(['a1 confirmed-later']);
    },
  );

  it.each([
    ['that the session is not found', SESSION, '/nobody?user_id=ann'],
    ['the list of an empty project', LISTING, '?page_size=100&user_id=nobody'],
  ])('that gives %s does not settle what an earlier run began', async (_, of, path) => {
    await rig.beginDeletion('ann', 'a1');
    front.keyOf = (url) => (of.test(url) ? 'the same' : undefined);
    await keep(path);
    if (of === LISTING) await deleteSession('a1');
    const summary = await pruned(a1);
    expect(outcomes(summary)).toEqual({ a1: 'unconfirmed' });
    expect(summary.sessions[0]?.detail).toContain('(Age: 12)');
    expect(await rig.recorded()).toEqual([]);
    expect(await rig.intents()).toHaveLength(1);
  });

  it('a rehearsal proves nothing from an old list or history: exit code 3', async () => {
    const words = [
      'export',
      '--out',
      rig.out,
      '--user',
      'ann',
      '--base-url',
      front.baseUrl,
      '--rate',
      '9999',
    ];
    for (const path of [LISTING, HISTORY]) {
      front.keyOf = only(path);
      await cli([...words, '--dry-run']);
      const { exitCode, stdout } = await cli([...words, '--dry-run']);
      expect([exitCode, stdout]).toEqual([
        3,
        expect.stringContaining('1 requested, 0 failed, 1 not proven complete'),
      ]);
    }
    front.keyOf = nothing;
    expect((await cli([...words, '--dry-run'])).exitCode).toBe(0);
  });

  it('an old overview or status of a dataset is a gap', async () => {
    rig.state.putDataset({
      ...{ id: 'd1', project: 'demo', creator: 'ann', name: 'Sales', description: '', summary: '' },
      ...{ exploration_questions: [], keywords: [] },
      ...{ synched_count: 1, synching_count: 0, invalid_count: 0 },
    });
    const options = { baseUrl: front.baseUrl, logger, withDatasets: true };
    for (const path of [/\/overview\?/, /\/status\?/]) {
      front.keyOf = only(path);
      await rig.rig.export(options);
      const { status, gaps } = await rig.rig.export(options);
      expect([status, gaps.map(({ dataset, status: is }) => [dataset, is])]).toEqual([
        'gaps',
        [['d1', 'doubtful']],
      ]);
    }
    front.keyOf = nothing;
    expect((await rig.rig.export(options)).status).toBe('complete');
  });

  it('sessions delete refuses an old session, without a question', async () => {
    front.keyOf = only(SESSION);
    await keep('/a1?user_id=ann');
    const words = ['sessions', 'delete', 'a1', '--user', 'ann', '--out', rig.out];
    const service = ['--base-url', front.baseUrl];
    const { exitCode, stderr } = await cliOnTerminal([...words, ...service], { stdin: 'y\n' });
    expect([exitCode, rig.deletesSent]).toEqual([7, 0]);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'nothing was deleted: a cache answered for session a1 from its memory (Age: 12)',
    );
    expect(stderr).not.toContain('[y/N]');
  });

  describe('in datasets delete', () => {
    const DATASET = /\/datasets\/d1/;
    const words = ['datasets', 'delete', 'd1', '--user', 'ann'];
    const deleting = () =>
      cliOnTerminal([...words, '--base-url', front.baseUrl, '--rate', '999'], { stdin: 'y\n' });
    beforeEach(() => {
      rig.state.putDataset({
        ...{ id: 'd1', project: 'demo', creator: 'ann', name: 'Sales', description: '' },
        ...{ summary: '', exploration_questions: [], keywords: [] },
        ...{ synched_count: 1, synching_count: 0, invalid_count: 0 },
      });
    });
    const keepDataset = async (path: string): Promise<void> => {
      const url = `${front.baseUrl}/v2/team/datasets/d1/${path}?user_id=ann`;
      await (await fetch(url, { headers: { 'x-pd-api-key': 'demo-key' } })).text();
    };

    it.each(['overview', 'status'])(
      'that gives its old %s is refused unasked',
      fault('F-90'),
      async (path) => {
        front.keyOf = (url) => (DATASET.test(url) && url.includes(path) ? url : undefined);
        await keepDataset(path);
        const { exitCode, stderr } = await deleting();
        expect([exitCode, rig.emulator.stats.requests.deleteDataset]).toEqual([7, 0]);
        expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
          'nothing was deleted: a cache answered for dataset d1 from its memory (Age: 12)',
        );
        expect(stderr).not.toContain('[y/N]');
      },
    );

    it(
      'says neither that it is gone nor that it is there where the cache gives it after DELETE',
      fault('F-90'),
      async () => {
        let isKept = false;
        front.keyOf = (url) => (DATASET.test(url) && isKept ? 'the overview' : undefined);
        isKept = true;
        await keepDataset('overview');
        isKept = false;
        rig.emulator.faults.beforeRequest = ({ operation }) => {
          if (operation === 'deleteDataset') isKept = true;
        };
        const { exitCode, stdout, stderr } = await deleting();
        expect([exitCode, stdout]).toEqual([7, '']);
        expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
          'a DELETE of d1 was sent, and whether it is gone is not known: a cache answered',
        );
      },
    );

    it('goes on where the cache lets go of the answer when asked again', async () => {
      let given = 0;
      front.keyOf = (url) =>
        url.includes('/d1/overview') && given++ < 2 ? 'the overview' : undefined;
      await keepDataset('overview');
      expect((await deleting()).exitCode).toBe(0);
      expect(front.hits).toBe(1);
    });
  });

  describe('in datasets status --wait', () => {
    const waiting = (timeout: string) => {
      const place = ['--user', 'ann', '--base-url', front.baseUrl, '--rate', '999'];
      const wait = ['--wait', '--timeout', timeout, '--interval', '100ms'];
      return cliOnTerminal(['datasets', 'status', 'd1', ...place, ...wait]);
    };
    /** What the cache has says that all is usable. */
    beforeEach(async () => {
      const dataset = {
        ...{ id: 'd1', project: 'demo', creator: 'ann', name: 'Sales', description: '' },
        ...{ summary: '', exploration_questions: [], keywords: [] },
        ...{ synched_count: 1, synching_count: 0, invalid_count: 0 },
      };
      rig.state.putDataset(dataset);
      front.keyOf = (each) => each;
      const url = `${front.baseUrl}/v2/team/datasets/d1/status?user_id=ann`;
      await (await fetch(url, { headers: { 'x-pd-api-key': 'demo-key' } })).text();
      rig.state.putDataset({ ...dataset, synching_count: 1 });
    });

    it('takes a cached old status for no proof that a dataset is usable', async () => {
      const { exitCode, stdout, stderr } = await waiting('1s');
      expect([exitCode, stdout]).toEqual([7, '']);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
        'a cache answered for dataset d1 from its memory (Age: 12), also when asked again',
      );
    });

    it('asks on until the time is over: the cache may let go of its answer', async () => {
      let asked = 0;
      front.keyOf = (url) => (asked++ < 6 ? url : undefined);
      const { exitCode, stdout } = await waiting('1s');
      expect(exitCode).toBe(3);
      expect(stdout).toMatch(/synching +1/);
    });
  });
});
