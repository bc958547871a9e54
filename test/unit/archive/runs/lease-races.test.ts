import { expect, it } from 'vitest';
import { leaseStanding, mayBeAtWork, runsAtWork } from '../../../../src/archive/runs/lease.js';
import { asRunId } from '../../../../src/model/ids.js';
import { PATH, LeaseRig } from '../../../support/store/lease-rig.js';
import type { ObjectInfo, Storage } from '../../../../src/storage/storage.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { fault } from '../../../support/base/fault.js';

it('a lease that is released twice at the same time is deleted once', async () => {
  const rig = new LeaseRig();
  const { storage, deleted } = rig.watched();
  const lease = await rig.acquire(1, { storage });
  await Promise.all([lease.release(), lease.release()]);
  expect(deleted).toEqual([PATH]);
});

it('a lease that is released while it is examined is taken without waiting', async () => {
  const rig = new LeaseRig();
  await rig.acquire(1);
  const { storage } = rig.watched(() => {
    rig.place.objects.clear();
  });
  await rig.acquire(2, { storage, wait: 'none' });
  expect(rig.note?.run).toBe('RUN2');
  expect(rig.clock.monotonic()).toBe(0);
});

it.each([
  [
    'renewed',
    (rig: LeaseRig) => {
      rig.put({ run: 'RUN1', beat: 1 });
    },
  ],
  [
    'released',
    (rig: LeaseRig) => {
      rig.place.objects.clear();
    },
  ],
])(
  'a lease of a dead process that is %s before it is taken away is left alone',
  async (_, happens) => {
    const rig = new LeaseRig();
    rig.put({ run: 'RUN1', pid: 7 });
    rig.dead.add(7);
    let reads = 0;
    const { storage, deleted } = rig.watched(() => {
      if (++reads === 2) happens(rig);
    });
    await rig.acquire(2, { storage, wait: 'none' }).catch(() => undefined);
    expect(deleted).toEqual([]);
  },
);

it('a lease is waited for with a message for each of its holders', async () => {
  const rig = new LeaseRig();
  rig.put({ run: 'RUN1' });
  const waitedFor: unknown[] = [];
  const second = rig.acquire(2, { onWait: (holder) => waitedFor.push(holder?.run) });
  await rig.clock.advance(4000);
  rig.put({ run: 'RUN3' });
  await rig.clock.advance(4000);
  rig.put({ run: 'RUN3', beat: 1 });
  await rig.clock.advance(4000);
  expect(waitedFor).toEqual(['RUN1', 'RUN3']);
  rig.place.objects.clear();
  await rig.clock.advance(2000);
  await second;
});

it('what is known of a holder is reported at once', async () => {
  const rig = new LeaseRig();
  const storage = createMemoryStorage(rig.place);
  const standing = (pid: number, host?: string) =>
    leaseStanding({ storage, path: PATH, processes: rig.processes(pid, host) });
  expect(await standing(2)).toBe('free');
  await rig.acquire(1);
  expect(await standing(2)).toBe('alive');
  expect(await standing(2, 'elsewhere')).toBe('unknown');
  rig.dead.add(1);
  expect(await standing(2)).toBe('dead');
  rig.put({ run: 'RUN1', boot: 'yesterday', pid: 3 });
  expect(await standing(2)).toBe('unknown');
  rig.place.objects.set(PATH, Buffer.from('no lease'));
  expect(await standing(2)).toBe('unknown');
});

it('a run counts as working unless its lease is gone or its process is known to be dead', async () => {
  const rig = new LeaseRig();
  const path = '_leases/run-RUN1.json';
  const storage = createMemoryStorage(rig.place);
  const isAtWork = (host?: string) =>
    mayBeAtWork(asRunId('RUN1'), { storage, processes: rig.processes(2, host) });
  expect(await isAtWork()).toBe(false);
  await rig.acquire(1, { path });
  expect([await isAtWork(), await isAtWork('elsewhere')]).toEqual([true, true]);
  rig.dead.add(1);
  expect([await isAtWork(), await isAtWork('elsewhere')]).toEqual([false, true]);
});

it('runs at work have leases that do not tell that they are dead, in order of beginning', async () => {
  const rig = new LeaseRig();
  const memory = createMemoryStorage(rig.place);
  const ids = [
    '01JD0000000000000000000003',
    '01JD0000000000000000000001',
    '01JD0000000000000000000002',
  ];
  for (const [at, id] of ids.entries()) {
    await rig.acquire(at + 1, { path: `_leases/run-${id}.json`, run: asRunId(id) });
  }
  const [third, first, second] = ids;
  rig.dead.add(3);
  // it keeps a user, and is of no run
  await rig.acquire(4);
  const unreadable = '01JD0000000000000000000004';
  await memory.put(`_leases/run-${unreadable}.json`, Buffer.from('?'));
  const gone = '_leases/run-01JD0000000000000000000005.json';
  await memory.put(gone, Buffer.from('?'));
  rig.place.modifiedAtMs.set(`_leases/run-${first}.json`, 7);
  // a store may list in any order
  const list: Storage['list'] = async function* (prefix) {
    const listed: ObjectInfo[] = [];
    for await (const one of memory.list(prefix)) listed.push(one);
    yield* [...listed.slice(2), ...listed.slice(0, 2)];
  };
  const get: Storage['get'] = async (path) => {
    if (path === gone) await memory.delete(gone);
    return memory.get(path);
  };
  const storage = { ...memory, list, get };
  const found = await runsAtWork({ storage, processes: rig.processes(9) });
  expect(found.map(({ run, host }) => [run, host])).toEqual([
    [first, 'here'],
    [third, 'here'],
    [unreadable, undefined],
  ]);
  expect(found[0]).toMatchObject({ renewedAtMs: 7, beganAtMs: expect.any(Number) as number });
  expect(found.map(({ run }) => run)).not.toContain(second);
});

it('A lease that was removed, and that another run takes in the moment of its renewal, is lost', async () => {
  const rig = new LeaseRig();
  let isTaken = false;
  const { storage } = rig.watched(() => undefined);
  const get: Storage['get'] = async (path) => {
    const seen = await storage.get(path).catch((error: unknown) => error);
    if (isTaken) rig.put({ run: 'RUN2' });
    if (seen instanceof Error) throw seen;
    return seen as Uint8Array;
  };
  const lease = await rig.acquire(1, { storage: { ...storage, get } });
  rig.place.objects.clear();
  isTaken = true;
  await rig.clock.advance(10_000);
  expect([lease.isLost, rig.note?.run]).toEqual([true, 'RUN2']);
});

it.each([true, false])(
  'a renewal whose answer is lost costs no lease, whether or not it reached the store (%s)',
  fault('F-122'),
  async (hasCome) => {
    const rig = new LeaseRig();
    const memory = createMemoryStorage(rig.place);
    let isLosing = false;
    const storage: Storage = {
      ...memory,
      put: async (path, bytes) => {
        if (!isLosing || hasCome) await memory.put(path, bytes);
        if (isLosing) throw new Error('the answer was lost');
      },
    };
    const lease = await rig.acquire(1, { storage });
    isLosing = true;
    await rig.clock.advance(20_000);
    isLosing = false;
    await rig.clock.advance(10_000);
    expect([lease.isLost, rig.note?.beat]).toEqual([false, 3]);
    await lease.release();
    expect(rig.place.objects.size).toBe(0);
  },
);
