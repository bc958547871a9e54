import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { createMemoryStorage, MemoryPlace } from '../../support/store/memory-storage.js';
import { faultsOf, piecedExport, pieceOf } from '../../support/programs/pieced-export.js';

const DEAD = '01K0000000000000000000DEAD';
const PART = `tables/jobs/dt=2026-01-01/${DEAD}-0001.jsonl.gz`;

let emulator: Emulator;
let place: MemoryPlace;
beforeEach(async () => {
  emulator = await startEmulator({ users: 1, sessions: 1, jobs: 2 });
  place = new MemoryPlace();
});
afterEach(() => emulator.close());

const run = () =>
  piecedExport({
    emulator,
    storage: createMemoryStorage(place),
    users: emulator.state.userIds(),
  });

// I-34 in FORMAT.md
it('abandons a run that left parts and holds no lease, then removes its parts', async () => {
  await run();
  place.objects.set(PART, Buffer.from('rows that no commit names'));
  const { summary } = await run();
  expect(summary.commits).toEqual([2, 3]);
  const archive = await pieceOf(createMemoryStorage(place), emulator);
  expect((await archive.log.read(2)).abandoned).toEqual([DEAD]);
  expect(place.objects.has(PART)).toBe(false);
  expect(await faultsOf(archive)).toEqual([]);
});

// I-33 in FORMAT.md
it('leaves the parts of a run elsewhere alone until it has given no sign of life for a day', async () => {
  await run();
  const lease = `_leases/run-${DEAD}.json`;
  const holder = { run: DEAD, host: 'elsewhere', boot: 'b', pid: 1, started: '1' };
  place.objects.set(PART, Buffer.from('rows that may be committed soon'));
  place.objects.set(lease, Buffer.from(JSON.stringify({ ...holder, beat: 0 })));
  place.modifiedAtMs.set(lease, Date.now() - 23 * 3_600_000);
  expect((await run()).summary.commits).toEqual([2]);
  expect(place.objects.has(PART)).toBe(true);
  place.modifiedAtMs.set(lease, Date.now() - 25 * 3_600_000);
  // the last is a snapshot
  expect((await run()).summary.commits).toEqual([3, 4, 5]);
  expect([place.objects.has(PART), place.objects.has(lease)]).toEqual([false, false]);
});
