import { expect, it } from 'vitest';
import { partPath } from '../../../src/archive/paths.js';
import { inspectArchive } from '../../../src/archive/verify/verify.js';
import type { Archive } from '../../../src/archive/archive.js';
import { sweepOrphans, type Swept } from '../../../src/repair/sweep-orphans.js';
import type { Clock } from '../../../src/base/runtime.js';
import { ulid } from '../../../src/base/ulid.js';
import { asRunId } from '../../../src/model/ids.js';
import type { Storage } from '../../../src/storage/storage.js';
import {
  draft,
  job,
  makeArchive,
  putArtifact,
  putNaming,
  putPart,
  reopened,
  runOf,
  seededRandom,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { fault } from '../../support/base/fault.js';

const DAY_MS = 86_400_000;
/** Commits of the samples are made then. */
const THEN_MS = Date.UTC(2026, 10, 5, 12);

/** An archive in a storage whose clock stands still. */
async function setUp() {
  const storage = createMemoryStorage();
  storage.place.now = () => THEN_MS;
  return { storage, archive: await makeArchive(storage) };
}

function clockAfter(days: number): Clock {
  const now = (): number => THEN_MS + days * DAY_MS;
  return { now, monotonic: () => 0, sleep: () => Promise.resolve() };
}

async function sweepAfter(days: number, archive: Archive): Promise<Swept> {
  const { log, orphans } = await inspectArchive(archive);
  const options = {
    archive: { ...archive, clock: clockAfter(days), random: seededRandom(9) },
    minAgeMs: 7 * DAY_MS,
  };
  return sweepOrphans(options, orphans, log);
}

it("the sweep counts from the later of writing and the run's start, and takes nothing replaced", async () => {
  const { storage, archive } = await setUp();
  const written = await putPart(storage, { run: runOf('0'), n: 1, rows: 1 });
  const removed = await putPart(storage, { run: runOf('0'), n: 2, rows: 1 });
  await archive.log.append(draft({ files: [removed] }));
  await archive.log.append(draft({ base: 1, removed: [removed.path] }));
  const run = asRunId(ulid(clockAfter(1), seededRandom(3)));
  const started = partPath('jobs', '2026-11-05', run, 1, 'lines');
  await storage.put(started, Buffer.from('x\n'));
  for (const path of [written.path, removed.path, started]) {
    storage.place.modifiedAtMs.set(path, THEN_MS - 5 * DAY_MS);
  }
  expect((await sweepAfter(1.9, reopened(archive))).moved).toEqual([]);
  const second = await sweepAfter(2.1, reopened(archive));
  expect([second.moved, second.young.length]).toEqual([[written.path], 1]);
  expect((await sweepAfter(7.1, reopened(archive))).moved).toEqual([]);
  expect((await sweepAfter(8.1, reopened(archive))).moved).toEqual([started]);
  expect(storage.place.staged.size).toBe(0);
});

it(
  'sweeping orphans takes nothing away whose copy the storage says that it has, and has not',
  fault('F-127'),
  async () => {
    const { storage, archive } = await setUp();
    const { path } = await putArtifact(storage, 'a,b\n');
    const stage: Storage['stage'] = async (options) => {
      const staged = await storage.stage(options);
      const publish = async (to: string) => {
        await staged.publish(to);
        await storage.delete(to);
      };
      return { ...staged, publish };
    };
    const swept = sweepAfter(9, reopened(archive, { ...storage, stage }));
    await expect(swept).rejects.toMatchObject({ problem: 'missing' });
    expect(await storage.stat(path)).toBeDefined();
  },
);

it('sweeping orphans leaves alone what is written again while it is copied', async () => {
  const { storage, archive } = await setUp();
  const { path } = await putArtifact(storage, 'a,b\n');
  const busy: Storage = {
    ...storage,
    async *read(from, range) {
      yield* storage.read(from, range);
      if (from !== path) return;
      storage.place.now = () => THEN_MS + 9 * DAY_MS;
      await storage.put(path, Buffer.from('a,b\n'));
    },
  };
  const swept = await sweepAfter(9, reopened(archive, busy));
  expect([swept.quarantine, swept.moved]).toEqual([null, []]);
  expect([...storage.place.objects.keys()].filter((at) => at.startsWith('_quar'))).toEqual([]);
  expect(storage.place.objects.has(path)).toBe(true);
});

it('sweeping orphans puts back what a commit has named meanwhile', async () => {
  const { storage, archive } = await setUp();
  const entry = await putArtifact(storage, 'a,b\n');
  let hasCommitted = false;
  const racing: Storage = {
    ...storage,
    async delete(path) {
      await storage.delete(path);
      if (path !== entry.path || hasCommitted) return;
      hasCommitted = true;
      const files = [await putNaming(storage, [entry])];
      await archive.log.append(draft({ files }));
    },
  };
  const swept = await sweepAfter(9, reopened(archive, racing));
  expect(hasCommitted).toBe(true);
  expect([swept.quarantine, swept.moved]).toEqual([null, []]);
  const { report } = await inspectArchive(reopened(archive));
  expect(report.problems).toEqual([]);
});

it('sweeping orphans puts back a jobs manifest that a commit has named meanwhile', async () => {
  const changes = { sessions: [session('ann', 's1')], jobs: [job('ann', 's1', 'j1')] };
  const elsewhere = await setUp();
  const made = await elsewhere.archive.log.append(draft(changes));
  const path = made.jobs?.path ?? '';
  const { storage, archive } = await setUp();
  await storage.put(path, await elsewhere.storage.get(path));
  let hasCommitted = false;
  const racing: Storage = {
    ...storage,
    async delete(at) {
      if (at === path && !hasCommitted) {
        hasCommitted = true;
        await archive.log.append(draft(changes));
      }
      await storage.delete(at);
    },
  };
  const swept = await sweepAfter(9, reopened(archive, racing));
  expect(hasCommitted).toBe(true);
  expect([swept.quarantine, swept.moved]).toEqual([null, []]);
  const { report } = await inspectArchive(reopened(archive));
  expect(report.problems).toEqual([]);
});

it('sweeping orphans goes on if another process has moved the orphans first', async () => {
  const { storage, archive } = await setUp();
  const entry = await putArtifact(storage, 'a,b\n');
  const { log, orphans } = await inspectArchive(archive);
  await storage.delete(entry.path);
  const options = { archive: { ...archive, clock: clockAfter(9) }, minAgeMs: 1 };
  expect((await sweepOrphans(options, orphans, log)).moved).toEqual([]);
  expect(storage.place.staged.size).toBe(0);
});
