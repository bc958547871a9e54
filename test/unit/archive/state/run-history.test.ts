import { archiveStatus } from '../../../../src/completeness/archive-status.js';
import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import {
  newestRuns,
  runsThatTold,
  type RunStatus,
} from '../../../../src/archive/state/run-history.js';
import {
  archiveSettings,
  deletionEntry,
  draft,
  makeArchive,
  partFor,
  putPart,
  runOf,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { erased } from '../../../support/rigs/erase-rig.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

async function runsOf(archive: Archive, most = 5) {
  await archive.index.refresh();
  const runs: RunStatus[] = [];
  if (most === 0) return runs;
  for (const run of newestRuns(archive.index)) if (runs.push(run) === most) break;
  return runs;
}

const [A, B, C] = [runOf('A'), runOf('B'), runOf('C')];

it('the last runs are summed up from all their commits', async () => {
  const clock = new FakeClock(60_000);
  const storage = createMemoryStorage();
  const archive = await createOrOpenArchive(storage, archiveSettings({ clock }));
  const part = (n: number, rows: number, table = 'jobs') =>
    putPart(storage, { run: runOf('A'), n, rows, table });
  const files = [await part(1, 3), await part(1, 9, 'blocks')];
  const doubled = { ...files[0], path: files[0]?.path.replace(/lines$/, 'jsonl.gz') };
  await archive.log.append(
    draft({
      files: [...files, doubled as (typeof files)[0]],
      sessions: [session('u', 'a'), session('v', 'a')],
      users: [userEntry('u'), userEntry('v', { complete: false })],
    }),
  );
  clock.shiftWall(60_000);
  await archive.log.append(
    draft({
      base: 1,
      checkpoint: 2,
      files: [await part(2, 2)],
      sessions: [session('u', 'a', { version: 2 })],
      users: [userEntry('w')],
    }),
  );
  expect(await runsOf(archive)).toEqual([
    {
      run: A,
      kind: 'export',
      began: '1970-01-01T00:01:00.000Z',
      ended: '1970-01-01T00:02:00.000Z',
      commits: [1, 2],
      users: 3,
      partly: 0,
      complete: 2,
      incomplete_by_decision: 0,
      users_to_read: null,
      users_suppressed: 0,
      scope: 'all',
      shard: null,
      queue: null,
      outcome: null,
      dataset_gaps: 0,
      gaps_of_unread_users: 0,
      sessions: 3,
      jobs: 5,
      deletions: 0,
      redacted: false,
      abandoned: false,
    },
  ]);
});

it.each([
  ['everybody was read', { users: 2 }, [true, true], ['all', 'complete']],
  ['somebody has a gap', { users: 2 }, [true, false], ['all', 'gaps']],
  ['somebody was not read', { users: 3 }, [true, true], ['all', 'not_all_read']],
  ['only named users were', { users: 2, named: true }, [true, true], ['named', 'complete']],
  ['only gaps were', { users: 3, retry_gaps: true }, [true], ['part', null]],
  ['only a session was', { users: 1, sessions: ['s'] }, [true], ['part', null]],
  ['only what a search found was', { users: 1, search: 'x' }, [true], ['part', null]],
  ['a queue gave the users', { queue: 'night' }, [true], ['all', null]],
] as const)(
  'the last runs tell how they ended: %s',
  async (_what, scope, complete, [within, outcome]) => {
    const archive = await makeArchive(createMemoryStorage());
    const users = complete.map((one, at) => userEntry(`u${at}`, { complete: one }));
    await archive.log.append(draft({ users, scope }));
    expect(await runsOf(archive)).toMatchObject([{ scope: within, outcome }]);
  },
);

it('the last runs tell how they ended where the first commit only cleans up after a dead run', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const { log } = archive;
  const scope = { users: 1, named: true };
  await log.append(draft({ scope, users: [] }));
  const run = runOf('B');
  await log.append(draft({ base: 1, run, scope: {}, abandoned: [runOf('A')] }));
  await log.append(draft({ base: 2, run, checkpoint: 2, scope, users: [userEntry('u')] }));
  expect((await runsOf(archive))[0]).toMatchObject({
    commits: [2, 3],
    users_to_read: 1,
    scope: 'named',
    outcome: 'complete',
  });
});

it('the last runs count whom they doubted after all once, as not complete', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const users = [userEntry('u'), userEntry('v')];
  await archive.log.append(draft({ users, scope: { users: 2 } }));
  const doubted = [userEntry('u', { complete: false })];
  await archive.log.append(draft({ base: 1, checkpoint: 2, users: doubted, scope: { users: 2 } }));
  expect(await runsOf(archive)).toMatchObject([
    { users: 2, complete: 1, users_to_read: 2, outcome: 'gaps' },
  ]);
});

it.each([
  ['of a list', { users: 3 }, 3],
  ['of a fleet', { queue: 'q' }, null],
])(
  'status counts each user of a run %s once, by name, also one with a gap and a later doubt',
  async (_, scope, of) => {
    const archive = await makeArchive(createMemoryStorage());
    const gaps = userEntry('u', { complete: false, gaps: 1 });
    const users = [gaps, userEntry('v'), userEntry('w')];
    await archive.log.append(draft({ users, scope }));
    const doubted = [userEntry('u', { complete: false, gaps: 2 })];
    await archive.log.append(draft({ base: 1, checkpoint: 2, users: doubted, scope }));
    const { runs, last_export: last, last_worker: worker } = await archiveStatus(archive, {});
    expect(runs).toMatchObject([{ users: 3, complete: 2, users_to_read: of }]);
    expect(last ?? worker).toMatchObject({ users: 3, complete: 2 });
  },
);

