/** A machine is doubled while it rewrites an archive: both processes give their new files the same names. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { archiveOf, type Archive } from '../../../src/archive/archive.js';
import type { StagedObject, Storage } from '../../../src/storage/storage.js';
import { compacted } from '../../support/rigs/compact-rig.js';
import { erased, EraseRig } from '../../support/rigs/erase-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: EraseRig;
beforeEach(async () => {
  rig = await EraseRig.start();
  await rig.archived(['jsonl']);
});
afterEach(() => rig[Symbol.asyncDispose]());

const OF_DOUBLE = Buffer.from('what its double has written');

/** Where it publishes its first file of jobs, its double has just done so. */
async function doubled(): Promise<{ archive: Archive; storage: Storage; taken: string[] }> {
  const { storage, identity } = await rig.rig.open();
  const taken: string[] = [];
  const before = async (path: string): Promise<void> => {
    if (taken.length > 0 || !path.startsWith('tables/jobs/')) return;
    taken.push(path);
    await storage.put(path, OF_DOUBLE);
  };
  const over: ProxyHandler<Storage> = {
    get: (of, key): unknown => {
      const value: unknown = Reflect.get(of, key, of);
      if (key !== 'stage') return typeof value === 'function' ? (value.bind(of) as unknown) : value;
      return async (...given: Parameters<Storage['stage']>): Promise<StagedObject> => {
        const staged = await of.stage(...given);
        const late: StagedObject = {
          write: (chunk) => staged.write(chunk),
          close: () => staged.close(),
          read: (range) => staged.read(range),
          discard: () => staged.discard(),
          publish: async (path, place) => {
            await before(path);
            await staged.publish(path, place);
          },
        };
        return late;
      };
    },
  };
  const { clock } = rig.rig;
  return { archive: archiveOf(new Proxy(storage, over), identity, { clock }), storage, taken };
}

it.each([
  ['compaction', (archive: Archive) => compacted(archive, { graceMs: 0 })],
  ['erasure', (archive: Archive) => erased(archive)],
])(
  'A %s replaces and withdraws no file that its double has published',
  fault('F-121'),
  async (_, rewrite) => {
    const before = await rig.rig.rows('jobs');
    const { archive, storage, taken } = await doubled();
    await expect(rewrite(archive)).rejects.toMatchObject({ problem: 'chain' });
    expect(Buffer.from(await storage.get(taken[0] ?? '')).equals(OF_DOUBLE)).toBe(true);
    expect((await rig.rig.verify()).problems).toEqual([]);
    expect(await rig.rig.rows('jobs')).toEqual(before);
  },
);
