import { expect, it } from 'vitest';
import { leaseStanding, mayBeAtWork } from '../../../../src/archive/runs/lease.js';
import { asRunId } from '../../../../src/model/ids.js';
import { PATH, LeaseRig } from '../../../support/store/lease-rig.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

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
  rig.put({ run: 'RUN1', nonce: 'one' });
  const waitedFor: unknown[] = [];
  const second = rig.acquire(2, { onWait: (holder) => waitedFor.push(holder?.run) });
  await rig.clock.advance(4000);
  rig.put({ run: 'RUN3', nonce: 'three' });
  await rig.clock.advance(4000);
  rig.put({ run: 'RUN3', nonce: 'three', beat: 1 });
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
