/** Sessions that are read again at the end of a run: whose, what is recorded where they cannot be read, and what is told. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { SessionOwners, type SessionRef } from '../../../../src/archive/histories/shared-jobs.js';
import type { GapEntry, SessionEntry, UserEntry } from '../../../../src/archive/log/commit.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { Checkpointer } from '../../../../src/export/checkpoint/checkpointer.js';
import { CircuitBreaker, ProjectWitness } from '../../../../src/export/export-run.js';
import type { ExportRun } from '../../../../src/export/export-run.js';
import { ReadHistories } from '../../../../src/export/history/read-histories.js';
import { unreadDoubt, type Gap } from '../../../../src/export/jobs/gap.js';
import { readSessionsAgain, type LateTools } from '../../../../src/export/users/late-sessions.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import { PageGrant } from '../../../../src/service/page.js';
import { BudgetSpentError } from '../../../../src/service/pace/request-budget.js';
import { NotFoundError } from '../../../../src/service/service-errors.js';
import { errorFacts } from '../../../support/http/one-session.js';
import {
  deletionEntry,
  draft,
  job,
  makeJsonlArchive,
  runOf,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

/** The run's own; what was archived before is of `A`. */
const OWN = runOf('B');
const GONE = new NotFoundError('no such session', errorFacts);
const NO_PLACE = { job: null, role: null, block_index: null, file_index: null, kind: null };
const gap = (reason: string, over: Partial<GapEntry> = {}): GapEntry => ({
  ...NO_PLACE,
  status: 'failed',
  reason,
  ...over,
});
const ref = (name: string): SessionRef => {
  const [user = '', ...of] = name.split(' ');
  return { user, session: of.join(' ') };
};

let archive: Archive;
let run: ExportRun;
let tools: LateTools;
/** What the service says of a session; `GONE` by default. */
let served: Map<string, readonly string[] | Error>;
/** Users on whom another run works. */
let taken: Set<string>;
let told: {
  leases: string[];
  asked: string[];
  dropped: unknown[];
  tally: [readonly Gap[], UserEntry | undefined][];
  source: [string, readonly Gap[]][];
};
let stop: AbortController;

beforeEach(async () => {
  const storage = createMemoryStorage();
  told = { leases: [], asked: [], dropped: [], tally: [], source: [] };
  const logger = { ...silentLogger, warn: (fields: object) => void told.dropped.push(fields) };
  archive = { ...(await makeJsonlArchive(storage)), logger };
  [served, taken, stop] = [new Map(), new Set(), new AbortController()];
  const commits: number[] = [];
  const checkpointer = new Checkpointer({
    archive,
    run: OWN,
    day: '2026-11-05',
    scope: { full: false },
    commitsBefore: 4,
    sizeBytes: 1e9,
    base: () => archive.index.through,
    isClockConfirmed: () => true,
    onCommit: ({ number }) => Promise.resolve(void commits.push(number)),
  });
  run = {
    archive,
    runId: OWN,
    exportedAt: 5n,
    service: { getSession, getHistory, clockGapMs: 0 },
    fetcher: { ready: () => Promise.resolve() },
    checkpointer,
    grants: { sessions: new PageGrant(100), history: new PageGrant(100) },
    settings: { full: false, settleTimeMs: 0, sessions: [], search: undefined, retryGaps: false },
    observer: {},
    failures: new CircuitBreaker(),
    histories: new ReadHistories(),
    owners: new SessionOwners(),
    project: new ProjectWitness(),
    signal: stop.signal,
  } as unknown as ExportRun;
  tools = {
    archive,
    pending: {
      planned: () => undefined,
      forgetState: (user: string) => told.leases.push(`forget ${user}`),
    },
    leases: {
      tryTake: (user: string) => Promise.resolve(!taken.has(user)),
      release: (user: string) => Promise.resolve(told.leases.push(`release ${user}`)),
    },
    tally: {
      summary: { commits },
      doubted: (...of: [Gap[], UserEntry | undefined]) => void told.tally.push(of),
    },
    source: { doubted: (...of: [string, Gap[]]) => void told.source.push(of) },
    base: 0,
  } as unknown as LateTools;
});

