import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../../src/archive/archive.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { copyObjects } from '../../../../src/rewrite/copy.js';
import { snapshotPath } from '../../../../src/archive/paths.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { verifyAndRepair } from '../../../../src/repair/repair.js';
import { PackedStates } from '../../../../src/archive/snapshots/packed-states.js';
import {
  SnapshotReader,
  storedSnapshots,
  storedStates,
} from '../../../../src/archive/snapshots/snapshot-reader.js';
import { sweepSnapshots } from '../../../../src/archive/snapshots/sweep-snapshots.js';
import {
  draft,
  job,
  putPart,
  reopened,
  runOf,
  seededRandom,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { erased } from '../../../support/rigs/erase-rig.js';
import { archiveOfMuch, forge } from '../../../support/store/forged-snapshots.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import {
  newestSnapshot,
  snapshotOf,
  snapshotParts,
  toldOf,
} from '../../../support/store/snapshots.js';
import { fault } from '../../../support/base/fault.js';

const { signal } = new AbortController();

const problemsOf = async (archive: Archive) => {
  const report = await verifyArchive(reopened(archive));
  return { problems: report.problems, notes: report.notes };
};
const NOTHING = { problems: [], notes: [] };

// I-57 in FORMAT.md

it('a reader says the same from a snapshot as from every commit', async () => {
  const { archive } = await archiveOfMuch();
  await snapshotOf(archive);
  const [all, some] = [await toldOf(archive, 'commits'), await toldOf(archive, 'snapshot')];
  expect(some.begunAt).toBe(7);
  expect(some.told).toEqual(all.told);
  expect(all.told.gone).toHaveLength(1);
  const { gaps, accepted_gaps: accepted } = all.told.status;
  const counted = Object.values(gaps).reduce((sum, count) => sum + count, accepted);
  expect([all.told.gaps.length, counted]).toEqual([3, 3]);
  expect(await problemsOf(archive)).toEqual(NOTHING);
});

it('a reader adds the commits after a snapshot', async () => {
  const { storage, archive } = await archiveOfMuch();
  await snapshotOf(archive);
  const files = [await putPart(storage, { run: runOf('Q'), n: 1, rows: 1 })];
  await archive.log.append(
    draft({
      base: 8,
      run: runOf('Q'),
      files,
      sessions: [session('u', 'b', { version: 2 }), session('x', 'd')],
      jobs: [job('u', 'b', 'k1', { version: 2 }), job('u', 'b', 'k2', { index: 1 })],
      users: [userEntry('w'), userEntry('x')],
    }),
  );
  const [all, some] = [await toldOf(archive, 'commits'), await toldOf(archive, 'snapshot')];
  expect(some.begunAt).toBe(7);
  expect(some.told).toEqual(all.told);
  expect(all.told.gone).toEqual([]);
});

it('a sample that passes hides no drill that failed, also from a snapshot', async () => {
  const { archive } = await archiveOfMuch();
  const drill = { commit: 7, sample: 0.1, sessions: 1, jobs: 1, rows: 3, files: 0, not_stored: 0 };
  const passed = { ...drill, differences: 0 };
  await archive.log.append(draft({ base: 7, kind: 'drill', run: runOf('V'), drill: passed }));
  expect(await snapshotOf(archive)).toBe(9);
  const { begunAt, told } = await toldOf(archive, 'snapshot');
  expect(begunAt).toBe(8);
  expect(told.drills.map((drilled) => drilled?.differences)).toEqual([0, 1]);
});

it('a reader reads no commit that the snapshot takes into account', fault('F-97'), async () => {
  const { storage, archive } = await archiveOfMuch();
  await snapshotOf(archive);
  const read: string[] = [];
  const watched = {
    ...storage,
    get: (path: string) => {
      read.push(path);
      return storage.get(path);
    },
  };
  await fromSnapshot(reopened(archive, watched)).index.refresh();
  const commits = read.filter((path) => path.startsWith('_commits/'));
  expect([...new Set(commits)].sort()).toEqual([
    '_commits/000000000008.json',
    '_commits/000000000009.json',
  ]);
});

