/** A store says that it has the new file, and has not: the old one is all that there is. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StagedObject, StageOptions, Storage } from '../../../src/storage/storage.js';
import { archiveOf, type Archive } from '../../../src/archive/archive.js';
import { silentLogger } from '../../../src/base/logger.js';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { erased, EraseRig } from '../../support/rigs/erase-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: EraseRig;
beforeEach(async () => {
  rig = await EraseRig.start();
  await rig.archived(['parquet', 'jsonl']);
});
afterEach(() => rig[Symbol.asyncDispose]());

function changed<T extends object>(of: T, over: Readonly<Record<PropertyKey, unknown>>): T {
  return new Proxy(of, {
    get: (_, key): unknown => {
      const value: unknown = key in over ? over[key] : Reflect.get(of, key, of);
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
  });
}

/** Its first new part file is gone as soon as it was published. */
function forgetful(storage: Storage): Storage {
  let forgotten = false;
  const stage = async (options?: StageOptions): Promise<StagedObject> => {
    const staged = await storage.stage(options);
    const publish = async (path: string): Promise<void> => {
      await staged.publish(path);
      if (forgotten || !path.startsWith('tables/jobs/')) return;
      forgotten = true;
      await storage.delete(path);
    };
    return changed(staged, { publish });
  };
  return changed(storage, { stage });
}

async function onForgetful(): Promise<Archive> {
  const archive = await rig.rig.open();
  return archiveOf(forgetful(archive.storage), archive.identity, { clock: rig.rig.clock });
}

const DAY = 86_400_000;

it.each([0, 7 * DAY])(
  'a store without what it says it has lets no compaction go on; rows stay (grace %i ms)',
  fault('F-116'),
  async (graceMs) => {
    const before = await rig.rig.rows('jobs');
    await expect(compacted(await onForgetful(), { graceMs })).rejects.toMatchObject({
      problem: 'missing',
    });
    expect((await rig.rig.verify()).problems).toEqual([]);
    expect(await rig.rig.rows('jobs')).toEqual(before);
  },
);

it(
  'a store that loses a merged file later keeps what it replaces, beyond its grace period',
  fault('F-116'),
  async () => {
    const { archive, graceMs } = { archive: await rig.rig.open(), graceMs: 7 * DAY };
    const old = await rig.rig.parts('tables/jobs');
    await compacted(archive, { graceMs, clock: rig.rig.clock });
    const merged = (await rig.rig.parts('tables/jobs')).filter((path) => !old.includes(path));
    await archive.storage.delete(merged[0] ?? '');
    rig.rig.clock.ahead += 8 * DAY;
    const later = compacted(await rig.rig.open(), { graceMs, clock: rig.rig.clock });
    await expect(later).rejects.toMatchObject({ problem: 'missing' });
    expect(await rig.rig.parts('tables/jobs')).toEqual(expect.arrayContaining(old));
  },
);

it(
  "a store without what it says it has lets nobody be erased: others' rows would go, too",
  fault('F-116'),
  async () => {
    const before = await rig.rig.rows('jobs');
    await expect(erased(await onForgetful())).rejects.toMatchObject({ problem: 'missing' });
    expect((await rig.rig.verify()).problems).toEqual([]);
    expect(await rig.rig.rows('jobs')).toEqual(before);
  },
);

it(
  'a deletion refused after the receipt fails an erasure, which is recorded and unfinished',
  fault('F-141'),
  async () => {
    const told: unknown[] = [];
    const logger = { ...silentLogger, warn: (...given: unknown[]) => void told.push(given) };
    const { storage, identity } = await rig.rig.open();
    const refusing = changed(storage, {
      deleteAll: undefined,
      delete: (path: string) =>
        path.startsWith('_snapshots/0')
          ? Promise.reject(new StorageError('denied'))
          : storage.delete(path),
    });
    const archive = archiveOf(refusing, identity, { clock: rig.rig.clock, logger });
    await expect(erased(archive, { logger })).rejects.toThrow('denied');
    expect(told).toEqual([
      [
        { commit: expect.any(Number) as number },
        expect.stringContaining('recorded in the log and not finished'),
      ],
    ]);
  },
);
