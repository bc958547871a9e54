/** An erasure that dies at any step, and others that work at the same time: the log stays provable, nobody comes back. */
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstLap, placeOfUser, writeLap } from '../../../src/archive/laps.js';
import { type Clock, systemClock } from '../../../src/base/runtime.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { asUserId } from '../../../src/model/ids.js';
import { copyObjects } from '../../../src/rewrite/copy.js';
import type { EraseSummary } from '../../../src/rewrite/erasure/erase-options.js';
import { RateLimiter } from '../../../src/service/pace/pace.js';
import { RequestBudget } from '../../../src/service/pace/request-budget.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { dyingAfter, everybodyElseIsDead } from '../../support/store/dying-storage.js';
import { erased } from '../../support/rigs/erase-rig.js';
import {
  copyOf,
  createMemoryStorage,
  type MemoryStorage,
} from '../../support/store/memory-storage.js';
import {
  faultsOf,
  namedRows,
  oldJob,
  piecedExport,
  pieceOf,
  problemsOf,
} from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

const OLD_MS = 48 * 3_600_000;

/** The machine's clock, but a lease that somebody else holds is checked again after 10 ms, not 2 s. */
const clock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 2000 ? 10 : ms, signal),
};

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ users: 0 });
  emulator.state.putFile('shared.csv', 'a,b\n1,2\n');
  emulator.state.putFile('ann.csv', 'only,ann\n1,2\n');
  talk('ann', ['shared.csv', 'ann.csv']);
  talk('ben', ['shared.csv']);
});
afterEach(() => emulator.close());

function talk(user: string, files: readonly string[]): void {
  const job = oldJob(emulator.state.newJobId(Date.now() - OLD_MS), files);
  emulator.state.addSession(user, { id: `${user}-session-${Math.random()}` }, [job]);
}

async function archived(): Promise<MemoryStorage> {
  const storage = createMemoryStorage();
  await piecedExport({ emulator, storage, users: ['ann', 'ben'] });
  return storage;
}

function traces({ place }: MemoryStorage, texts = ['ann-session', '"ann"', 'only,ann']): string[] {
  return [...place.objects].flatMap(([path, bytes]) => {
    const text = path.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes);
    return texts.some((needle) => text.includes(needle)) ? [path] : [];
  });
}

async function usersIn(storage: MemoryStorage): Promise<string[]> {
  const rows = await namedRows(await pieceOf(storage, emulator), 'jobs');
  return rows.map((row) => String(row['user_id'])).sort();
}

it('is no time for a copy: another is under way', async () => {
  const whole = await archived();
  let refused = 0;
  for (let steps = 0, isDone = false; !isDone; steps++) {
    const storage = copyOf(whole);
    const erasing = erased(await pieceOf(dyingAfter(storage, steps), emulator));
    isDone = await erasing.then(
      () => true,
      () => false,
    );
    const archive = await pieceOf(storage, emulator);
    const { signal } = new AbortController();
    const copying = copyObjects({ archive, target: createMemoryStorage(), concurrency: 4, signal });
    const error: unknown = await copying.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error === undefined, `after step ${steps}`).toBe(archive.index.openErasures.size === 0);
    if (error === undefined) continue;
    expect(error).toMatchObject({ failure: 'locked' });
    refused++;
  }
  expect(refused).toBeGreaterThan(3);
});

// I-42 in FORMAT.md
it(
  'at any step leaves an archive that verifies, and the next one finishes',
  fault('F-28'),
  async () => {
    const whole = await archived();
    let failed = 0;
    for (let steps = 0; ; steps++) {
      const storage = copyOf(whole);
      const dying = dyingAfter(storage, steps);
      const first = await erased(await pieceOf(dying, emulator)).catch((error: unknown) => error);
      if (first instanceof Error) {
        expect(first).toBeInstanceOf(StorageError);
        failed++;
      }
      expect(await problemsOf(await pieceOf(storage, emulator)), `after step ${steps}`).toEqual([]);
      const left = await usersIn(storage);
      expect([['ann', 'ben'], ['ben']]).toContainEqual(left);

      const again = await erased(await pieceOf(storage, emulator), {
        processes: everybodyElseIsDead,
      }).catch((error: unknown) => error);
      if (again instanceof Error) expect(again.message).toContain('has no user "ann"');
      expect(traces(storage), `after step ${steps}`).toEqual([]);
      expect(await usersIn(storage)).toEqual(['ben']);
      expect(await faultsOf(await pieceOf(storage, emulator)), `after step ${steps}`).toEqual([]);
      const rest = [...storage.place.objects.keys()].filter((path) => /^_(eras|lea)/.test(path));
      expect(rest, `after step ${steps}`).toEqual([]);
      if (!dying.isDead()) break;
    }
    expect(failed).toBeGreaterThan(25);
  },
);

