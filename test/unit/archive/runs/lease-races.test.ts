import { describe, expect, it } from 'vitest';
import { leaseStanding, mayBeAtWork } from '../../../../src/archive/runs/lease.js';
import { asRunId } from '../../../../src/model/ids.js';
import { PATH, Village } from '../../../support/store/lease-village.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

describe('a lease', () => {
  it('that is released twice at the same time is deleted once', async () => {
    const village = new Village();
    const { storage, deleted } = village.watched();
    const lease = await village.acquire(1, { storage });
    await Promise.all([lease.release(), lease.release()]);
    expect(deleted).toEqual([PATH]);
  });

  it('that is released while it is looked at is taken without waiting', async () => {
    const village = new Village();
    await village.acquire(1);
    const { storage } = village.watched(() => {
      village.place.objects.clear();
    });
    await village.acquire(2, { storage, wait: 'none' });
    expect(village.note?.run).toBe('RUN2');
    expect(village.clock.monotonic()).toBe(0);
  });

  it.each([
    [
      'renewed',
      (village: Village) => {
        village.put({ run: 'RUN1', beat: 1 });
      },
    ],
    [
      'released',
      (village: Village) => {
        village.place.objects.clear();
      },
    ],
  ])('of a dead process that is %s before it is taken away is left alone', async (_, happens) => {
    const village = new Village();
    village.put({ run: 'RUN1', pid: 7 });
    village.dead.add(7);
    let reads = 0;
    const { storage, deleted } = village.watched(() => {
      if (++reads === 2) happens(village);
    });
    await village.acquire(2, { storage, wait: 'none' }).catch(() => undefined);
    expect(deleted).toEqual([]);
  });

  it('is waited for with a word for each of its holders', async () => {
    const village = new Village();
    village.put({ run: 'RUN1', nonce: 'one' });
    const waitedFor: unknown[] = [];
    const second = village.acquire(2, { onWait: (holder) => waitedFor.push(holder?.run) });
    await village.clock.advance(4000);
    village.put({ run: 'RUN3', nonce: 'three' });
    await village.clock.advance(4000);
    village.put({ run: 'RUN3', nonce: 'three', beat: 1 });
    await village.clock.advance(4000);
    expect(waitedFor).toEqual(['RUN1', 'RUN3']);
    village.place.objects.clear();
    await village.clock.advance(2000);
    await second;
  });
});

it('tells at once what can be told of a holder', async () => {
  const village = new Village();
  const storage = createMemoryStorage(village.place);
  const standing = (pid: number, host?: string) =>
    leaseStanding({ storage, path: PATH, processes: village.processes(pid, host) });
  expect(await standing(2)).toBe('free');
  await village.acquire(1);
  expect(await standing(2)).toBe('alive');
  expect(await standing(2, 'elsewhere')).toBe('unknown');
  village.dead.add(1);
  expect(await standing(2)).toBe('dead');
  village.put({ run: 'RUN1', boot: 'yesterday', pid: 3 });
  expect(await standing(2)).toBe('unknown');
  village.place.objects.set(PATH, Buffer.from('no lease'));
  expect(await standing(2)).toBe('unknown');
});

it('takes a run for at work unless its lease is gone or its process is known to be dead', async () => {
  const village = new Village();
  const path = '_leases/run-RUN1.json';
  const storage = createMemoryStorage(village.place);
  const isAtWork = (host?: string) =>
    mayBeAtWork(asRunId('RUN1'), { storage, processes: village.processes(2, host) });
  expect(await isAtWork()).toBe(false);
  await village.acquire(1, { path });
  expect([await isAtWork(), await isAtWork('elsewhere')]).toEqual([true, true]);
  village.dead.add(1);
  expect([await isAtWork(), await isAtWork('elsewhere')]).toEqual([false, true]);
});
