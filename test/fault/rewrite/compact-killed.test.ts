/** A compaction that dies at any step: nothing is lost or doubled, and the next one finishes the work. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { dyingAfter, everybodyElseIsDead } from '../../support/store/dying-storage.js';
import {
  copyOf,
  createMemoryStorage,
  type MemoryStorage,
} from '../../support/store/memory-storage.js';
import {
  faultsOf,
  namedRows,
  piecedExport,
  pieceOf,
  problemsOf,
} from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ users: 1, sessions: 1, jobs: 3, artifactsPerJob: 0 });
});
afterEach(() => emulator.close());

async function archived(): Promise<MemoryStorage> {
  const storage = createMemoryStorage();
  await piecedExport({ emulator, storage, users: emulator.state.userIds(), checkpointBytes: 1 });
  return storage;
}

async function idsIn(storage: MemoryStorage, glob: boolean): Promise<string[]> {
  const archive = await pieceOf(storage, emulator);
  if (glob) expect(await faultsOf(archive)).toEqual([]);
  const rows = await namedRows(archive, 'blocks');
  return rows.map((row) => `${String(row['job_id'])} ${String(row['block_index'])}`);
}

// I-36 in FORMAT.md
it(
  'at any step leaves every row named once, and the next one finishes',
  fault('F-28'),
  async () => {
    const whole = await archived();
    const rows = await idsIn(whole, true);
    let failed = 0;
    for (let steps = 0; ; steps++) {
      const storage = copyOf(whole);
      const dying = dyingAfter(storage, steps);
      const first = await compacted(await pieceOf(dying, emulator)).catch(
        (error: unknown) => error,
      );
      if (first instanceof Error) {
        expect(first).toBeInstanceOf(StorageError);
        failed++;
      }
      expect(await idsIn(storage, false), `after step ${steps}`).toEqual(rows);
      expect(await problemsOf(await pieceOf(storage, emulator))).toEqual([]);

      const processes = everybodyElseIsDead;
      await compacted(await pieceOf(storage, emulator), { processes });
      expect(await idsIn(storage, true), `after step ${steps}`).toEqual(rows);
      const left = [...storage.place.objects.keys()].filter((path) => path.startsWith('_leases/'));
      expect(left).toEqual([]);
      if (!dying.isDead()) break;
    }
    expect(failed).toBeGreaterThan(10);
  },
);

it('commits a part of the work at a time, so that a part is all that has to wait anywhere', async () => {
  const storage = await archived();
  const rows = await idsIn(storage, true);
  const archive = await pieceOf(storage, emulator);
  const { commits, merged, written } = await compacted(archive, { maxPendingBytes: 1 });
  expect(written.files).toBeGreaterThan(3);
  expect(commits).toHaveLength(written.files);
  expect(await idsIn(storage, true)).toEqual(rows);
  const again = await compacted(await pieceOf(storage, emulator));
  expect([merged.files > written.files, again.merged.files]).toEqual([true, 0]);
});

it('stops in the middle when it is told to, and leaves nothing behind', async () => {
  const storage = await archived();
  const before = [...storage.place.objects.keys()];
  const stop = new AbortController();
  const archive = await pieceOf(storage, emulator);
  const reading = archive.storage.read.bind(archive.storage);
  let reads = 0;
  const { storage: watched } = {
    storage: new Proxy(archive.storage, {
      get: (target, key) => {
        if (key === 'read' && ++reads === 5) stop.abort(new Error('enough'));
        return key === 'read' ? reading : (Reflect.get(target, key) as unknown);
      },
    }),
  };
  const stopped = compacted({ ...archive, storage: watched }, { signal: stop.signal });
  await expect(stopped).rejects.toThrow('enough');
  expect([...storage.place.objects.keys()]).toEqual(before);
  expect(storage.place.staged.size).toBe(0);
});
