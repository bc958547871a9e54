import { describe, expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../../src/archive/archive.js';
import type { ErasureEntry } from '../../../../src/archive/log/commit.js';
import { commitPath, runLeasePath, snapshotPath } from '../../../../src/archive/paths.js';
import { abandonDeadRuns } from '../../../../src/archive/runs/abandon-dead-runs.js';
import { encodeLeaseNote } from '../../../../src/archive/runs/lease.js';
import { silentLogger } from '../../../../src/base/logger.js';
import type { RunId } from '../../../../src/model/ids.js';
import {
  artifactFor,
  draft,
  makeArchive,
  partFor,
  putPart,
  reopened,
  runOf,
} from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure, processes } from '../../../support/store/begun-erasure.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../support/store/snapshots.js';
import { fault } from '../../../support/base/fault.js';

const DAY_MS = 24 * 3_600_000;
const [OWN, OTHER, THIRD] = [runOf('P'), runOf('Q'), runOf('R')];
/** On this machine, where every process but that of the test is dead; and on one that nobody can see. */
const [ALIVE, DEAD, ELSEWHERE] = [
  { host: 'here', pid: 1 },
  { host: 'here', pid: 2 },
  { host: 'elsewhere', pid: 2 },
];

const holdsIn =
  (storage: MemoryStorage) =>
  async (run: RunId, holder: { host: string; pid: number }, renewedAtMs = DAY_MS) => {
    const note = { ...holder, run, boot: 'today', started: '1', beat: 0 };
    await storage.put(runLeasePath(run), encodeLeaseNote(note));
    storage.place.modifiedAtMs.set(runLeasePath(run), renewedAtMs);
  };

async function archiveWithRun() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  await archive.log.append(
    draft({ files: [await putPart(storage, { run: runOf('A'), n: 1, rows: 2 })] }),
  );
  const holds = holdsIn(storage);
  await holds(OWN, ALIVE);
  return { storage, archive, holds, log: reopened(archive).log };
}

type Rig = Awaited<ReturnType<typeof archiveWithRun>>;

/** As another process would clean up. */
async function cleaned(
  { archive }: Pick<Rig, 'archive'>,
  storage = archive.storage,
  survey?: Archive,
) {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (...given: unknown[]) => void warnings.push(given) };
  const result = await abandonDeadRuns({
    archive: { ...reopened(archive, storage), processes, logger },
    run: OWN,
    survey: survey && { ...survey, processes },
  });
  return { ...result, warnings };
}

const unnamed = (storage: MemoryStorage, run: RunId, n = 1) =>
  putPart(storage, { run, n, rows: 1 }).then(({ path }) => path);

const isThere = ({ storage }: Rig, path: string) => storage.place.objects.has(path);

it(
  'a run whose commit is lost is not dead where something was made from that commit',
  fault('F-128'),
  async () => {
    const rig = await archiveWithRun();
    const { storage, archive } = rig;
    const path = await unnamed(storage, OTHER);
    const file = await putPart(storage, { run: OTHER, n: 1, rows: 1 });
    await archive.log.append(draft({ base: 1, run: OTHER, files: [file] }));
    await storage.put(snapshotPath(2, THIRD), Buffer.from('x'));
    await storage.delete(commitPath(2));
    const later = { ...rig, archive: reopened(archive) };
    await expect(cleaned(later)).rejects.toMatchObject({ problem: 'missing', path: commitPath(2) });
    expect([isThere(rig, path), isThere(rig, commitPath(2))]).toEqual([true, false]);
  },
);

// I-34 in FORMAT.md
it('a run that died is abandoned in the log, its uncommitted files go, and its lease goes last', async () => {
  const rig = await archiveWithRun();
  const { storage, holds } = rig;
  await holds(OTHER, DEAD);
  const paths = [await unnamed(storage, OTHER), await unnamed(storage, OTHER, 2)];
  const deleted: string[] = [];
  const result = await cleaned(rig, {
    ...storage,
    delete: (path) => storage.delete(path).then(() => void deleted.push(path)),
  });
  expect(result).toEqual({
    runs: [OTHER],
    commits: [2],
    removed: 2,
    warnings: [
      [
        { runs: [OTHER], commit: 2 },
        'cleaned up after runs that did not end; what they had not recorded, a run of their kind does again',
      ],
    ],
  });
  expect(deleted).toEqual([...paths, runLeasePath(OTHER)]);
  const { kind, run, checkpoint, tool, scope, abandoned, files } = await rig.log.read(2);
  expect({ kind, run, checkpoint, tool }).toEqual({
    kind: 'abandon',
    run: OWN,
    checkpoint: 1,
    tool: 'jobvault 0.1.0',
  });
  expect([scope, abandoned, files]).toEqual([{}, [OTHER], []]);
});

