/** Runs that meet on the same users: leases save work, and cost neither rows nor runs. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userLeasePath } from '../../../src/archive/paths.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { asUserId } from '../../../src/model/ids.js';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import type { Storage } from '../../../src/storage/storage.js';
import { CliRig } from '../../support/rigs/cli-rig.js';
import { doubledKeys } from '../../support/rigs/export-rig.js';
import { createMemoryStorage, MemoryPlace } from '../../support/store/memory-storage.js';
import {
  faultsOf,
  oldJob,
  piecedExport,
  pieceOf,
  rowsIn,
} from '../../support/programs/pieced-export.js';
import { SHORT_TERMS } from '../../support/base/short-terms.js';
import { fault } from '../../support/base/fault.js';

describe('leases on users', () => {
  let emulator: Emulator;
  let place: MemoryPlace;

  beforeEach(async () => {
    emulator = await startEmulator({ users: 0 });
    place = new MemoryPlace();
    for (const user of ['ann', 'bob', 'cem']) {
      for (let session = 0; session < 3; session++) {
        const id = emulator.state.addSession(user);
        for (let job = 0; job < 4; job++) {
          emulator.state.addJob(user, id, oldJob(emulator.state.newJobId(Date.now() - 86_400_000)));
        }
      }
    }
  });
  afterEach(() => emulator.close());

  const run = (users: string[], more: object = {}, storage: Storage = createMemoryStorage(place)) =>
    piecedExport({ emulator, storage, users, concurrency: 2, respectsLeases: true, ...more });

  const leases = () => [...place.objects.keys()].filter((path) => path.startsWith('_leases/'));

  async function expectWhole(): Promise<void> {
    const archive = await pieceOf(createMemoryStorage(place), emulator);
    expect(await rowsIn(archive, 'jobs')).toHaveLength(36);
    for (const name of TABLE_NAMES) {
      expect(doubledKeys(name, await rowsIn(archive, name))).toEqual([]);
    }
    expect(await faultsOf(archive)).toEqual([]);
  }

  it('let two runs in opposite orders share the users, each asked about once, and block nobody', async () => {
    const quick = { noWait: false, terms: SHORT_TERMS };
    const results = await Promise.all([
      run(['ann', 'bob', 'cem'], quick),
      run(['cem', 'bob', 'ann'], quick),
    ]);
    for (const { summary, error } of results) {
      expect(error).toBeUndefined();
      expect(summary.users).toMatchObject({ total: 3, complete: 3, failed: 0 });
    }
    const archived = results.map(({ summary }) => summary.jobs.archived);
    expect((archived[0] ?? 0) + (archived[1] ?? 0)).toBe(36);
    await expectWhole();
    expect(leases()).toEqual([]);
  });

  it('cost no commit for each user where two runs meet and nothing is new', async () => {
    const quick = { noWait: false, terms: SHORT_TERMS };
    const users = ['ann', 'bob', 'cem'];
    await run(users);
    const results = await Promise.all([run(users, quick), run(users.toReversed(), quick)]);
    for (const { summary, error } of results) {
      expect(error).toBeUndefined();
      expect(summary.users).toMatchObject({ total: 3, complete: 3, failed: 0 });
      expect(summary.commits).toHaveLength(1);
    }
    await expectWhole();
    expect(leases()).toEqual([]);
  });

  it(
    'are held while a user is worked on; a run that may not wait ends as locked, the rest done',
    fault('F-32'),
    async () => {
      const storage = createMemoryStorage(place);
      let other: Awaited<ReturnType<typeof run>> | undefined;
      const watched: Storage = {
        ...storage,
        async putIfAbsent(path, bytes) {
          if (path.startsWith('_commits/') && !other) {
            expect(leases()).toContain(userLeasePath(asUserId('ann')));
            const leaving = { noWait: true };
            other = await run(['ann', 'bob'], leaving);
          }
          return storage.putIfAbsent(path, bytes);
        },
      };
      const { error } = await run(['ann', 'cem'], {}, watched);
      expect(error).toBeUndefined();
      expect(other?.error).toMatchObject({ code: 'ARCHIVE_LEASE_HELD', failure: 'locked' });
      expect(other?.summary).toMatchObject({ status: 'failed', jobs: { archived: 12 } });
      expect(leases()).toEqual([]);
      await expectWhole();
    },
  );
});

it.each([[[]], [['--no-wait']]])(
  'two programs started together archive every row once (%j)',
  fault('F-32'),
  async (words: string[]) => {
    await using rig = await CliRig.start({ users: 3, sessions: 4, jobs: 4, rateLimit: 0 });
    const ends = await Promise.all(
      [0, 1].map(() =>
        rig.runProgram(rig.exportWords('--json', '--checkpoint-size', '20KB', ...words)),
      ),
    );
    for (const { exitCode, stderr } of ends) expect([0, 8], stderr).toContain(exitCode);
    expect(ends.map(({ exitCode }) => exitCode)).toContain(0);
    if (words.length === 0) expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const [counted] = await rig.select(
      'jobs',
      'count(*)::INTEGER AS n, count(DISTINCT job_id)::INTEGER AS ids',
    );
    const { jobs } = rig.state.totals();
    expect(counted).toEqual({ n: jobs, ids: jobs });
    const verified = await rig.run(['verify', rig.out]);
    expect(verified.exitCode, verified.stderr).toBe(0);
    expect(await rig.files('_leases')).toEqual([]);
  },
);
