/** Somebody rewrites the archive in the middle of a copy: it is a copy of what the archive is then. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { comparableBytes } from '../../support/store/comparable-bytes.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { copyProven } from '../../../src/rewrite/copy-archive.js';
import type { Storage } from '../../../src/storage/storage.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { erased } from '../../support/rigs/erase-rig.js';
import {
  copyOf,
  createMemoryStorage,
  type MemoryStorage,
} from '../../support/store/memory-storage.js';
import { oldJob, piecedExport, pieceOf } from '../../support/programs/pieced-export.js';
import { watchedReads } from '../../support/store/watched-storage.js';

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ users: 0 });
  emulator.state.putFile('ann.csv', 'only,ann\n1,2\n');
  for (const [user, files] of [
    ['ann', ['ann.csv']],
    ['ben', []],
  ] as const) {
    const job = oldJob(emulator.state.newJobId(Date.now() - 48 * 3_600_000), files);
    emulator.state.addSession(user, { id: `${user}-session` }, [job]);
  }
});
afterEach(() => emulator.close());

/** Path and digest of every object. */
const contentOf = ({ place }: MemoryStorage): string[] =>
  [...place.objects]
    .map(([path, bytes]) => `${path} ${sha256Hex(comparableBytes(path, Buffer.from(bytes)))}`)
    .sort();

it.each([
  [
    'compacts',
    async (storage: Storage) => compacted(await pieceOf(storage, emulator), { graceMs: 0 }),
  ],
  ['erases', async (storage: Storage) => erased(await pieceOf(storage, emulator))],
])('whenever somebody %s for good, the copy is whole and as the archive is', async (_, rewrite) => {
  const whole = createMemoryStorage();
  await piecedExport({ emulator, storage: whole, users: ['ann', 'ben'], checkpointBytes: 1 });
  for (let moment = 0, isOver = false; !isOver; moment += 3) {
    const storage = copyOf(whole);
    let reads = 0;
    const watched = watchedReads(storage, async () => {
      if (reads++ === moment) await rewrite(storage);
    });
    const target = createMemoryStorage();
    const archive = await pieceOf(watched, emulator);
    const { signal } = new AbortController();
    const { through } = await copyProven({ archive, target, concurrency: 1, signal });
    // an erasure after the copy's last look is the next copy's
    if (through === archive.index.through) {
      expect(contentOf(target), `before read ${moment}`).toEqual(contentOf(storage));
    }
    isOver = reads <= moment;
  }
});
