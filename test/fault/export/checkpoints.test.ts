/** Many small commits, and what is left when one of them fails. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/runtime.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { asUserId } from '../../../src/model/ids.js';
import type { Row } from '../../../src/model/table-schema.js';
import { TABLE_NAMES, tableNamed } from '../../../src/model/tables.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import type { StagedObject, Storage } from '../../../src/storage/storage.js';
import { doubledKeys } from '../../support/rigs/export-rig.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import {
  faultsOf,
  namedRows,
  oldJob,
  piecedExport,
  pieceOf,
  problemsOf,
  rowsIn,
  unnamedParts,
} from '../../support/programs/pieced-export.js';
import { fault } from '../../support/base/fault.js';

/** What differs between a broken-off run with the next one, and a run that nothing disturbed. */
const UNLIKE = new Set(['run_id', 'exported_at', 'job_index', 'expires_at', 'session_version']);

/** A storage that refuses the nth publish or put for lack of space, and every one after it. */
function fullAfter(storage: Storage, steps: number): Storage & { readonly refused: string[] } {
  let taken = 0;
  const refused: string[] = [];
  const step = (path: string): void => {
    if (++taken <= steps) return;
    refused.push(path);
    throw new StorageError('no space left on the device');
  };
  return {
    refused,
    ...storage,
    location: storage.location,
    read: (path, range) => storage.read(path, range),
    get: (path) => storage.get(path),
    stat: (path) => storage.stat(path),
    list: (prefix, given) => storage.list(prefix, given),
    delete: (path) => storage.delete(path),
    sweep: () => storage.sweep(),
    close: () => storage.close(),
    async put(path, bytes) {
      step(path);
      await storage.put(path, bytes);
    },
    async putIfAbsent(path, bytes) {
      step(path);
      return storage.putIfAbsent(path, bytes);
    },
    async stage(options) {
      const staged: StagedObject = await storage.stage(options);
      return {
        write: (chunk) => staged.write(chunk),
        close: () => staged.close(),
        read: (range) => staged.read(range),
        discard: () => staged.discard(),
        async publish(path) {
          step(path);
          await staged.publish(path);
        },
      };
    },
  };
}

