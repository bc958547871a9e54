/** A copy that was killed, and went on, and is done: a power loss takes nothing of it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { copyObjects } from '../../../src/rewrite/copy.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { ForgetfulDisk } from '../../support/store/forgetful-disk.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { oldJob, piecedExport, pieceOf } from '../../support/programs/pieced-export.js';

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ users: 0 });
  emulator.state.putFile('ann.csv', 'only,ann\n1,2\n');
  const job = oldJob(emulator.state.newJobId(Date.now() - 48 * 3_600_000), ['ann.csv']);
  emulator.state.addSession('ann', { id: 'ann-session' }, [job]);
});
afterEach(() => emulator.close());

it('wherever it was killed', async () => {
  const storage = createMemoryStorage();
  await piecedExport({ emulator, storage, users: ['ann'] });
  const archive = await pieceOf(storage, emulator);
  const { signal } = new AbortController();
  let killed = 0;
  for (let steps = 0, isOver = false; !isOver; steps++) {
    const disk = new ForgetfulDisk();
    const copy = () => {
      const target = createLocalStorage({ directory: '/mnt/copy', fileSystem: disk.fileSystem });
      return copyObjects({ archive, target, concurrency: 4, signal });
    };
    disk.stepsLeft = steps;
    isOver = await copy().then(
      () => true,
      () => false,
    );
    if (!isOver) killed++;
    disk.stepsLeft = Infinity;
    await copy();
    const lost = [...disk.files('/mnt/copy')]
      .map(([path]) => path)
      .filter((path) => !path.startsWith('_staging') && !disk.isDurable(`/mnt/copy/${path}`));
    expect(lost, `killed at step ${steps}`).toEqual([]);
  }
  expect(killed).toBeGreaterThan(50);
});
