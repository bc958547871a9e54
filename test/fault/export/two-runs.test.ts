/** Several runs on one archive: the log decides, and nothing is lost or doubled. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import type { Storage } from '../../../src/storage/storage.js';
import { doubledKeys } from '../../support/rigs/export-rig.js';
import { createMemoryStorage, MemoryPlace } from '../../support/store/memory-storage.js';
import {
  faultsOf,
  oldJob,
  piecedExport,
  pieceOf,
  rowsIn,
} from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

describe('two runs on one archive', () => {
  let emulator: Emulator;
  let place: MemoryPlace;

  beforeEach(async () => {
    emulator = await startEmulator({ users: 0 });
    place = new MemoryPlace();
    emulator.state.putFile('shared.csv', 'a,b\n1,2\n');
    for (const user of ['ann', 'bob']) {
      for (let session = 0; session < 4; session++) {
        const id = emulator.state.addSession(user);
        for (let job = 0; job < 5; job++) {
          const jobId = emulator.state.newJobId(Date.now() - 86_400_000);
          emulator.state.addJob(user, id, oldJob(jobId, ['shared.csv']));
        }
      }
    }
  });
  afterEach(() => emulator.close());

  const run = (users: string[], storage: Storage = createMemoryStorage(place)) =>
    piecedExport({ emulator, storage, users, concurrency: 2, checkpointBytes: 2000 });

  async function expectExactly(jobs: number): Promise<void> {
    const archive = await pieceOf(createMemoryStorage(place), emulator);
    expect(await rowsIn(archive, 'jobs')).toHaveLength(jobs);
    for (const name of TABLE_NAMES) {
      expect(doubledKeys(name, await rowsIn(archive, name))).toEqual([]);
    }
    expect(await faultsOf(archive)).toEqual([]);
    expect(place.staged.size).toBe(0);
  }

  it.each([1, 2, 3])('share the work on the same users (race %i)', fault('F-32'), async () => {
    const results = await Promise.all([run(['ann', 'bob']), run(['bob', 'ann'])]);
    for (const { summary, error } of results) {
      expect(error).toBeUndefined();
      expect(summary.status).toBe('complete');
      expect(summary.users).toMatchObject({ total: 2, complete: 2, failed: 0 });
    }
    await expectExactly(40);
    const archived = results.map(({ summary }) => summary.jobs.archived);
    expect((archived[0] ?? 0) + (archived[1] ?? 0)).toBe(40);
  });

  it('do not hinder each other on different users', async () => {
    const results = await Promise.all([run(['ann']), run(['bob'])]);
    expect(results.map(({ summary }) => summary.jobs.archived)).toEqual([20, 20]);
    await expectExactly(40);
  });

  it(
    'plan again when the other commits the same sessions first, and take their files back',
    fault('F-32'),
    async () => {
      const storage = createMemoryStorage(place);
      let overtaken = 0;
      const slow: Storage = {
        ...storage,
        async putIfAbsent(path, bytes) {
          if (path.startsWith('_commits/') && overtaken++ === 0) {
            expect((await run(['ann'])).error).toBeUndefined();
          }
          return storage.putIfAbsent(path, bytes);
        },
      };
      const options = { emulator, storage: slow, users: ['ann', 'bob'], concurrency: 2 };
      const { summary, error } = await piecedExport(options);
      expect(error).toBeUndefined();
      expect(overtaken).toBeGreaterThan(0);
      expect(summary).toMatchObject({ status: 'complete', jobs: { archived: 20 } });
      expect(summary.users.complete).toBe(2);
      await expectExactly(40);
    },
  );

  it('end with a conflict that is named when the other one is always quicker', async () => {
    const storage = createMemoryStorage(place);
    const [session = ''] = emulator.state.sessionIds('ann');
    const unlucky: Storage = {
      ...storage,
      async putIfAbsent(path, bytes) {
        if (path.startsWith('_commits/')) {
          await run(['ann']);
          // and by the time we have planned again, there is something for both to do
          const id = emulator.state.newJobId(Date.now() - 86_400_000);
          emulator.state.addJob('ann', session, oldJob(id));
        }
        return storage.putIfAbsent(path, bytes);
      },
    };
    const { summary, error } = await piecedExport({ emulator, storage: unlucky, users: ['ann'] });
    expect(summary.status).toBe('failed');
    expect(error).toMatchObject({ code: 'ARCHIVE_COMMIT_CONFLICT', failure: 'locked' });
    // neither bob's nor the last one that came
    await expectExactly(emulator.state.totals().jobs - 21);
  });
});