/** Signatures and expiry inside texts: new with every page. */
const FLEETING = /X-Amz-[^"\\)\s]+|"expires_at":"[^"]*"/g;

/** A table's rows without what may differ, as one digest. */
function digestOf(name: string, rows: readonly Row[]): string {
  const columns = tableNamed(name)?.columns.filter((column) => !UNLIKE.has(column.name)) ?? [];
  const texts = rows.map((row) =>
    JSON.stringify(columns.map((column) => String(row[column.name]).replace(FLEETING, ''))),
  );
  return `${rows.length} rows, ${sha256Hex(texts.toSorted().join())}`;
}

describe('checkpoints', () => {
  let emulator: Emulator;

  beforeEach(async () => {
    emulator = await startEmulator({
      users: 2,
      sessions: 2,
      jobs: 4,
      exactJobs: true,
      blocksPerJob: 6,
      artifactsPerJob: 2,
    });
  });
  afterEach(() => emulator.close());

  const run = (storage: Storage, options: Partial<Parameters<typeof piecedExport>[0]> = {}) => {
    const users = emulator.state.userIds();
    return piecedExport({ emulator, storage, users, checkpointBytes: 4000, ...options });
  };

  async function rowsOf(storage: Storage): Promise<Map<string, string>> {
    const archive = await pieceOf(storage, emulator);
    const found = new Map<string, string>();
    for (const name of TABLE_NAMES) {
      const rows = await namedRows(archive, name);
      expect(doubledKeys(name, rows)).toEqual([]);
      if (name !== 'sessions') found.set(name, digestOf(name, rows));
    }
    return found;
  }

  // I-24 in FORMAT.md
  it('hold together the same rows, however many there are', async () => {
    const whole = createMemoryStorage();
    expect((await run(whole, { checkpointBytes: 1e9 })).summary.commits).toEqual([1]);
    const parted = createMemoryStorage();
    const { summary } = await run(parted, { checkpointBytes: 1 });
    expect(summary.commits.length).toBeGreaterThan(summary.jobs.archived);
    expect(summary.status).toBe('complete');
    expect(await rowsOf(parted)).toEqual(await rowsOf(whole));
    expect(await faultsOf(await pieceOf(parted, emulator))).toEqual([]);
  });

  it(
    'keep what was committed when the disk is full, and the next run adds exactly the rest',
    fault('F-27'),
    async () => {
      const undisturbed = createMemoryStorage();
      await run(undisturbed);
      const wanted = await rowsOf(undisturbed);
      for (let steps = 1; steps < 150; steps += 19) {
        const storage = createMemoryStorage();
        await pieceOf(storage, emulator);
        const full = fullAfter(storage, steps);
        const { summary, error } = await run(full);
        expect(error).toBeInstanceOf(StorageError);
        expect(summary.status).toBe('failed');
        expect(storage.place.staged.size).toBe(0);

        const archive = await pieceOf(storage, emulator);
        const head = (await archive.log.head())?.number ?? 0;
        expect(summary.commits.length).toBe(head);
        expect(await namedRows(archive, 'jobs')).toHaveLength(summary.rows['jobs'] ?? 0);
        // once the commit itself is under way, nobody can tell whether it stands: then they stay
        if (/^(tables|artifacts|_laps)/.test(full.refused[0] ?? '')) {
          for (const name of TABLE_NAMES) expect(await unnamedParts(archive, name)).toEqual([]);
        }

        const next = await run(storage);
        expect(next.summary.status).toBe('complete');
        expect(next.summary.jobs.archived).toBe(
          emulator.state.totals().jobs - summary.jobs.archived,
        );
        expect(await rowsOf(storage)).toEqual(wanted);
      }
    },
  );

  it('are never made from what is left of one that broke for a reason nobody foresaw', async () => {
    const users = ['eve'];
    for (let session = 0; session < 3; session++) {
      const id = emulator.state.addSession('eve');
      for (let job = 0; job < 5; job++) {
        emulator.state.addJob('eve', id, oldJob(emulator.state.newJobId(Date.now() - 1e8 - job)));
      }
    }
    emulator.faults.clampPageSize = 2;
    for (let nth = 1; nth <= 20; nth++) {
      const storage = createMemoryStorage();
      await pieceOf(storage, emulator);
      let taken = 0;
      const flawed: Storage = {
        ...storage,
        async stage(options) {
          const staged = await storage.stage(options);
          const close = () => {
            if (++taken === nth) throw new TypeError('a mistake of ours');
            return staged.close();
          };
          return { ...staged, close };
        },
      };
      const { summary, error } = await run(flawed, { users, checkpointBytes: 2500 });
      expect(error).toBeInstanceOf(TypeError);
      expect(summary.status).toBe('failed');
      const archive = await pieceOf(storage, emulator);
      expect(await problemsOf(archive)).toEqual([]);
      const { sessions } = await archive.states.load(asUserId('eve'));
      for (const { complete, archived, jobs } of sessions.values()) {
        expect(jobs.size).toBe(archived);
        if (complete) expect(archived).toBe(5);
      }
      expect((await run(storage, { users })).summary.status).toBe('complete');
      const jobs = await namedRows(await pieceOf(storage, emulator), 'jobs');
      expect(jobs).toHaveLength(15);
    }
  });

  it('leave no temporary file on a real disk when one fails', fault('F-27'), async () => {
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-checkpoints-'));
    try {
      const storage = createLocalStorage({ directory });
      await pieceOf(storage, emulator);
      const { error } = await run(fullAfter(storage, 40));
      expect(error).toBeInstanceOf(StorageError);
      expect(await readdir(join(directory, '_staging')).catch(() => [])).toEqual([]);
      await storage.close();
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('are made in intervals, too, when little comes', async () => {
    const storage = createMemoryStorage();
    const user = 'eve';
    const session = emulator.state.addSession(user);
    for (let i = 0; i < 25; i++) {
      emulator.state.addJob(user, session, oldJob(emulator.state.newJobId(Date.now() - 1e8 - i)));
    }
    const intervals = intervalsOf(77_000);
    emulator.faults.clampPageSize = 10;
    emulator.faults.beforeRequest = async ({ operation, nth }) => {
      if (operation !== 'getHistory' || nth !== 3) return;
      intervals.end(); // whenever the third page is asked for
      const head = async () => (await (await pieceOf(storage, emulator)).log.head())?.number;
      await expect.poll(head, { interval: 5, timeout: 5000 }).toBe(1);
    };
    const { summary, error } = await piecedExport({
      emulator,
      storage,
      users: [user],
      clock: intervals.clock,
      checkpointIntervalMs: 77_000,
    });
    expect(error).toBeUndefined();
    expect(summary.commits).toEqual([1, 2]);
    expect(intervals.begun).toBe(2);
    expect(await rowsIn(await pieceOf(storage, emulator), 'jobs')).toHaveLength(25);
  });

  it('are not made at intervals while nothing has changed: what was listed is committed once', async () => {
    const storage = createMemoryStorage();
    const users = ['ann', 'bob'];
    for (const user of users) emulator.state.addSession(user);
    const intervals = intervalsOf(77_000);
    const both = { emulator, storage, users, concurrency: 1, checkpointIntervalMs: 77_000 };
    await piecedExport(both);
    emulator.faults.beforeRequest = async ({ operation, userId }) => {
      if (operation !== 'listSessions' || userId !== 'bob') return;
      const { begun } = intervals;
      intervals.end();
      await expect.poll(() => intervals.begun, { interval: 5, timeout: 5000 }).toBe(begun + 1);
    };
    const { summary, error } = await piecedExport({ ...both, clock: intervals.clock });
    expect(error).toBeUndefined();
    expect(summary.users.complete).toBe(2);
    expect(summary.commits).toHaveLength(1);
    expect(intervals.begun).toBe(2);
  });
});

/** A clock whose waits of this length end when the test says so. */
function intervalsOf(lengthMs: number) {
  const intervals = { begun: 0, end: (): void => undefined };
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) =>
      ms === lengthMs
        ? new Promise<void>((resolve, reject) => {
            intervals.begun++;
            intervals.end = resolve;
            // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as a clock does
            signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          })
        : systemClock.sleep(ms, signal),
  };
  return Object.assign(intervals, { clock });
}