it.each([
  ['that is missing', () => undefined],
  ['that is torn', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['that has other bytes', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])])],
])('a reader passes over a snapshot %s, and takes the one before', async (_, changed) => {
  const { storage, archive } = await archiveOfMuch();
  await snapshotOf(archive);
  await archive.log.append(draft({ base: 8, sessions: [session('y', 'e')] }));
  await snapshotOf(archive);
  const path = await newestSnapshot(archive);
  const bytes = changed(Buffer.from(await storage.get(path)));
  if (bytes) await storage.put(path, bytes);
  else await storage.delete(path);
  const [all, some] = [await toldOf(archive, 'commits'), await toldOf(archive, 'snapshot')];
  expect(some.begunAt).toBe(7);
  expect(some.told).toEqual(all.told);
  expect((await problemsOf(archive)).problems).toEqual([]);
});

it('a reader passes over a snapshot that no commit names', async () => {
  const { storage, archive } = await archiveOfMuch();
  await snapshotOf(archive);
  const bytes = await storage.get(await newestSnapshot(archive));
  const alone = await archiveOfMuch();
  await alone.storage.put(snapshotPath(7, 'X'.repeat(26)), bytes);
  await alone.archive.log.append(draft({ base: 7, sessions: [session('y', 'e')] }));
  expect((await toldOf(alone.archive, 'snapshot')).begunAt).toBe(0);
  expect(await problemsOf(alone.archive)).toEqual(NOTHING);
});

it('a reader passes over a snapshot of another log', async () => {
  const { archive } = await archiveOfMuch();
  await forge(archive, (text) => text.replaceAll(archive.index.head?.digest ?? '', 'e'.repeat(64)));
  expect((await toldOf(archive, 'snapshot')).begunAt).toBe(0);
  expect((await problemsOf(archive)).problems).toMatchObject([{ problem: 'state' }]);
});

it("a snapshot's last line says where its states are, and no line of a user is decoded", async () => {
  const { storage, archive } = await archiveOfMuch();
  await forge(archive, (text) => text.replaceAll('{"user":', '{"user":!'));
  await archive.index.refresh();
  const { through } = archive.index;
  const [forged] = await storedSnapshots(storage);
  const reader = new SnapshotReader(storage, archive.log);
  expect(await reader.read(forged!, through)).toBeUndefined();
  const paths = (await reader.statesOf(forged!, through)).map(({ path }) => path);
  expect(paths).toEqual((await storedStates(storage)).map(({ path }) => path));
  expect(paths).toHaveLength(1);
  await storage.put(forged!.path, Buffer.from('torn'));
  expect(await reader.statesOf(forged!, through)).toEqual([]);
});