function getSession({ userId, sessionId: id }: { userId: string; sessionId: string }) {
  told.asked.push(`${userId} ${id}`);
  const answer = served.get(`${userId} ${id}`) ?? GONE;
  if (answer instanceof Error) return Promise.reject(answer);
  return Promise.resolve({ value: { id, name: 'n' }, text: JSON.stringify({ id, name: 'n' }) });
}

function getHistory(asked: { userId: string; sessionId: string; pageNumber: number }) {
  const answer = served.get(`${asked.userId} ${asked.sessionId}`) ?? GONE;
  if (answer instanceof Error) return Promise.reject(answer);
  const jobs = answer;
  const records = (asked.pageNumber > 1 ? [] : jobs).map((job_id) => {
    const question = { blocks: [{ type: 'MESSAGE', content: 'Well?' }] };
    const value = { job_id, question, answer: { blocks: [] } };
    return { value, text: JSON.stringify(value) };
  });
  const { pageNumber } = asked;
  const said = { sentAtMonotonicMs: 0, dateMs: 0 };
  return Promise.resolve({
    pageNumber,
    pageSize: 100,
    totalItems: jobs.length,
    records,
    served: said,
  });
}

interface Archived extends Partial<SessionEntry> {
  readonly run?: string;
  readonly listed?: Partial<UserEntry>;
}

/** Archives a session with these jobs, before the run unless it is of run B; with `listed` also its user's listing. */
async function has(name: string, jobs: readonly string[], over: Archived = {}): Promise<void> {
  const { run: of = 'A', listed, ...entry } = over;
  const { user, session: id } = ref(name);
  const total = jobs.length;
  await archive.index.refresh();
  await archive.log.append(
    draft({
      base: archive.index.through,
      run: runOf(of),
      sessions: [session(user, id, { total, archived: total, ...entry })],
      jobs: jobs.map((one, index) => job(user, id, one, { index })),
      users: listed ? [userEntry(user, listed)] : [],
    }),
  );
  await archive.index.refresh();
}

const readAgain = () => readSessionsAgain(run, tools);

async function stateOf(name: string) {
  const { user, session: id } = ref(name);
  await archive.index.refresh();
  const { sessions } = await archive.states.load(asUserId(user));
  const state = sessions.get(asSessionId(id));
  return state && { complete: state.complete, gaps: state.gaps, jobs: [...state.jobs.keys()] };
}

const commitCount = async () => (await archive.log.head())?.number ?? 0;