it('is finished by an export, without knowing who was erased', async () => {
  const whole = await archived();
  for (let steps = 20; ; steps++) {
    const storage = copyOf(whole);
    const dying = dyingAfter(storage, steps);
    await erased(await pieceOf(dying, emulator)).catch(() => undefined);
    const isBegun = (await usersIn(storage)).length === 1;
    const processes = everybodyElseIsDead;
    const { summary } = await piecedExport({ emulator, storage, users: ['ben'], processes });
    expect(summary.status).toBe('complete');
    if (isBegun) expect(traces(storage), `after step ${steps}`).toEqual([]);
    expect(await faultsOf(await pieceOf(storage, emulator)), `after step ${steps}`).toEqual([]);
    if (!dying.isDead()) break;
  }
});

// I-45 in FORMAT.md
it('an export that had planned before undoes no erasure; a file that it reuses is stored again', async () => {
  const storage = await archived();
  talk('ben', ['ann.csv']);
  talk('ann', []);
  let summary: EraseSummary | undefined;
  emulator.faults.beforeRequest = async ({ operation }) => {
    if (operation !== 'getHistory' || summary) return;
    summary = await erased(await pieceOf(storage, emulator), { clock });
  };
  const { summary: exported } = await piecedExport({ emulator, storage, users: ['ben'], clock });
  expect(summary?.status).toBe('erased');
  expect(exported).toMatchObject({ status: 'complete' });
  expect(await usersIn(storage)).toEqual(['ben', 'ben']);
  expect(await faultsOf(await pieceOf(storage, emulator))).toEqual([]);
  expect(traces(storage, ['ann-session', '"ann"'])).toEqual([]);
});

it('is not undone by an export whose budget ends before it comes to the erased', async () => {
  const storage = await archived();
  const place = placeOfUser(asUserId('ben'));
  await writeLap(storage, 'all', { ...firstLap(0), place, head: { number: 0, digest: null } });
  let summary: EraseSummary | undefined;
  emulator.faults.beforeRequest = async () => {
    summary ??= await erased(await pieceOf(storage, emulator));
  };
  const limit = new RateLimiter({ clock: systemClock, rate: 1000 });
  const oneRequest = new RequestBudget(limit, { clock: systemClock, maxRequests: 1 });
  const { summary: exported } = await piecedExport({
    emulator,
    storage,
    users: ['ben', 'ann'],
    respectsLeases: true,
    concurrency: 1,
    lap: { name: 'all' },
    budget: { requests: oneRequest, maxStalenessMs: 1e9 },
  });
  expect(summary?.status).toBe('erased');
  expect(exported.budget?.left.users).toBeGreaterThan(0);
  expect(traces(storage)).toEqual([]);
});

it('keeps a file that an export has named since the receipt', async () => {
  const whole = await archived();
  talk('ben', ['ann.csv']);
  for (let steps = 20; ; steps++) {
    const storage = copyOf(whole);
    const dying = dyingAfter(storage, steps);
    await erased(await pieceOf(dying, emulator)).catch(() => undefined);
    // to this run the eraser seems to live
    await piecedExport({ emulator, storage, users: ['ben'] });
    const processes = everybodyElseIsDead;
    await piecedExport({ emulator, storage, users: ['ben'], processes });
    const archive = await pieceOf(storage, emulator);
    expect(await faultsOf(archive), `after step ${steps}`).toEqual([]);
    const rows = await namedRows(archive, 'artifacts');
    for (const { path } of rows)
      expect(await storage.stat(String(path)), `after step ${steps}`).toBeDefined();
    if (!dying.isDead()) break;
  }
});

it('and a compaction at the same time both come to their end, and nobody comes back', async () => {
  for (let round = 0; round < 3; round++) {
    const storage = createMemoryStorage();
    await piecedExport({ emulator, storage, users: ['ann', 'ben'], checkpointBytes: 1 });
    await Promise.all([
      erased(await pieceOf(storage, emulator), { clock }),
      compacted(await pieceOf(storage, emulator), { graceMs: 0, clock }),
      erased(await pieceOf(storage, emulator), { users: ['ben'], clock }),
    ]);
    expect(traces(storage)).toEqual([]);
    expect(await faultsOf(await pieceOf(storage, emulator))).toEqual([]);
  }
});
