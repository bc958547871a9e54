/** An erasure's process is taken for dead, and goes on after others have finished its work and erased more. */
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Storage } from '../../../src/storage/storage.js';
import {
  draft,
  job,
  makeJsonlArchive,
  reopened,
  session,
} from '../../support/store/archive-samples.js';
import { everybodyElseIsDead } from '../../support/store/dying-storage.js';
import { erased } from '../../support/rigs/erase-rig.js';
import {
  copyOf,
  createMemoryStorage,
  type MemoryStorage,
} from '../../support/store/memory-storage.js';

const PEOPLE = ['ann', 'ben', 'cyd'] as const;

it('brings nothing back, at whatever moment it stood still', async () => {
  const whole = createMemoryStorage();
  const archive = await makeJsonlArchive(whole);
  await archive.log.append(
    draft({
      sessions: PEOPLE.map((user) => session(user, `${user}-s`)),
      jobs: PEOPLE.map((user) => job(user, `${user}-s`, `${user}-j`)),
    }),
  );
  /** @returns what is left of ben; undefined where the erasure was over before */
  const leftOfBen = async (moment: number): Promise<string[] | undefined> => {
    const storage = copyOf(whole);
    let writes = 0;
    const standing = beforeWrites(storage, async () => {
      if (writes++ !== moment) return;
      const another = reopened(archive, storage, 3);
      await erased(another, { users: ['ben'], processes: everybodyElseIsDead });
    });
    await erased(reopened(archive, standing, 2)).catch(() => undefined);
    if (writes <= moment) return undefined;
    const next = reopened(archive, storage, 4);
    await erased(next, { users: ['cyd'], processes: everybodyElseIsDead, dryRun: true });
    return tracesOf(storage, 'ben');
  };
  const left: string[][] = [];
  for (let moment = 0; ; moment++) {
    const paths = await leftOfBen(moment);
    if (!paths) break;
    left.push(paths);
  }
  expect(left.length).toBeGreaterThan(10);
  expect(left.flat()).toEqual([]);
});

function tracesOf({ place }: MemoryStorage, user: string): string[] {
  return [...place.objects].flatMap(([path, bytes]) => {
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes)).toString();
    return text.includes(user) ? [path] : [];
  });
}

/** Calls `before` ahead of everything that is about to change, and goes on when it resolves. */
function beforeWrites(storage: Storage, before: () => Promise<void>): Storage {
  const watched = <A extends unknown[], R>(write: (...given: A) => Promise<R>) => {
    return async (...given: A): Promise<R> => {
      await before();
      return write(...given);
    };
  };
  return {
    ...storage,
    put: watched((path: string, bytes: Uint8Array) => storage.put(path, bytes)),
    putIfAbsent: watched((path: string, bytes: Uint8Array) => storage.putIfAbsent(path, bytes)),
    compareAndSwap: watched((path: string, seen: Uint8Array, bytes: Uint8Array) =>
      storage.compareAndSwap(path, seen, bytes),
    ),
    delete: watched((path: string) => storage.delete(path)),
    stage: async () => {
      const staged = await storage.stage();
      return {
        ...staged,
        publish: watched((path: string) => staged.publish(path)),
      };
    },
  };
}