describe('late sessions', () => {
  const shared = unreadDoubt(undefined, { session: 't' }).reason;
  const doubt = gap(shared, { status: 'doubtful', shared_with: asSessionId('t') });

  it('a session that another one was found to have jobs of is in doubt where it cannot be read, beside its other gaps; its user is complete no more', async () => {
    const file = gap('HTTP 404', { job: asJobId('a'), status: 'missing' });
    const old = gap('an older doubt', { status: 'doubtful', shared_with: asSessionId('z') });
    await has('ann s', ['a'], { gaps: [old, file], listed: { gaps: 1 }, run: 'B' });
    tools.tally.summary.commits.push(1);
    run.histories.readAgain(ref('ann s'), ref('ben t'));
    await readAgain();
    expect(await stateOf('ann s')).toEqual({ complete: false, gaps: [doubt, file], jobs: ['a'] });
    const listed = (await archive.index.listings()).get(asUserId('ann'))?.last.entry;
    expect(listed).toMatchObject({ complete: false, gaps: 2, listed: 1 });
    const isNew = { user: 'ann', session: 's', job: null, status: 'doubtful', reason: shared };
    expect(told.tally).toEqual([
      [[expect.objectContaining(isNew)], expect.objectContaining({ user: 'ann', gaps: 1 })],
    ]);
    expect(told.source).toEqual([['ann', told.tally[0]?.[0]]]);
    expect(told.leases).toEqual(['forget ann', 'release ann']);
  });

  it('a session that another one was found to have jobs of tells only of what the archive did not have, and not of a listing of another run', async () => {
    await has('ann s', ['a'], { complete: false, gaps: [doubt], listed: {} });
    await has('ann u', ['b']);
    run.histories.readAgain(ref('ann s'), ref('ben t'));
    run.histories.readAgain(ref('ann u'), ref('ben t'));
    await readAgain();
    expect(told.tally).toEqual([[[expect.objectContaining({ session: 'u' })], undefined]]);
    run.histories.readAgain(ref('ann s'), ref('ben t'));
    await readAgain();
    expect(told.tally).toHaveLength(1);
  });

  it('a session that another one was found to have jobs of changes nothing of its user where nothing is new, or no listing was committed', async () => {
    await has('ann s', ['a'], { complete: false, gaps: [doubt], listed: {} });
    run.histories.readAgain(ref('ann s'), ref('ben t'));
    await has('cyd s2', ['b']);
    run.histories.readAgain(ref('cyd s2'), ref('ben t'));
    await readAgain();
    await archive.index.refresh();
    const { last } = (await archive.index.listings()).get(asUserId('ann')) ?? {};
    expect(last).toMatchObject({ commit: 1, entry: { complete: true, gaps: 0 } });
    expect(told.source.map(([user]) => user)).toEqual(['cyd']);
    expect((await stateOf('cyd s2'))?.complete).toBe(false);
  });

  it('a session that another one was found to have jobs of is brought up to date where it is only to be mended', async () => {
    await has('ann s', ['a'], { complete: false, total: 2, listed: {} });
    served.set('ann s', ['a', 'b']);
    await has('ann u', ['c']);
    run.histories.readAgain(ref('ann s'));
    run.histories.readAgain(ref('ann u'));
    await readAgain();
    expect(await stateOf('ann s')).toEqual({ complete: true, gaps: [], jobs: ['a', 'b'] });
    // it could not be read, and nothing is in doubt
    expect(await stateOf('ann u')).toEqual({ complete: true, gaps: [], jobs: ['c'] });
    expect(told.tally).toEqual([[[], undefined]]);
    expect(told.source).toEqual([]);
  });

  it('a session that another one was found to have jobs of is left where the archive does not have it any more, or where another run reads it', async () => {
    await has('ann s', ['a'], { gone_at: '2026-11-05T12:00:00.000Z' });
    await has('ben s', ['b']);
    await archive.log.append(
      draft({ base: 2, run: runOf('C'), deletions: [deletionEntry('ben', 's')] }),
    );
    await has('cyd s', ['c']);
    taken.add('cyd');
    for (const name of ['ann s', 'ann x', 'ben s', 'cyd s']) {
      run.histories.readAgain(ref(name), ref('dan t'));
    }
    await readAgain();
    expect([told.asked, await commitCount()]).toEqual([[], 4]);
    expect(told.leases).toEqual(['forget ann', 'release ann', 'forget ben', 'release ben']);
    expect(run.histories.toReadAgain().size).toBe(0);
  });

  it('a session that another one was found to have jobs of is in doubt where the budget ends, and a failure of the service ends the run', async () => {
    await has('ann s', ['a']);
    run.histories.readAgain(ref('ann s'), ref('ben t'));
    served.set('ann s', new BudgetSpentError('spent'));
    await readAgain();
    expect((await stateOf('ann s'))?.gaps).toEqual([doubt]);
    await has('ann u', ['a']);
    run.histories.readAgain(ref('ann u'), ref('ben t'));
    const fatal = new TypeError('a defect');
    served.set('ann u', fatal);
    await expect(readAgain()).rejects.toBe(fatal);
    expect(told.leases.slice(-2)).toEqual(['forget ann', 'release ann']);
    served.set('ann u', new BudgetSpentError('spent'));
    stop.abort(new Error('Ctrl-C'));
    await expect(readAgain()).rejects.toThrow(BudgetSpentError);
  });

  it('a session that another one was found to have jobs of is read by the end also where it was found only then', async () => {
    await has('ann s', ['a']);
    await has('ben u', ['b']);
    run.histories.readAgain(ref('ann s'), ref('ben t'));
    const later = tools.leases.release.bind(tools.leases);
    tools.leases.release = async (user) => {
      await later(user);
      if (user === 'ann') run.histories.readAgain(ref('ben u'), ref('ann s'));
    };
    await readAgain();
    expect(told.asked).toEqual(['ann s', 'ben u']);
  });
});

