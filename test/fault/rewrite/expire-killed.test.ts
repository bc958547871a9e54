/** An expiry that dies at any step, and holds that come at any step: what is held or younger stays, the log stays provable. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Archive, ContextOptions } from '../../../src/archive/archive.js';
import { addHolds } from '../../../src/archive/holds/change-holds.js';
import { ulid } from '../../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../../src/base/runtime.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { ExpireChoices } from '../../../src/rewrite/expiry/expire-options.js';
import { expire } from '../../../src/rewrite/expiry/expire.js';
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

const YEAR = 365.25 * 86_400_000;

let emulator: Emulator;
let whole: MemoryStorage;
beforeEach(async () => {
  emulator = await startEmulator({ users: 0 });
  emulator.state.putFile('old.csv', 'a,b\n1,2\n');
  for (const [session, years] of [
    ['old', 9],
    ['older', 10],
    ['young', 1],
  ] as const) {
    // a cuid tells no time before 2022
    const atMs = Date.now() - years * YEAR;
    const id = `job-${ulid({ ...systemClock, now: () => atMs }, systemRandom)}`;
    emulator.state.addSession('ann', { id: session }, [oldJob(id, ['old.csv'])]);
  }
  whole = createMemoryStorage();
  await piecedExport({ emulator, storage: whole, users: ['ann'] });
});
afterEach(() => emulator.close());

async function expired(
  archive: Archive,
  over: Partial<ExpireChoices> & Pick<ContextOptions, 'processes'> = {},
) {
  const { processes = everybodyElseIsDead, ...choices } = over;
  const { signal } = new AbortController();
  const run = { archive: { ...archive, processes }, signal };
  return expire(run, { olderThanMs: 7 * YEAR, ...choices });
}

async function sessionsIn(storage: MemoryStorage): Promise<string> {
  const rows = await namedRows(await pieceOf(storage, emulator), 'jobs');
  return rows
    .map((row) => String(row['session_id']))
    .sort()
    .join();
}

const holding = (archive: Archive, session: string) =>
  addHolds(archive, {
    sessions: [session],
    reason: 'Matter 1',
    by: 'Grace',
  });

it('leaves all of what was to go or nothing, and the next expiry ends it', async () => {
  let failed = 0;
  for (let steps = 0; ; steps++) {
    const storage = copyOf(whole);
    const dying = dyingAfter(storage, steps);
    await expired(await pieceOf(dying, emulator)).catch(() => failed++);
    expect(await problemsOf(await pieceOf(storage, emulator)), `after step ${steps}`).toEqual([]);
    expect(['old,older,young', 'young']).toContain(await sessionsIn(storage));
    await expired(await pieceOf(storage, emulator));
    expect(await sessionsIn(storage), `after step ${steps}`).toBe('young');
    expect(await faultsOf(await pieceOf(storage, emulator)), `after step ${steps}`).toEqual([]);
    if (!dying.isDead()) break;
  }
  expect(failed).toBeGreaterThan(25);
});

// I-48 in FORMAT.md
it('that has died takes nothing that is held afterwards: the hold is refused, or it binds', async () => {
  const ends = { held: 0, refused: 0, gone: 0 };
  for (let steps = 0; ; steps++) {
    const storage = copyOf(whole);
    const dying = dyingAfter(storage, steps);
    await expired(await pieceOf(dying, emulator)).catch(() => undefined);
    const end = await holding(await pieceOf(storage, emulator), 'old').then(
      () => 'held' as const,
      (error: unknown) => {
        const { code } = error as { readonly code: string };
        if (code === 'ARCHIVE_ERASURE_UNFINISHED') return 'refused' as const;
        expect(code).toBe('USAGE');
        return 'gone' as const;
      },
    );
    ends[end]++;
    await compacted(await pieceOf(storage, emulator), { processes: everybodyElseIsDead });
    await expired(await pieceOf(storage, emulator));
    const left = end === 'held' ? 'old,young' : 'young';
    expect(await sessionsIn(storage), `after step ${steps}, ${end}`).toBe(left);
    if (!dying.isDead()) break;
  }
  expect(Math.min(...Object.values(ends))).toBeGreaterThan(0);
});

it('goes on without what is held while it works', async () => {
  let late = 0;
  for (let steps = 0; ; steps++) {
    const storage = copyOf(whole);
    let held: string | undefined;
    const archive = await pieceOf(storage, emulator);
    const watched = atStep(archive, steps, async () => {
      held = await holding(await pieceOf(storage, emulator), 'old').then(
        () => 'held',
        (error: unknown) => (error as { readonly code: string }).code,
      );
    });
    const { expired: gone } = await expired(archive);
    if (held === 'held') expect([gone, await sessionsIn(storage)]).toEqual([1, 'old,young']);
    else expect([gone, await sessionsIn(storage)]).toEqual([2, 'young']);
    expect(await faultsOf(await pieceOf(storage, emulator)), `at step ${steps}`).toEqual([]);
    if (held !== undefined && held !== 'held') late++;
    if (!watched.isReached()) break;
  }
  expect(late).toBeGreaterThan(0);
});

/** Does something before the archive's storage is changed for the n-th time. */
function atStep({ storage }: Archive, step: number, act: () => Promise<void>) {
  let steps = 0;
  const before = async (): Promise<void> => {
    if (steps++ === step) await act();
  };
  for (const name of ['put', 'putIfAbsent', 'delete', 'stage'] as const) {
    const change = storage[name].bind(storage) as (...given: unknown[]) => Promise<unknown>;
    Object.assign(storage, {
      [name]: async (...given: unknown[]) => {
        await before();
        return change(...given);
      },
    });
  }
  return { isReached: () => steps > step };
}

it('is no way for a hold to leave the log that is on a session nobody knows', async () => {
  await addHolds(await pieceOf(whole, emulator), {
    sessions: ['unseen'],
    reason: 'Matter 2',
    by: 'Grace',
    allowUnknown: true,
  });
  let begun = 0;
  for (let steps = 0; ; steps++) {
    const storage = copyOf(whole);
    const dying = dyingAfter(storage, steps);
    await expired(await pieceOf(dying, emulator)).catch(() => undefined);
    if (!dying.isDead()) break;
    const archive = await pieceOf(storage, emulator);
    await archive.index.refresh();
    if (archive.index.openErasures.size === 0) continue;
    begun++;
    const both = { users: [], sessions: ['young', 'unseen'], processes: everybodyElseIsDead };
    await expect(erased(archive, both)).rejects.toThrow('session "unseen"');
    const after = await pieceOf(storage, emulator);
    await after.index.refresh();
    expect(after.index.holds).toMatchObject([{ session: 'unseen', release: null }]);
    expect(await sessionsIn(storage)).toBe('young');
    break;
  }
  expect(begun).toBe(1);
});