it('a run that died is seen by its lease or its files alone', async () => {
  const rig = await archiveWithRun();
  await rig.holds(OTHER, DEAD);
  const path = await unnamed(rig.storage, THIRD);
  const { runs, commits, removed } = await cleaned(rig);
  expect({ runs, commits, removed }).toEqual({ runs: [OTHER, THIRD], commits: [2], removed: 1 });
  expect(isThere(rig, path)).toBe(false);
});

it('a run that died keeps what it committed before, and files of every other run', async () => {
  const rig = await archiveWithRun();
  const { storage, archive, holds } = rig;
  const named = await putPart(storage, { run: OTHER, n: 1, rows: 1 });
  await archive.log.append(draft({ run: OTHER, base: 1, files: [named] }));
  await holds(OTHER, DEAD);
  await holds(THIRD, ALIVE);
  const path = await unnamed(storage, THIRD);
  expect(await cleaned(rig)).toMatchObject({ runs: [OTHER], removed: 0 });
  expect([isThere(rig, named.path), isThere(rig, path)]).toEqual([true, true]);
  expect(isThere(rig, runLeasePath(THIRD))).toBe(true);
});

it('a run that died keeps what it commits while it is examined', async () => {
  const rig = await archiveWithRun();
  const { storage, archive, holds } = rig;
  await holds(OTHER, DEAD);
  const late = await putPart(storage, { run: OTHER, n: 1, rows: 1 });
  const path = await unnamed(storage, OTHER, 2);
  const result = await cleaned(rig, {
    ...storage,
    putIfAbsent: async (at, bytes) => {
      if (!isThere(rig, '_commits/000000000002.json')) {
        await archive.log.append(draft({ run: OTHER, base: 1, files: [late] }));
      }
      return storage.putIfAbsent(at, bytes);
    },
  });
  expect(result).toMatchObject({ runs: [OTHER], commits: [3], removed: 1 });
  expect([isThere(rig, late.path), isThere(rig, path)]).toEqual([true, false]);
});

it('a run that died is seen by the next run again where a cleaning up was cut off', async () => {
  const rig = await archiveWithRun();
  const { storage } = rig;
  await rig.holds(OTHER, DEAD);
  await unnamed(storage, OTHER);
  const cut = { ...storage, delete: () => Promise.reject(new Error('no power')) };
  await expect(cleaned(rig, cut)).rejects.toThrow('no power');
  expect(isThere(rig, runLeasePath(OTHER))).toBe(true);
  expect(await cleaned(rig)).toMatchObject({ runs: [OTHER], removed: 1 });
});

// I-37 in FORMAT.md
it('a run that died leaves the files that it has replaced for those who read them', async () => {
  const rig = await archiveWithRun();
  const { archive, storage, holds } = rig;
  const { path } = partFor({ run: runOf('A'), n: 1, rows: 2 });
  const merged = await putPart(storage, { run: OTHER, n: 1, rows: 2 });
  await archive.log.append(draft({ run: OTHER, base: 1, files: [merged], removed: [path] }));
  expect(await cleaned(rig)).toMatchObject({ runs: [], commits: [], removed: 0 });
  expect(isThere(rig, path)).toBe(true);
  await holds(OTHER, DEAD);
  expect(await cleaned(rig)).toMatchObject({ runs: [OTHER], removed: 0 });
  expect([isThere(rig, path), isThere(rig, merged.path)]).toEqual([true, true]);
});

// I-23 in FORMAT.md
it('a run that died leaves artifacts from before an erasure to the next run', async () => {
  const rig = await archiveWithRun();
  const { archive, storage, holds } = rig;
  const { path, content } = artifactFor('of somebody who was erased');
  await storage.put(path, content);
  const erasure: ErasureEntry = { stage: 'finished', id: OTHER, begun: 1 };
  await archive.log.append(
    draft({ base: 1, erasure: () => Promise.resolve(erasure), kind: 'erase' }),
  );
  expect(await cleaned(rig)).toMatchObject({ runs: [], removed: 0 });
  await holds(OTHER, DEAD);
  expect(await cleaned(rig)).toMatchObject({ runs: [OTHER], removed: 1 });
  expect(isThere(rig, path)).toBe(false);
});