it('status counts whom an erasure has left of a run by name, where one was doubted later', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const scope = { users: 3 };
  const users = ['u', 'v', 'w'].map((user) => userEntry(user));
  await archive.log.append(draft({ users, sessions: [session('u', 'a')], scope }));
  const doubted = [userEntry('w', { complete: false, gaps: 1 })];
  await archive.log.append(draft({ base: 1, checkpoint: 2, users: doubted, scope }));
  await erased(archive, { users: ['u'], sessions: [] });
  archive.log.forget();
  const { runs } = await archiveStatus(archive, {});
  expect(runs.at(-1)).toMatchObject({ users: 2, complete: 1, users_to_read: 3 });
});

it('status of a run has those apart of whom only what was decided on is missing', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const decided = { by_decision: true } as const;
  const users = [
    userEntry('u'),
    userEntry('v', { erased: 1, ...decided }),
    userEntry('w', { complete: false, gaps: 1, ...decided }),
  ];
  await archive.log.append(draft({ users: users.slice(0, 2), scope: { users: 2 } }));
  const B_RUN = { base: 1, run: B, scope: { users: 3 } };
  await archive.log.append(draft({ ...B_RUN, users }));
  const { runs } = await archiveStatus(archive, {});
  expect(runs).toMatchObject([
    { users: 3, complete: 1, incomplete_by_decision: 2, outcome: 'incomplete-by-decision' },
    { users: 2, complete: 1, incomplete_by_decision: 1, outcome: 'incomplete-by-decision' },
  ]);
});

it('a run has not finished whose sessions its budget left, also who was doubted later in it', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const [scope, left] = [{ users: 3 }, { left: 1 }];
  const users = [userEntry('u', left), userEntry('v', left), userEntry('w')];
  await archive.log.append(draft({ users, scope }));
  const doubted = [userEntry('u', { complete: false, gaps: 1 })];
  await archive.log.append(draft({ base: 1, checkpoint: 2, users: doubted, scope }));
  const { runs, last_export } = await archiveStatus(archive, {});
  const ofRun = { users: 1, partly: 2, complete: 1, outcome: 'not_all_read' };
  expect([runs[0], last_export]).toMatchObject([ofRun, ofRun]);
  // it came to its last user: whoever waits for the word of a run need not wait for another one
  expect([...runsThatTold(archive.index).keys()]).toEqual([A]);
});

it('the last runs begin with the run that committed last, and are as many as asked for', async () => {
  const archive = await makeArchive(createMemoryStorage());
  for (const [base, letter] of ['A', 'B', 'A', 'C'].entries()) {
    await archive.log.append(draft({ base, run: runOf(letter), checkpoint: base + 1 }));
  }
  const ids = async (most: number) => (await runsOf(archive, most)).map(({ run }) => run);
  expect(await ids(5)).toEqual([C, A, B]);
  expect([await ids(2), await ids(0)]).toEqual([[C, A], []]);
  expect((await runsOf(archive))[1]).toMatchObject({ run: A, commits: [1, 3] });
});

it('the last runs are exports where one commit is, and otherwise of the kind of their first', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const { log } = archive;
  await log.append(draft({ sessions: [session('u', 'a'), session('u', 'b')] }));
  const run = runOf('B');
  await log.append(draft({ base: 1, run, abandoned: [runOf('A')] }));
  await log.append(draft({ base: 2, run, deletions: [deletionEntry('u', 'a')] }));
  const [pruned, dead] = await runsOf(archive);
  expect(pruned).toMatchObject({ kind: 'abandon', deletions: 1, abandoned: false });
  expect(dead).toMatchObject({ kind: 'export', deletions: 0, abandoned: true });
  await log.append(draft({ base: 3, run }));
  await log.append(draft({ base: 4, run, deletions: [deletionEntry('u', 'b')] }));
  expect((await runsOf(archive))[0]).toMatchObject({ kind: 'export', deletions: 2 });
});

it('the last runs have no jobs from rows that a rewrite wrote again', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const { path, entry } = partFor({ run: runOf('A'), n: 1, rows: 4 });
  await archive.log.append(draft({ files: [entry] }));
  const merged = await putPart(storage, { run: runOf('B'), n: 1, rows: 4 });
  await archive.log.append(draft({ base: 1, run: runOf('B'), files: [merged], removed: [path] }));
  expect((await runsOf(archive)).map(({ kind, jobs }) => [kind, jobs])).toEqual([
    ['compact', 0],
    ['export', 4],
  ]);
});

it('the last runs say whether an erasure has redacted them', async () => {
  const archive = await makeArchive(createMemoryStorage());
  await archive.log.append(draft({ sessions: [session('u', 'a')] }));
  await archive.log.append(draft({ base: 1, run: runOf('B'), sessions: [session('v', 'b')] }));
  await erased(archive, { users: ['u'], sessions: [] });
  archive.log.forget();
  const redacted = (await runsOf(archive)).map((one) => [one.run, one.redacted]);
  expect(redacted.slice(1)).toEqual([
    [B, false],
    [A, true],
  ]);
});