it('a reader passes over a snapshot that says of no object where states are', async () => {
  const { archive } = await archiveOfMuch();
  await forge(archive, (text) => text.replace(/\{"states":.*/, '{"states":[{}]}'));
  expect((await toldOf(archive, 'snapshot')).begunAt).toBe(0);
  const [all, some] = [await toldOf(archive, 'commits'), await toldOf(archive, 'snapshot')];
  expect(some.told).toEqual(all.told);
});

it.each([
  ['the end of a hold', (text: string) => text.replace('"reason":"law"', '"reason":"none"')],
  ['an order', (text: string) => text.replace(/(\{"user":"u".*\n)(\{"user":"v".*\n)/, '$2$1')],
  ['a user', (text: string) => text.replace(/\{"user":"w".*\n/, '')],
  ['its JSON', (text: string) => text.replace('"commits"', '"commits')],
])(
  'verify reports a named snapshot that differs from the log in %s, and --repair removes it',
  async (_, change) => {
    const { storage, archive } = await archiveOfMuch();
    const path = await forge(archive, change);
    const detail = 'differs from what the log gives';
    expect(await problemsOf(archive)).toEqual({
      problems: [{ path, problem: 'state', detail }],
      notes: [],
    });
    const report = await verifyAndRepair(reopened(archive), {}, signal);
    expect(report.snapshots).toEqual([path]);
    expect(report.problems).toEqual([]);
    expect(await storage.stat(path)).toBeUndefined();
    expect(await problemsOf(archive)).toEqual(NOTHING);
  },
);

it.each([
  ['another session', ['"b"', '"z"']],
  ['what is no JSON', ['[["a"', '["a"']],
  ['a line too many', ['\n', '\n\n']],
] as const)(
  'verify reports a named snapshot that has %s among its sessions',
  async (_, inSessions) => {
    const { archive } = await archiveOfMuch();
    const path = await forge(archive, (text) => text, ['', ''], inSessions);
    const detail = 'differs from what the log gives';
    const problems = [{ path, problem: 'state', detail }];
    expect(await problemsOf(archive)).toEqual({ problems, notes: [] });
    expect((await verifyAndRepair(reopened(archive), {}, signal)).snapshots).toEqual([path]);
    expect(await problemsOf(archive)).toEqual(NOTHING);
  },
);

it.each([
  ['no JSON', ['[["a"', '["a"']],
  ['fewer lines', ['\n', ' ']],
] as const)('a reader refuses a named snapshot whose sessions are %s', async (_, inSessions) => {
  const { archive } = await archiveOfMuch();
  const path = await forge(archive, (text) => text, ['', ''], inSessions);
  await expect(toldOf(archive, 'snapshot')).rejects.toThrow(
    `${path} has no sessions where it says that they are; verify --repair removes it`,
  );
});

it('a reader passes over a snapshot whose sessions end elsewhere than it says', async () => {
  const { archive } = await archiveOfMuch();
  await forge(archive, (text) => text.replace(/"sessions":\[\{"bytes":/, '$&1'));
  expect((await toldOf(archive, 'snapshot')).begunAt).toBe(0);
  expect((await problemsOf(archive)).problems).toMatchObject([{ problem: 'state' }]);
});

it('verify notes a snapshot that is torn', async () => {
  const { storage, archive } = await archiveOfMuch();
  await snapshotOf(archive);
  const path = await newestSnapshot(archive);
  await storage.put(path, (await storage.get(path)).subarray(1));
  const { problems, notes } = await problemsOf(archive);
  expect(problems).toEqual([]);
  expect(notes).toMatchObject([{ path }]);
});

it(
  'verify reports states that differ from the log, and notes such as are torn',
  fault('F-89'),
  async () => {
    const { storage, archive } = await archiveOfMuch();
    await forge(archive, (text) => text, ['"hash":"h', '"hash":"x']);
    const path = (await storedStates(storage))[0]?.path ?? '';
    const detail = 'differs from what the log gives';
    expect((await problemsOf(archive)).problems).toEqual([{ path, problem: 'state', detail }]);
    await storage.put(path, (await storage.get(path)).subarray(1));
    const { problems, notes } = await problemsOf(archive);
    expect([problems, notes.map((note) => note.path)]).toEqual([[], [path]]);
    expect((await verifyAndRepair(reopened(archive), {}, signal)).snapshots).toEqual([path]);
    expect(await problemsOf(archive)).toEqual({
      problems: [],
      notes: [{ path, detail: expect.any(String) as string }],
    });
  },
);

it('verify says of a snapshot beyond the head that the log has lost commits', async () => {
  const { storage, archive } = await archiveOfMuch();
  await snapshotOf(archive);
  const path = await newestSnapshot(archive);
  for (const number of [7, 8]) await storage.delete(`_commits/00000000000${number}.json`);
  const { problems } = await problemsOf(archive);
  expect(problems).toContainEqual({
    path,
    problem: 'chain',
    detail:
      'was made after commit 7, which is missing; this log may have been cut: compare --expect-head',
  });
});

it(
  'a run that ends writes a snapshot only where readers would have much to read',
  fault('F-97'),
  async () => {
    const { archive } = await archiveOfMuch();
    const pace = { commits: 8, entries: 100 };
    expect(await snapshotOf(archive, { pace })).toBeUndefined();
    expect(await snapshotOf(archive, { pace: { commits: 7, entries: 100 } })).toBe(8);
    // a snapshot alone is nothing to read
    expect(await snapshotOf(archive)).toBeUndefined();
    await archive.log.append(draft({ base: 8, sessions: [session('y', 'e')] }));
    expect(await snapshotOf(archive, { pace: { commits: 100, entries: 2 } })).toBeUndefined();
    expect(await snapshotOf(archive, { pace: { commits: 100, entries: 1 } })).toBe(10);
    expect(await problemsOf(archive)).toEqual(NOTHING);
  },
);

it('a run that ends makes the same snapshot from the one before as from every commit', async () => {
  const { storage, archive } = await archiveOfMuch();
  await snapshotOf(archive);
  await archive.log.append(
    draft({
      base: 8,
      run: runOf('Q'),
      sessions: [session('u', 'a', { version: 2 }), session('a', 'n')],
      jobs: [job('u', 'a', 'j1', { version: 2 })],
      users: [userEntry('w')],
    }),
  );
  const bare = createMemoryStorage();
  for (const [path, bytes] of storage.place.objects) {
    if (!path.startsWith('_snapshots/')) bare.place.objects.set(path, bytes);
  }
  const without = reopened(archive, bare);
  const textOf = async (of: Archive): Promise<string[]> => {
    await snapshotOf(of, { random: seededRandom(7) });
    const { sessions, text } = await snapshotParts(of);
    const lines = text.split('\n').slice(0, -2); // without the places of states
    return [
      ...lines.map((line) => line.replace(/"state":\[\d+,\d+\]/, '')),
      ...gunzipSync(sessions).toString().split('\n'),
    ];
  };
  expect(await textOf(archive)).toEqual(await textOf(without));
});

it.each([
  ['missing', () => undefined],
  ['torn', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
])('a run that ends writes states again whose object is %s', async (_, changed) => {
  const { storage, archive } = await archiveOfMuch();
  const jobs = Array.from({ length: 4000 }, (_, at) => {
    return job('u', 'a', `of-u-${at}`, { index: at + 2, hash: sha256Hex(`${at}`) });
  });
  const of = { base: 7, run: runOf('Q') };
  await archive.log.append(draft({ ...of, sessions: [session('u', 'a')], jobs }));
  await snapshotOf(archive);
  const [lost] = await storedStates(storage);
  if (!lost) throw new Error('there are no states');
  expect(lost.bytes).toBeGreaterThan(100_000); // it is named again
  const bytes = changed(Buffer.from(await storage.get(lost.path)));
  if (bytes) await storage.put(lost.path, bytes);
  else await storage.delete(lost.path);
  await archive.log.append(draft({ base: 9, run: runOf('Q'), sessions: [session('y', 'e')] }));
  await snapshotOf(archive);
  const reader = fromSnapshot(reopened(archive));
  await reader.index.refresh();
  expect(reader.index.snapshot?.head.number).toBe(10);
  const parts = reader.index.snapshot?.states ?? [];
  const whole = parts.map((part) => new PackedStates(storage).isWhole(part));
  expect(await Promise.all(whole)).toEqual(parts.map(() => true));
  const some = (await toldOf(archive, 'snapshot')).told;
  expect(some).toEqual((await toldOf(archive, 'commits')).told);
  expect((await problemsOf(archive)).problems).toEqual([]);
});

it('a run that ends leaves the newest two that commits name, whatever others have left unnamed', async () => {
  const { storage, archive } = await archiveOfMuch();
  for (const base of [7, 9, 11]) {
    await archive.log.append(draft({ base, run: runOf('Q'), sessions: [session('y', 'e')] }));
    await snapshotOf(archive);
  }
  for (const through of [11, 12, 13]) {
    const bytes = new TextEncoder().encode(`unnamed ${through}`);
    await storage.put(snapshotPath(through, 'X'.repeat(26)), bytes);
  }
  await sweepSnapshots(archive);
  const stored = await storedSnapshots(storage);
  expect(stored.map(({ through }) => through)).toEqual([13, 12, 10]);
  const [all, some] = [await toldOf(archive, 'commits'), await toldOf(archive, 'snapshot')];
  expect(some.begunAt).toBe(12);
  expect(some.told).toEqual(all.told);
  expect(await problemsOf(archive)).toEqual(NOTHING);
  // once one is named that is newer, none of these can be
  await archive.log.append(draft({ base: 13, run: runOf('Q'), sessions: [session('y', 'e')] }));
  await snapshotOf(fromSnapshot(reopened(archive)));
  const later = await storedSnapshots(storage);
  expect(later.map(({ through }) => through)).toEqual([14, 12]);
});

it('a run that ends leaves no name of its own snapshot where another run has named one since', async () => {
  const { archive, storage } = await archiveOfMuch();
  let isFirst = true;
  const slow = reopened(archive, {
    ...storage,
    stage: async (options) => {
      if (isFirst) {
        isFirst = false;
        await snapshotOf(reopened(archive, storage, 9), { run: runOf('T') });
      }
      return storage.stage(options);
    },
  });
  expect(await snapshotOf(slow, { random: seededRandom(5) })).toBeUndefined();
  const stored = await storedSnapshots(storage);
  expect(stored).toHaveLength(1);
  const named = await archive.log.read(8);
  expect([named.run, named.snapshot?.path]).toEqual([runOf('T'), stored[0]?.path]);
});

it('a run that ends leaves the newest two snapshots', async () => {
  const { archive } = await archiveOfMuch();
  for (const base of [7, 9, 11]) {
    await archive.log.append(draft({ base, run: runOf('Q'), sessions: [session('y', 'e')] }));
    await snapshotOf(archive);
  }
  const stored = await storedSnapshots(archive.storage);
  expect(stored.map(({ through }) => through)).toEqual([12, 10]);
});

it('a run that cannot write a snapshot ends well all the same', async () => {
  const { storage, archive } = await archiveOfMuch();
  const failing = reopened(archive, {
    ...storage,
    stage: () => Promise.reject(new Error('disk full')),
  });
  const warnings: unknown[] = [];
  const logger = {
    info: () => {},
    debug: () => {},
    error: () => {},
    warn: (f: unknown) => warnings.push(f),
  };
  expect(await snapshotOf(failing, { logger })).toBeUndefined();
  expect(warnings).toEqual([{ reason: 'disk full' }]);
});

// I-58 in FORMAT.md

it('an erasure leaves no snapshot in which the erased may be, and readers none from before it', async () => {
  const { archive, storage } = await archiveOfThree();
  await snapshotOf(archive);
  const path = await newestSnapshot(archive);
  const old = await storage.get(path);
  expect(gunzipSync(old).toString()).toContain('"ann"');
  const reader = fromSnapshot(reopened(archive));
  await reader.index.refresh();
  expect(reader.index.snapshot?.head.number).toBe(3);
  await erased(archive);
  expect(await storage.stat(path)).toBeUndefined();
  await reader.index.refresh();
  expect(reader.index.users).toEqual(['ben', 'cyd']);
  for (const { path: one } of [
    ...(await storedSnapshots(storage)),
    ...(await storedStates(storage)),
  ]) {
    await storage.delete(one);
  }
  // as a run that was killed leaves it
  await storage.put(path, old);
  expect((await toldOf(archive, 'snapshot')).begunAt).toBe(0);
  expect((await verifyArchive(reopened(archive))).notes).toMatchObject([{ path }]);
  const target = createMemoryStorage();
  await copyObjects({ archive: reopened(archive), target, concurrency: 1, signal });
  expect([...target.place.objects.keys()].filter((of) => of.startsWith('_snapshots'))).toEqual([]);
  await sweepSnapshots(archive);
  expect(await storedSnapshots(storage)).toEqual([]);
  const base = archive.index.through;
  await archive.log.append(draft({ base, run: runOf('Q'), sessions: [session('y', 'e')] }));
  await snapshotOf(archive);
  const next = gunzipSync(await storage.get(await newestSnapshot(archive))).toString();
  expect(next).not.toContain('ann');
  expect((await toldOf(archive, 'snapshot')).begunAt).toBeGreaterThan(0);
});

it('an erasure leaves a snapshot of what stays: else readers would read every commit', async () => {
  const { archive, storage } = await archiveOfThree();
  await snapshotOf(archive);
  await erased(archive);
  const [only, ...others] = await storedSnapshots(storage);
  expect([only?.through, others]).toEqual([archive.index.lastErasure, []]);
  for (const { path } of [...(only ? [only] : []), ...(await storedStates(storage))]) {
    expect(gunzipSync(await storage.get(path)).toString()).not.toContain('ann');
  }
  const [all, some] = [await toldOf(archive, 'commits'), await toldOf(archive, 'snapshot')];
  expect(some.begunAt).toBe(only?.through);
  expect(some.told).toEqual(all.told);
  expect(await problemsOf(archive)).toEqual(NOTHING);
});

it('an erasure that is open permits no snapshot, and readers use none', async () => {
  const { archive } = await archiveOfThree();
  await snapshotOf(archive);
  await new BegunErasure(reopened(archive)).begin();
  expect(await snapshotOf(archive)).toBeUndefined();
  expect((await toldOf(archive, 'snapshot')).begunAt).toBe(0);
});

it('an erasure that begins while a snapshot is written refuses it, and nothing of it stays', async () => {
  const { archive, storage } = await archiveOfThree();
  const slow = reopened(archive, {
    ...storage,
    stage: async (options) => {
      await erased(reopened(archive));
      return storage.stage(options);
    },
  });
  expect(await snapshotOf(slow)).toBeUndefined();
  await archive.index.refresh();
  const left = await storedSnapshots(storage);
  expect(left.map(({ through }) => through)).toEqual([archive.index.lastErasure]);
});

it('A copy has the snapshots that its log names', async () => {
  const { archive } = await archiveOfMuch();
  await snapshotOf(archive);
  const target = createMemoryStorage();
  const { signal } = new AbortController();
  await copyObjects({ archive: reopened(archive), target, concurrency: 1, signal });
  expect((await toldOf(reopened(archive, target), 'snapshot')).begunAt).toBe(7);
});
