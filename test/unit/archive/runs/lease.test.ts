import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../../src/base/logger.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { PATH, Village, watch } from '../../../support/store/lease-village.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

describe('a lease', () => {
  it('says who holds it, and is gone when it is released', async () => {
    const village = new Village();
    const lease = await village.acquire(1);
    expect(village.note).toMatchObject({ run: 'RUN1', host: 'here', boot: 'b', pid: 1, beat: 0 });
    await lease.release();
    await lease.release();
    expect(village.place.objects.size).toBe(0);
    expect(village.clock.sleeping).toBe(0);
  });

  it('beats every ten seconds as long as it is held', async () => {
    const village = new Village();
    await village.acquire(1);
    await village.clock.advance(10_000);
    expect(village.note?.beat).toBe(1);
    await village.clock.advance(90_000);
    expect(village.note?.beat).toBe(10);
  });

  it('of a live holder is respected however long it takes, and passed on when it is released', async () => {
    const village = new Village();
    const first = await village.acquire(1);
    const waitedFor: unknown[] = [];
    const second = village.acquire(2, {
      host: 'elsewhere',
      onWait: (holder) => waitedFor.push(holder?.run),
    });
    const seen = watch(second);
    await village.clock.advance(3_600_000);
    expect(seen.settled).toBe(false);
    expect(waitedFor).toEqual(['RUN1']);
    await first.release();
    await village.clock.advance(2000);
    await second;
    expect(village.note?.run).toBe('RUN2');
    expect(first.isLost).toBe(false);
  });

  it.each([-86_400_000, 86_400_000])(
    'is respected when the wall clock of the challenger is off by %i ms',
    async (shift) => {
      const village = new Village();
      await village.acquire(1);
      village.clock.shiftWall(shift);
      const seen = watch(village.acquire(2, { host: 'elsewhere' }).catch(() => undefined));
      await village.clock.advance(120_000);
      expect(seen.settled).toBe(false);
      expect(village.note?.run).toBe('RUN1');
    },
  );

  // I-32 in FORMAT.md
  it('of a dead process of the same machine is taken at once, even without patience', async () => {
    const village = new Village();
    await village.acquire(1);
    village.dead.add(1);
    await village.acquire(2, { wait: 'none' });
    expect(village.note?.run).toBe('RUN2');
    expect(village.clock.monotonic()).toBe(0);
  });

  // I-32 in FORMAT.md
  it('that has not changed for a whole term is taken, and not a moment before', async () => {
    const village = new Village();
    await village.acquire(1, { clock: new FakeClock() }); // stands still: it never beats
    const second = village.acquire(2, { host: 'elsewhere' });
    const seen = watch(second);
    await village.clock.advance(29_999);
    expect(seen.settled).toBe(false);
    await village.clock.advance(1);
    await second;
    expect(village.note?.run).toBe('RUN2');
  });

  it('is not taken by a challenger that was stopped itself and has looked only twice', async () => {
    const village = new Village();
    await village.acquire(1, { clock: new FakeClock() });
    const stopped = new FakeClock();
    /** As `SIGSTOP` does it: time goes on, and nobody wakes. */
    let leapMs = 0;
    const clock = Object.assign(Object.create(stopped) as FakeClock, {
      monotonic: () => stopped.monotonic() + leapMs,
      sleep: (ms: number, signal?: AbortSignal) => stopped.sleep(ms, signal),
    });
    const seen = watch(village.acquire(2, { host: 'elsewhere', clock }));
    await stopped.advance(1000);
    leapMs = 600_000;
    await stopped.advance(3000);
    expect(seen.settled).toBe(false);
    await stopped.advance(30_000);
    expect(seen.settled).toBe(true);
  });

  it('that was taken is noticed by the holder that wakes, who leaves it alone', async () => {
    const village = new Village();
    const sleeping = new FakeClock();
    const first = await village.acquire(1, { clock: sleeping });
    const second = village.acquire(2, { host: 'elsewhere' });
    await village.clock.advance(32_000);
    await second;
    await sleeping.advance(10_000);
    expect(first.isLost).toBe(true);
    await first.release();
    expect(village.note?.run).toBe('RUN2');
  });

  it('that was tidied away is put back by its holder', async () => {
    const village = new Village();
    const lease = await village.acquire(1);
    village.place.objects.clear();
    await village.clock.advance(10_000);
    expect(village.note).toMatchObject({ run: 'RUN1', beat: 1 });
    expect(lease.isLost).toBe(false);
  });

  it('that is rubbish is respected for a term, and then taken', async () => {
    const village = new Village();
    village.place.objects.set(PATH, Buffer.from('{"run":'));
    const second = village.acquire(2);
    const seen = watch(second);
    await village.clock.advance(29_000);
    expect(seen.settled).toBe(false);
    await village.clock.advance(3000);
    await second;
  });

  it('that is rubbish at its renewal is lost', async () => {
    const village = new Village();
    const lease = await village.acquire(1);
    village.place.objects.set(PATH, Buffer.from('{"run":'));
    await village.clock.advance(10_000);
    expect(lease.isLost).toBe(true);
    await lease.release();
    expect(village.place.objects.size).toBe(1);
  });
});

describe('without patience', () => {
  it('a live process of the same machine is given way at once, in one sentence', async () => {
    const village = new Village();
    await village.acquire(1);
    await expect(village.acquire(2, { wait: 'term' })).rejects.toMatchObject({
      message: 'another run (RUN1, process 1 on here) is working on user ann',
      code: 'ARCHIVE_LEASE_HELD',
      failure: 'locked',
    });
    expect(village.clock.monotonic()).toBe(0);
  });

  it('a process elsewhere is given way as soon as it beats', async () => {
    const village = new Village();
    await village.acquire(1);
    const second = village.acquire(2, { host: 'elsewhere', wait: 'term' });
    const refused = expect(second).rejects.toMatchObject({ failure: 'locked' });
    await village.clock.advance(12_000);
    await refused;
  });

  it('a lease that another machine left behind is taken after a term', async () => {
    const village = new Village();
    await village.acquire(1, { clock: new FakeClock() });
    const second = village.acquire(2, { host: 'elsewhere', wait: 'term' });
    await village.clock.advance(32_000);
    await second;
    expect(village.note?.run).toBe('RUN2');
  });
});

it('waiting for a lease ends with the signal', async () => {
  const village = new Village();
  await village.acquire(1);
  const stop = new AbortController();
  const second = village.acquire(2, { signal: stop.signal });
  const refused = expect(second).rejects.toThrow('enough');
  await village.clock.advance(5000);
  stop.abort(new Error('enough'));
  await refused;
});

it('a storage that fails for a while costs no lease and no run', async () => {
  const village = new Village();
  const storage = createMemoryStorage(village.place);
  let isBroken = false;
  const warnings: string[] = [];
  const fields: unknown[] = [];
  const flaky: Storage = {
    ...storage,
    get: (path) => (isBroken ? Promise.reject(new Error('no route')) : storage.get(path)),
  };
  const warn = (given: unknown, text: string) => {
    fields.push(given);
    warnings.push(text);
  };
  const logger = { ...silentLogger, warn };
  const lease = await village.acquire(1, { storage: flaky, logger });
  isBroken = true;
  await village.clock.advance(10_000);
  isBroken = false;
  await village.clock.advance(10_000);
  expect(warnings).toEqual(['a lease could not be renewed or released']);
  expect(village.note?.beat).toBe(1);
  isBroken = true;
  await lease.release();
  expect(warnings).toHaveLength(2);
  const failed = { lease: PATH, reason: 'no route' };
  expect(fields).toEqual([failed, failed]);
});