it('a run that may live of this machine is left alone, with its files', async () => {
  const rig = await archiveWithRun();
  await rig.holds(OTHER, ALIVE, 0);
  const path = await unnamed(rig.storage, OTHER);
  rig.storage.place.modifiedAtMs.set(runLeasePath(OWN), 30 * DAY_MS);
  const result = await cleaned(rig);
  expect(result).toEqual({ runs: [], commits: [], removed: 0, warnings: [] });
  expect([isThere(rig, path), isThere(rig, runLeasePath(OTHER))]).toEqual([true, true]);
  expect(await rig.log.head()).toMatchObject({ number: 1 });
});

// I-33 in FORMAT.md
it.each([
  ['is left alone for a day', DAY_MS, []],
  ['is dead after more than a day', DAY_MS + 1, [OTHER]],
])('a run that may live of another machine %s', async (_, sinceMs, runs) => {
  const rig = await archiveWithRun();
  await rig.holds(OWN, ALIVE, 5 * DAY_MS);
  await rig.holds(OTHER, ELSEWHERE, 5 * DAY_MS - sinceMs);
  expect((await cleaned(rig)).runs).toEqual(runs);
});

it('a run that may live has taken its lease since the leases were listed', async () => {
  const rig = await archiveWithRun();
  const { storage, holds } = rig;
  const path = await unnamed(storage, OTHER);
  const result = await cleaned(rig, {
    ...storage,
    async *list(prefix) {
      yield* storage.list(prefix);
      if (prefix === '_leases/') await holds(OTHER, ELSEWHERE, 0);
    },
  });
  expect(result.runs).toEqual([]);
  expect(isThere(rig, path)).toBe(true);
});

it('a run that may live is the one that cleans up, even without its lease', async () => {
  const rig = await archiveWithRun();
  const path = await unnamed(rig.storage, OWN);
  await rig.storage.delete(runLeasePath(OWN));
  await rig.holds(OTHER, ELSEWHERE, 0);
  expect((await cleaned(rig)).runs).toEqual([]);
  expect(isThere(rig, path)).toBe(true);
});

it('a run that may live has ended well where its files are committed before its lease goes', async () => {
  const rig = await archiveWithRun();
  const { storage, archive, holds } = rig;
  await holds(OTHER, ALIVE);
  const part = await putPart(storage, { run: OTHER, n: 1, rows: 1 });
  const result = await cleaned(rig, {
    ...storage,
    get: async (path) => {
      if (path === runLeasePath(OTHER)) {
        await archive.log.append(draft({ run: OTHER, base: 1, files: [part] }));
        await storage.delete(path);
      }
      return storage.get(path);
    },
  });
  expect(result).toMatchObject({ runs: [], commits: [] });
  expect(isThere(rig, part.path)).toBe(true);
});

it('a run that may live is not meant by leases of users and of rewrites', async () => {
  const rig = await archiveWithRun();
  const note = rig.storage.place.objects.get(runLeasePath(OWN)) ?? new Uint8Array();
  const paths = [`_leases/${'ab'.repeat(32)}.json`, '_leases/rewrite.json', '_leases/.DS_Store'];
  for (const path of paths) await rig.storage.put(path, note);
  expect((await cleaned(rig)).runs).toEqual([]);
  expect(paths.every((path) => isThere(rig, path))).toBe(true);
});