describe('late sessions', () => {
  const inDoubt = (lost: string): GapEntry =>
    gap('none of them', { status: 'doubtful', missing_jobs: [asJobId(lost)] });
  const missing = (...jobs: string[]): GapEntry =>
    gap(expect.stringContaining('has none of the jobs'), {
      status: 'doubtful',
      missing_jobs: jobs.map(asJobId),
    });

  /** Listed by both in this run. */
  const listTwice = (id: string, ...users: string[]) => {
    for (const user of users) run.owners.add(user, [id], () => true);
  };

  it('a session that two users list is read again for both where they have no job in common, and is in doubt for both', async () => {
    await has('ann s', ['a', 'b']);
    await has('ben s', ['c']);
    listTwice('s', 'ann', 'ben');
    await readAgain();
    expect(told.asked).toEqual(['ann s', 'ben s']);
    expect((await stateOf('ann s'))?.gaps).toEqual([missing('c')]);
    expect((await stateOf('ben s'))?.gaps).toEqual([missing('a', 'b')]);
  });

  it.each([
    ['with a job in common', ['a', 'b'], {}, ['b'], {}, []],
    ['of which one has no jobs', ['a'], {}, [], {}, ['ben s']],
    ['that are not whole', ['a'], { complete: false }, ['b'], {}, ['ben s']],
    [
      'that are in doubt for that',
      ['a'],
      { complete: false, gaps: [inDoubt('b')] },
      ['b'],
      {},
      ['ben s'],
    ],
    [
      'that are in doubt for that, and have some by now',
      ['a', 'b'],
      {
        complete: false,
        gaps: [inDoubt('c')],
      },
      ['b', 'c'],
      {},
      ['ann s'],
    ],
  ] as const)(
    'a session that two users list is read again where it has to be: histories %s',
    async (...given) => {
      const [, ann, ofAnn, ben, ofBen, asked] = given;
      await has('ann s', ann, ofAnn);
      await has('ben s', ben, ofBen);
      listTwice('s', 'ann', 'ben');
      await readAgain();
      expect(told.asked).toEqual(asked);
    },
  );

  it('a session that two users list is left where only one has it in the archive', async () => {
    await has('ann s', ['a']);
    await has('ben t', ['b']);
    listTwice('s', 'ann', 'ben');
    await readAgain();
    expect(told.asked).toEqual([]);
  });

  it('a session that two users list is also one that another run has archived since, and not one of this run or before it', async () => {
    for (const id of ['s', 't', 'u']) run.owners.add('ann', [id], () => true);
    await has('ann s', ['a']);
    await has('ann t', ['a']);
    await has('ann u', ['a']);
    await has('ben s', ['b'], { run: 'C' });
    await has('ben t', ['b'], { run: 'C' });
    await has('ben u', ['b'], { run: 'B' });
    await readSessionsAgain(run, { ...tools, base: 4 });
    expect(told.asked).toEqual(['ann t', 'ben t']);
  });

  it('a session that two users list is compared once, and those that are too many are told', async () => {
    await has('ann s', ['a', 'b']);
    await has('ben s', ['c']);
    const dropping = { twice: [], hasToCompare: false, dropped: 3 };
    await readSessionsAgain({ ...run, owners: dropping as unknown as SessionOwners }, tools);
    expect(told.dropped).toEqual([{ sessions: 3 }]);
    listTwice('s', 'ann', 'ben');
    let loads = 0;
    const load = archive.states.load.bind(archive.states);
    archive.states.load = (user) => (loads++, load(user));
    await readAgain();
    expect(told.dropped).toHaveLength(1);
    // each user to be compared, and to be read again
    expect(loads).toBe(4);
  });

  it('a session that two users list is compared also where many users have one, some of them several', async () => {
    const pairs = [0, 2, 4, 6].map((at) => [`u${at}`, `u${at + 1}`]).concat([['u0', 'u8']]);
    for (const [first, second] of pairs) {
      const id = `of ${second}`;
      await has(`${first} ${id}`, [`${first} has`], { run: 'B' });
      await has(`${second} ${id}`, [`${second} has`], { run: 'B' });
      listTwice(id, first!, second!);
    }
    await readAgain();
    expect(told.asked).toHaveLength(2 * pairs.length);
  });
});
