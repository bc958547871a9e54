/** A history in which none of the archived jobs comes back: that of another session, an empty one, or one that was cleared. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fault } from '../../support/base/fault.js';
import { acceptGaps } from '../../../src/archive/gaps.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSession('ann', 'a1');
  rig.addSession('ben', 'b1', { jobs: 3 });
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const textsOf = (user: string, session: string): string[] =>
  rig.state.jobIds(user, session).map((job) => rig.state.jobText(user, session, job));

const answer = (user: string, session: string, texts: readonly string[]): string =>
  rig.state.addSession(user, { id: session }, texts);

const newTexts = (): string[] => [oldJob(rig.oldJobId()), oldJob(rig.oldJobId())];

function doubts({ status, gaps }: ExportSummary): string[] {
  const told = gaps.map(({ session, job, status: kind, shared_with: other, lost_below: lost }) =>
    [session, job, kind, other, lost].join(' '),
  );
  return [status, ...told.sort()];
}

/** A session of ann in doubt for the two jobs that do not come back. */
const DOUBT = 'a1  doubtful  2';

it.each([{}, { full: true }])(
  "an export doubts both of two sessions that are answered with each other's history (%j)",
  fault('F-91'),
  async (options) => {
    const [ofAnn, ofBen] = [textsOf('ann', 'a1'), textsOf('ben', 'b1')];
    answer('ann', 'a1', ofBen);
    answer('ben', 'b1', ofAnn);
    expect(doubts(await rig.rig.export(options))).toEqual([
      ...['gaps', DOUBT, 'a1  doubtful b1 ', 'b1  doubtful  3', 'b1  doubtful a1 '],
    ]);
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'incomplete', b1: 'incomplete' });
    expect((await rig.rig.verify()).problems).toEqual([]);
  },
);

it(
  'an export doubts one that shows the history of a session in no archive, and archives that',
  fault('F-91'),
  async () => {
    answer('ann', 'a1', newTexts());
    const { gaps, ...summary } = await rig.rig.export();
    expect(doubts({ ...summary, gaps })).toEqual(['gaps', DOUBT]);
    expect(gaps[0]?.reason).toBe(
      'its history has none of the jobs that were archived before: it may be that of another session, or they were deleted at the service',
    );
    expect(summary.jobs.archived).toBe(2);
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'incomplete' });
  },
);

it(
  'an export that reads none of the archived jobs of a session doubts an empty one',
  fault('F-91'),
  async () => {
    answer('ann', 'a1', []);
    expect(doubts(await rig.rig.export())).toEqual(['gaps', DOUBT]);
  },
);

it.each([
  ['an empty one', () => []],
  ['another', newTexts],
])(
  'an export doubts %s of a session that is archived under another spelling of its user',
  async (_, texts) => {
    answer('ANN', 'a1', texts());
    const summary = await rig.rig.export({ users: ['ANN'] });
    // it has none itself
    expect(doubts(summary)).toEqual(['gaps', 'a1  doubtful  0']);
    const rules = { all: true, users: ['ANN'] };
    expect(outcomes(await rig.pruned({ rules }))).toEqual({ a1: 'incomplete' });
    answer('ANN', 'a1', textsOf('ann', 'a1'));
    expect(doubts(await rig.rig.export({ users: ['ANN'] }))).toEqual(['complete']);
  },
);

it("a session that two users list stays for one whose jobs of it are not all the other's", async () => {
  answer('cid', 'empty', newTexts());
  answer('cid', 'same', newTexts());
  answer('dan', 'empty', []);
  answer('dan', 'same', textsOf('cid', 'same').slice(1));
  const users = ['cid', 'dan'];
  expect(doubts(await rig.rig.export({ users }))).toEqual(['complete']);
  rig.rig.clock.ahead += 25 * 3_600_000;
  const rules = { all: true, users: ['dan'] };
  expect(outcomes(await rig.pruned({ rules }))).toEqual({ empty: 'doubtful', same: 'doubtful' });
});

it('an export doubts no session of another user whose name is no spelling of this one', async () => {
  answer('cid', 'a1', newTexts());
  expect(doubts(await rig.rig.export({ users: ['cid'] }))).toEqual(['complete']);
});

it('an export doubts nothing where one of them is left, nor where a session had none', async () => {
  const [, second = ''] = textsOf('ann', 'a1');
  answer('ann', 'a1', [second, ...newTexts()]);
  rig.state.addSession('ann', { id: 'new' }, []);
  expect(doubts(await rig.rig.export({ full: true }))).toEqual(['complete']);
  rig.grow('ann', 'new');
  expect(doubts(await rig.rig.export())).toEqual(['complete']);
});

it(
  'a session stays in doubt while none of its jobs comes back, also after a silent night',
  fault('F-91'),
  async () => {
    answer('ann', 'a1', newTexts());
    await rig.rig.export();
    rig.grow('ann', 'a1');
    expect(doubts(await rig.rig.export())).toEqual(['gaps', DOUBT]);
    const answer500 = { kind: 'error', status: 500 } as const;
    rig.emulator.faults.api = [{ operations: ['getHistory'], pathId: 'a1', answer: answer500 }];
    expect(doubts(await rig.rig.export())).toEqual(['gaps', DOUBT, 'a1  failed  ']);
    rig.emulator.faults.api = [];
    expect(doubts(await rig.rig.export({ retryGaps: true }))).toEqual(['gaps', DOUBT]);
  },
);

it('a session of other jobs is told as a new doubt in the first night only', async () => {
  answer('ann', 'a1', newTexts());
  const nights = [await rig.rig.export(), await rig.rig.export()];
  expect(nights.map(({ gaps }) => gaps.map(({ known }) => known === true))).toEqual([
    [false],
    [true],
  ]);
});

it('a session is in doubt no more once one of its jobs comes back', async () => {
  const own = textsOf('ann', 'a1');
  answer('ann', 'a1', newTexts());
  await rig.rig.export();
  answer('ann', 'a1', [...newTexts(), own[1] ?? '']);
  expect(doubts(await rig.rig.export())).toEqual(['complete']);
  expect(doubts(await rig.rig.export())).toEqual(['complete']);
});

it('a session says so beside the doubt of one that shares its jobs, until both are over', async () => {
  const own = textsOf('ann', 'a1');
  answer('ann', 'a1', textsOf('ben', 'b1'));
  expect(doubts(await rig.rig.export({ concurrency: 1, checkpointBytes: 1 }))).toEqual([
    ...['gaps', DOUBT, 'a1  doubtful b1 ', 'b1  doubtful a1 '],
  ]);
  answer('ann', 'a1', newTexts());
  expect(doubts(await rig.rig.export())).toEqual(['gaps', DOUBT]);
  answer('ann', 'a1', own);
  expect(doubts(await rig.rig.export())).toEqual(['complete']);
});

it(
  'a session fails no night once it is accepted that its jobs were deleted at the service',
  fault('F-91'),
  async () => {
    answer('ann', 'a1', []);
    await rig.rig.export();
    const archive = { ...(await rig.rig.open()), clock: rig.rig.clock };
    await acceptGaps(archive, { sessions: ['a1'], reason: 'cleared by ann', by: 'Grace' });
    expect(doubts(await rig.rig.export())).toEqual(['incomplete-by-decision', DOUBT]);
    rig.grow('ann', 'a1');
    const summary = await rig.rig.export();
    expect(doubts(summary)).toEqual(['incomplete-by-decision', DOUBT]);
    expect(summary.jobs.archived).toBe(1);
    expect(outcomes(await rig.pruned())).toMatchObject({ a1: 'incomplete' });
  },
);
