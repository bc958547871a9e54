/** Readers at every moment of a compaction and of an erasure: what they are told is there, whole and exact. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesOfTable } from '../../../src/archive/archive.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { readSnapshot } from '../../../src/query/snapshot.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { erased } from '../../support/rigs/erase-rig.js';
import {
  copyOf,
  createMemoryStorage,
  type MemoryStorage,
} from '../../support/store/memory-storage.js';
import {
  namedRows,
  oldJob,
  piecedExport,
  pieceOf,
  problemsOf,
} from '../../support/programs/pieced-export.js';
import { watchedReads, watchedWrites } from '../../support/store/watched-storage.js';
import type { Storage } from '../../../src/storage/storage.js';

const TABLES = ['sessions', 'jobs', 'blocks', 'artifacts', 'raw_jobs'];

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ users: 0 });
  emulator.state.putFile('shared.csv', 'a,b\n1,2\n');
  emulator.state.putFile('ann.csv', 'only,ann\n1,2\n');
  for (const [user, files] of [
    ['ann', ['shared.csv', 'ann.csv']],
    ['ben', ['shared.csv']],
  ] as const) {
    const job = oldJob(emulator.state.newJobId(Date.now() - 48 * 3_600_000), files);
    emulator.state.addSession(user, { id: `${user}-session` }, [job]);
  }
});
afterEach(() => emulator.close());

async function archived(): Promise<MemoryStorage> {
  const storage = createMemoryStorage();
  await piecedExport({ emulator, storage, users: ['ann', 'ben'], checkpointBytes: 1 });
  return storage;
}

const compactIn = async (storage: Storage, graceMs: number) =>
  compacted(await pieceOf(storage, emulator), { graceMs });
const eraseIn = async (storage: Storage) => erased(await pieceOf(storage, emulator));

/** Whose rows each table has, in the very files that are named. */
async function opened(storage: MemoryStorage): Promise<Record<string, string[]>> {
  const archive = await pieceOf(storage, emulator);
  const { files } = await readSnapshot(archive);
  const owners: Record<string, string[]> = {};
  for (const table of TABLES) {
    expect(files.get(table)).toEqual(await filesOfTable(archive, table));
    const rows = await namedRows(archive, table);
    owners[table] = rows.map((row) => String(row['user_id'])).sort();
    if (table !== 'artifacts') continue;
    for (const { path } of rows) expect([...storage.place.objects.keys()]).toContain(path);
  }
  expect(await problemsOf(archive)).toEqual([]);
  return owners;
}

it.each([
  ['a compaction', compactIn, 86_400_000],
  ['a compaction for good', compactIn, 0],
  ['an erasure', eraseIn, 0],
])(
  'after every step of %s, what `files` names is there and exact, and verify passes',
  async (_, rewrite, graceMs) => {
    const whole = await archived();
    const before = await opened(whole);
    const storage = copyOf(whole);
    const seen: (typeof before)[] = [];
    const watched = watchedWrites(storage, async () => {
      seen.push(await opened(storage));
    });
    await rewrite(watched, graceMs);
    const after = await opened(storage);
    const changed = seen.findIndex((owners) => owners['jobs']?.length !== before['jobs']?.length);
    expect(seen.length).toBeGreaterThan(12);
    for (const [step, owners] of seen.entries()) {
      const expected = changed === -1 || step < changed ? before : after;
      expect(owners, `after step ${step}`).toEqual(expected);
    }
  },
);

it.each([
  ['compacts', compactIn],
  ['erases', eraseIn],
])('verify passes although somebody %s for good in the middle of it', async (_, rewrite) => {
  const whole = await archived();
  for (let moment = 0, isOver = false; !isOver; moment++) {
    const storage = copyOf(whole);
    let reads = 0;
    const watched = watchedReads(storage, async () => {
      if (reads++ === moment) await rewrite(storage, 0);
    });
    const problems = await problemsOf(await pieceOf(watched, emulator));
    expect(problems, `before read ${moment}`).toEqual([]);
    isOver = reads <= moment;
  }
});

it.each([
  ['compacts', compactIn],
  ['erases', eraseIn],
])(
  'a run takes away nothing that is named where somebody %s in the middle of it',
  async (_, rewrite) => {
    const whole = createMemoryStorage();
    // both in one commit, of whose list of jobs an erasure leaves something
    await piecedExport({ emulator, storage: whole, users: ['ann', 'ben'] });
    for (let moment = 0, isOver = false; !isOver; moment++) {
      const storage = copyOf(whole);
      let reads = 0;
      const watched = watchedReads(storage, async () => {
        if (reads++ === moment) await rewrite(storage, 0);
      });
      await piecedExport({ emulator, storage: watched, users: ['ben'] });
      const problems = await problemsOf(await pieceOf(storage, emulator));
      expect(problems, `before read ${moment}`).toEqual([]);
      isOver = reads <= moment;
    }
  },
);