describe('dead runs', () => {
  async function begun() {
    const { archive, storage } = await archiveOfThree();
    const erasure = new BegunErasure(archive);
    const { number } = await erasure.begin();
    const holds = holdsIn(storage);
    await holds(OWN, ALIVE);
    const left = async () => {
      const { index, log } = reopened(archive);
      await index.refresh();
      return { open: [...index.openErasures.keys()], newest: await log.read(index.through) };
    };
    return { archive, holds, left, receipt: number, run: erasure.run };
  }

  it('an erasure of a run that died is finished by this one, whose commits are counted on', async () => {
    const { archive, holds, left, receipt, run } = await begun();
    await holds(run, DEAD);
    const commits = [receipt + 1, receipt + 2];
    expect(await cleaned({ archive })).toMatchObject({ runs: [run], commits });
    const erasure = { stage: 'finished', id: run, begun: receipt };
    expect(await left()).toMatchObject({ open: [], newest: { run: OWN, checkpoint: 2, erasure } });
  });

  it('an erasure is finished where no run is abandoned, too', async () => {
    const { archive, left, receipt } = await begun();
    expect(await cleaned({ archive })).toMatchObject({ runs: [], commits: [receipt + 1] });
    expect(await left()).toMatchObject({ open: [], newest: { checkpoint: 1 } });
  });

  it('an erasure of a run that may be at work is left to that', async () => {
    const { archive, holds, left, run } = await begun();
    await holds(run, ELSEWHERE);
    expect(await cleaned({ archive })).toMatchObject({ runs: [], commits: [] });
    expect(await left()).toMatchObject({ open: [run] });
  });
});

it('cleaning up removes jobs manifests for numbers that other commits have taken', async () => {
  const rig = await archiveWithRun();
  const manifest = (number: number) =>
    `_commits/${String(number).padStart(12, '0')}.${'ab'.repeat(32)}.jobs.jsonl.gz`;
  for (const number of [1, 2]) await rig.storage.put(manifest(number), Buffer.from('list'));
  expect(await cleaned(rig)).toMatchObject({ runs: [], commits: [], removed: 1 });
  expect([isThere(rig, manifest(1)), isThere(rig, manifest(2))]).toEqual([false, true]);
});

// I-58 in FORMAT.md
describe('dead runs', () => {
  async function watched(rig: Rig) {
    await rig.archive.index.refresh();
    await snapshotOf(rig.archive);
    const read = new Set<string>();
    const storage = {
      ...rig.storage,
      get: (path: string) => {
        read.add(path);
        return rig.storage.get(path);
      },
    };
    const archive = reopened(rig.archive, storage);
    const commits = () => [...read].filter((path) => path.startsWith('_commits/')).sort();
    return { archive, storage, commits };
  }

  it('a run that begins with a snapshot reads no earlier commit with nothing to clean up', async () => {
    const rig = await archiveWithRun();
    const { archive, storage, commits } = await watched(rig);
    const result = await cleaned({ archive }, storage, fromSnapshot(archive));
    expect(result).toEqual({ runs: [], commits: [], removed: 0, warnings: [] });
    // that which names the snapshot, and the place of the next one
    expect(commits()).toEqual(['_commits/000000000002.json', '_commits/000000000003.json']);
  });

  it('a run that begins with a snapshot reads every commit before it abandons one', async () => {
    const rig = await archiveWithRun();
    const { archive, storage, commits } = await watched(rig);
    await rig.holds(OTHER, DEAD);
    const path = await unnamed(rig.storage, OTHER);
    const result = await cleaned({ archive }, storage, fromSnapshot(archive));
    expect(result).toMatchObject({ runs: [OTHER], commits: [3], removed: 1 });
    expect(commits()).toContain('_commits/000000000001.json');
    expect(isThere(rig, path)).toBe(false);
  });

  it('a run that begins with a snapshot removes nothing that a commit names', async () => {
    const rig = await archiveWithRun();
    const ours = [...rig.storage.place.objects.keys()];
    // as if the log had no commit
    const other = await makeArchive(createMemoryStorage());
    const survey = { ...reopened(rig.archive), index: other.index };
    expect(await cleaned(rig, rig.storage, survey)).toMatchObject({
      runs: [],
      commits: [],
    });
    expect([...rig.storage.place.objects.keys()]).toEqual(ours);
  });

  it.each([
    ['an erasure that was prepared', '_erasures/EEEEEEEEEEEEEEEEEEEEEEEEEE/plan.json'],
    [
      'a manifest that no commit can name',
      `_commits/000000000001.${'e'.repeat(64)}.users.jsonl.gz`,
    ],
  ])('a run that begins with a snapshot sees %s', async (_, path) => {
    const rig = await archiveWithRun();
    const { archive, storage, commits } = await watched(rig);
    const plan = { format: 1, commits: [], replaced: [], doomed: [], leases: [], unnamed: [] };
    await rig.storage.put(path, Buffer.from(JSON.stringify(plan)));
    await cleaned({ archive }, storage, fromSnapshot(archive));
    expect(commits()).toContain('_commits/000000000001.json');
  });
});
