/**
 * An export brings the very file that an erasure is about to remove: whichever comes first, what a commit names is there.
 * What it has only published goes with the erasure.
 */
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import type { Storage } from '../../../src/storage/storage.js';
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
} from '../../support/programs/pieced-export.js';
import { watchedWrites } from '../../support/store/watched-storage.js';
import { fault } from '../../support/base/fault.js';
import { artifactsIn } from '../../support/store/artifacts-in.js';

const CONTENT = 'only,ann\n1,2\n';

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ users: 0 });
  emulator.state.putFile('ann.csv', CONTENT);
  emulator.state.addSession('ann', { id: 'ann-session' }, [oldJobWithFile()]);
});
afterEach(() => emulator.close());

function oldJobWithFile(): string {
  return oldJob(emulator.state.newJobId(Date.now() - 48 * 3_600_000), ['ann.csv']);
}

/** Ann is archived; ben has the same file, and is not. */
async function archived(): Promise<MemoryStorage> {
  const storage = createMemoryStorage();
  await piecedExport({ emulator, storage, users: ['ann'] });
  emulator.state.addSession('ben', { id: 'ben-session' }, [oldJobWithFile()]);
  return storage;
}

/** Ben's file is there, whole, and named; nothing lies around, and ann is gone. */
async function expectBensFileAlone(storage: MemoryStorage): Promise<void> {
  const archive = await pieceOf(storage, emulator);
  expect(await faultsOf(archive)).toEqual([]);
  const rows = await namedRows(archive, 'artifacts');
  expect(rows.map((row) => row['user_id'])).toEqual(['ben']);
  const artifacts = await artifactsIn(archive);
  expect([...artifacts.keys()]).toEqual(rows.map(({ path }) => path));
  expect([...artifacts.values()].map(({ sha256 }) => sha256)).toEqual([sha256Hex(CONTENT)]);
}

it('an export publishes a file before the erasure removes it, commits it after, and keeps it', async () => {
  const storage = await archived();
  const [atCommit, committing] = [gate(), gate()];
  const halting = haltingBeforeCommit(storage, atCommit, committing);
  let exporting: Promise<unknown> | undefined;
  const erasing: Storage = {
    ...storage,
    async delete(path) {
      if (!path.startsWith('artifacts/') || exporting) return storage.delete(path);
      exporting = piecedExport({ emulator, storage: halting, users: ['ben'] });
      await atCommit.opened;
      await storage.delete(path);
      committing.open();
      await exporting;
    },
  };
  await erased(await pieceOf(erasing, emulator));
  expect(exporting).toBeDefined();
  await expectBensFileAlone(storage);
});

it('keeps the file of an export that comes whole at any moment of the erasure', async () => {
  const whole = await archived();
  for (let moment = 0, isOver = false; !isOver; moment++) {
    const storage = copyOf(whole);
    let moments = 0;
    const erasing = watchedWrites(storage, async () => {
      if (moments++ === moment) await piecedExport({ emulator, storage, users: ['ben'] });
    });
    await erased(await pieceOf(erasing, emulator));
    isOver = moments <= moment;
    if (!isOver) await expectBensFileAlone(storage);
  }
});

it('a file whose export the erasure has overtaken is gone, and is not brought again', async () => {
  const whole = await archived();
  for (let moment = 0, isOver = false; !isOver; moment++) {
    const storage = copyOf(whole);
    let moments = 0;
    const exporting = watchedWrites(storage, async () => {
      if (moments++ === moment) await erased(await pieceOf(storage, emulator));
    });
    await piecedExport({ emulator, storage: exporting, users: ['ben'] });
    isOver = moments <= moment;
    if (!isOver) await expectBensFileAlone(storage);
  }
});

// I-45 in FORMAT.md
it('leaves no word of a session that an export finds gone from the service while it is erased', async () => {
  emulator.state.addSession('ann', { id: 'ann-stays' }, [oldJobWithFile()]);
  const whole = createMemoryStorage();
  await piecedExport({ emulator, storage: whole, users: ['ann'] });
  emulator.state.deleteSession('ann', 'ann-session');
  for (let moment = 0, isOver = false; !isOver; moment++) {
    const storage = copyOf(whole);
    let moments = 0;
    const erasing = watchedWrites(storage, async () => {
      if (moments++ === moment) await piecedExport({ emulator, storage, users: ['ann'] });
    });
    const only = { users: [], sessions: ['ann-session'] };
    await erased(await pieceOf(erasing, emulator), only);
    isOver = moments <= moment;
    expect(objectsNaming(storage, 'ann-session'), `at moment ${moment}`).toEqual([]);
  }
});

it(
  'no word is left of what an export published and did not commit, whichever write failed',
  fault('F-96'),
  async () => {
    const whole = await archived();
    emulator.state.addJob('ann', 'ann-session', oldJobWithFile());
    for (let moment = 0, isOver = false; !isOver; moment++) {
      const storage = copyOf(whole);
      let moments = 0;
      const failing = watchedWrites(storage, () =>
        moments++ === moment ? Promise.reject(new StorageError('lost answer')) : Promise.resolve(),
      );
      await piecedExport({ emulator, storage: failing, users: ['ann'] }).catch(() => undefined);
      isOver = moments <= moment;
      await erased(await pieceOf(storage, emulator));
      expect(objectsNaming(storage, 'ann'), `at moment ${moment}`).toEqual([]);
    }
  },
);

function objectsNaming({ place }: MemoryStorage, id: string): string[] {
  return [...place.objects].flatMap(([path, bytes]) => {
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes)).toString();
    return text.includes(id) ? [path] : [];
  });
}

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function haltingBeforeCommit(storage: Storage, reached: Gate, goOn: Gate): Storage {
  return {
    ...storage,
    async putIfAbsent(path, bytes) {
      if (path.startsWith('_commits/')) {
        reached.open();
        await goOn.opened;
      }
      return storage.putIfAbsent(path, bytes);
    },
  };
}
