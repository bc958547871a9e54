import { LeaseHeldError, RunAbandonedError } from '../../../../src/archive/archive-errors.js';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../../src/base/logger.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { PATH, LeaseRig, watch } from '../../../support/store/lease-rig.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import {
  decodeLeaseNote,
  encodeLeaseNote,
  type LeaseNote,
} from '../../../../src/archive/runs/lease.js';
import { runOf } from '../../../support/store/archive-samples.js';
import { fault } from '../../../support/base/fault.js';

it('a lease says who holds it, and is gone when it is released', async () => {
  const rig = new LeaseRig();
  const lease = await rig.acquire(1);
  expect(rig.note).toMatchObject({ run: 'RUN1', host: 'here', boot: 'b', pid: 1, beat: 0 });
  await lease.release();
  await lease.release();
  expect(rig.place.objects.size).toBe(0);
  expect(rig.clock.sleeping).toBe(0);
});

it('a lease beats every ten seconds as long as it is held', async () => {
  const rig = new LeaseRig();
  await rig.acquire(1);
  await rig.clock.advance(10_000);
  expect(rig.note?.beat).toBe(1);
  await rig.clock.advance(90_000);
  expect(rig.note?.beat).toBe(10);
});

it("a live holder's lease is respected however long, and taken by the next on release", async () => {
  const rig = new LeaseRig();
  const first = await rig.acquire(1);
  const waitedFor: unknown[] = [];
  const second = rig.acquire(2, {
    host: 'elsewhere',
    onWait: (holder) => waitedFor.push(holder?.run),
  });
  const seen = watch(second);
  await rig.clock.advance(3_600_000);
  expect(seen.settled).toBe(false);
  expect(waitedFor).toEqual(['RUN1']);
  await first.release();
  await rig.clock.advance(2000);
  await second;
  expect(rig.note?.run).toBe('RUN2');
  expect(first.isLost).toBe(false);
});

it.each([-86_400_000, 86_400_000])(
  'a lease is respected when the wall clock of the challenger is off by %i ms',
  fault('F-33'),
  async (shift) => {
    const rig = new LeaseRig();
    await rig.acquire(1);
    rig.clock.shiftWall(shift);
    const seen = watch(rig.acquire(2, { host: 'elsewhere' }).catch(() => undefined));
    await rig.clock.advance(120_000);
    expect(seen.settled).toBe(false);
    expect(rig.note?.run).toBe('RUN1');
  },
);

// I-32 in FORMAT.md
it(
  'a lease of a dead process of the same machine is taken at once, even with noWait',
  fault('F-33'),
  async () => {
    const rig = new LeaseRig();
    await rig.acquire(1);
    rig.dead.add(1);
    await rig.acquire(2, { wait: 'none' });
    expect(rig.note?.run).toBe('RUN2');
    expect(rig.clock.monotonic()).toBe(0);
  },
);

// I-32 in FORMAT.md
it(
  'a lease that has not changed for a whole term is taken, and not a moment before',
  fault('F-33'),
  async () => {
    const rig = new LeaseRig();
    await rig.acquire(1, { clock: new FakeClock() }); // stands still: it never beats
    const second = rig.acquire(2, { host: 'elsewhere' });
    const seen = watch(second);
    await rig.clock.advance(29_999);
    expect(seen.settled).toBe(false);
    await rig.clock.advance(1);
    await second;
    expect(rig.note?.run).toBe('RUN2');
  },
);

it('a lease is not taken by a challenger that was stopped itself and has read it only twice', async () => {
  const rig = new LeaseRig();
  await rig.acquire(1, { clock: new FakeClock() });
  const stopped = new FakeClock();
  /** As `SIGSTOP` does it: time goes on, and nobody wakes. */
  let leapMs = 0;
  const clock = Object.assign(Object.create(stopped) as FakeClock, {
    monotonic: () => stopped.monotonic() + leapMs,
    sleep: (ms: number, signal?: AbortSignal) => stopped.sleep(ms, signal),
  });
  const seen = watch(rig.acquire(2, { host: 'elsewhere', clock }));
  await stopped.advance(1000);
  leapMs = 600_000;
  await stopped.advance(3000);
  expect(seen.settled).toBe(false);
  await stopped.advance(30_000);
  expect(seen.settled).toBe(true);
});

it(
  'a lease that was taken is noticed by the holder that wakes, who leaves it alone',
  fault('F-33'),
  async () => {
    const rig = new LeaseRig();
    const sleeping = new FakeClock();
    const first = await rig.acquire(1, { clock: sleeping });
    const second = rig.acquire(2, { host: 'elsewhere' });
    await rig.clock.advance(32_000);
    await second;
    await sleeping.advance(10_000);
    expect(first.isLost).toBe(true);
    await first.release();
    expect(rig.note?.run).toBe('RUN2');
  },
);

it('a lease that another process deleted is written again by its holder', async () => {
  const rig = new LeaseRig();
  const lease = await rig.acquire(1);
  rig.place.objects.clear();
  await rig.clock.advance(10_000);
  expect(rig.note).toMatchObject({ run: 'RUN1', beat: 1 });
  expect(lease.isLost).toBe(false);
});

it('a lease that is unreadable is respected for a term, and then taken', async () => {
  const rig = new LeaseRig();
  rig.place.objects.set(PATH, Buffer.from('{"run":'));
  const second = rig.acquire(2);
  const seen = watch(second);
  await rig.clock.advance(29_000);
  expect(seen.settled).toBe(false);
  await rig.clock.advance(3000);
  await second;
});

it('a lease that is unreadable at its renewal is lost', async () => {
  const rig = new LeaseRig();
  const lease = await rig.acquire(1);
  rig.place.objects.set(PATH, Buffer.from('{"run":'));
  await rig.clock.advance(10_000);
  expect(lease.isLost).toBe(true);
  await lease.release();
  expect(rig.place.objects.size).toBe(1);
});

it("with noWait a live process's lease on this machine is an error at once, in a sentence", async () => {
  const rig = new LeaseRig();
  await rig.acquire(1);
  await expect(rig.acquire(2, { wait: 'term' })).rejects.toMatchObject({
    message: 'another run (RUN1, process 1 on here) is working on user ann',
    code: 'ARCHIVE_LEASE_HELD',
    failure: 'locked',
  });
  expect(rig.clock.monotonic()).toBe(0);
});

it('with noWait a lease of another machine is an error as soon as it is renewed', async () => {
  const rig = new LeaseRig();
  await rig.acquire(1);
  const second = rig.acquire(2, { host: 'elsewhere', wait: 'term' });
  const refused = expect(second).rejects.toMatchObject({ failure: 'locked' });
  await rig.clock.advance(12_000);
  await refused;
});

it('with noWait a lease that another machine left behind is taken after a term', async () => {
  const rig = new LeaseRig();
  await rig.acquire(1, { clock: new FakeClock() });
  const second = rig.acquire(2, { host: 'elsewhere', wait: 'term' });
  await rig.clock.advance(32_000);
  await second;
  expect(rig.note?.run).toBe('RUN2');
});

it('waiting for a lease ends with the signal', async () => {
  const rig = new LeaseRig();
  await rig.acquire(1);
  const stop = new AbortController();
  const second = rig.acquire(2, { signal: stop.signal });
  const refused = expect(second).rejects.toThrow('enough');
  await rig.clock.advance(5000);
  stop.abort(new Error('enough'));
  await refused;
});

it('a storage that fails for a while costs no lease and no run', async () => {
  const rig = new LeaseRig();
  const storage = createMemoryStorage(rig.place);
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
  const lease = await rig.acquire(1, { storage: flaky, logger });
  isBroken = true;
  await rig.clock.advance(10_000);
  isBroken = false;
  await rig.clock.advance(10_000);
  expect(warnings).toEqual(['a lease could not be renewed or released']);
  expect(rig.note?.beat).toBe(1);
  isBroken = true;
  await lease.release();
  expect(warnings).toHaveLength(2);
  const failed = { lease: PATH, reason: 'no route' };
  expect(fields).toEqual([failed, failed]);
});

const note: LeaseNote = {
  run: runOf('A'),
  host: 'here',
  boot: 'b',
  pid: 7,
  started: '1',

  beat: 2,
};

it('reads a lease as it was written, one line of JSON', () => {
  const bytes = encodeLeaseNote(note);
  expect(Buffer.from(bytes).toString()).toBe(`${JSON.stringify(note)}\n`);
  expect(decodeLeaseNote(bytes)).toEqual(note);
});

it.each(Object.keys(note))('takes nothing without a valid %s for a lease', (field) => {
  for (const value of [undefined, null, true]) {
    const bytes = Buffer.from(JSON.stringify({ ...note, [field]: value }));
    expect(decodeLeaseNote(bytes)).toBeUndefined();
  }
});

it.each(['', '{"run":', '[]', 'null'])('takes %j for no lease', (text) => {
  expect(decodeLeaseNote(Buffer.from(text))).toBeUndefined();
});

it('says who is at work on what, as far as it is known', () => {
  expect(new LeaseHeldError('user ann', note)).toMatchObject({
    name: 'LeaseHeldError',
    code: 'ARCHIVE_LEASE_HELD',
    disposition: 'fatal',
    failure: 'locked',
    message: `another run (${note.run}, process 7 on here) is working on user ann`,
  });
  const { message } = new LeaseHeldError('user ann', undefined);
  expect(message).toBe('another run is working on user ann');
});

it('says which commit has abandoned a run', () => {
  expect(new RunAbandonedError(note.run, 4)).toMatchObject({
    name: 'RunAbandonedError',
    code: 'ARCHIVE_RUN_ABANDONED',
    disposition: 'fatal',
    failure: 'locked',
    message: `commit 4 has abandoned this run (${note.run}): another run found it dead`,
  });
});

it('an unreachable storage is told of once for all leases, and again after it was there', async () => {
  const rig = new LeaseRig();
  const storage = createMemoryStorage(rig.place);
  let isBroken = false;
  const told: string[] = [];
  const flaky: Storage = {
    ...storage,
    get: (path) => (isBroken ? Promise.reject(new Error('no route')) : storage.get(path)),
  };
  const logger = {
    ...silentLogger,
    warn: (_: unknown, text: string) => told.push(`warn: ${text}`),
    info: (_: unknown, text: string) => told.push(`info: ${text}`),
  };
  for (const user of ['ann', 'ben']) {
    const path = `_leases/${user}.json`;
    await rig.acquire(1, { storage: flaky, logger, path });
  }
  const text = 'a lease could not be renewed or released';
  isBroken = true;
  await rig.clock.advance(10_000);
  expect(told.splice(0)).toEqual([`warn: ${text}`, `info: ${text}`]);
  await rig.clock.advance(10_000);
  expect(told.splice(0)).toEqual([`info: ${text}`, `info: ${text}`]);
  isBroken = false;
  await rig.clock.advance(10_000);
  isBroken = true;
  await rig.clock.advance(10_000);
  expect(told.splice(0)).toEqual([`warn: ${text}`, `info: ${text}`]);
});

/** Says of every lease that it exists, and that it is not there. @param most puts after which it gives up */
function contradictory(rig: LeaseRig, most = 100) {
  const memory = createMemoryStorage(rig.place);
  let puts = 0;
  const storage: Storage = {
    ...memory,
    putIfAbsent: () => {
      puts++;
      return puts > most ? Promise.reject(new Error('it spins')) : Promise.resolve(false);
    },
  };
  return { storage, puts: () => puts };
}

it(
  'a lease that a store has and does not give is asked for with pauses, and given up',
  fault('F-160'),
  async () => {
    const rig = new LeaseRig();
    const { storage, puts } = contradictory(rig);
    const warnings: string[] = [];
    const warn = (_: unknown, text: string) => void warnings.push(text);
    const lease = rig.acquire(1, { storage, logger: { ...silentLogger, warn } });
    const seen = watch(lease);
    await rig.clock.advance(29_000);
    expect([seen.settled, warnings.length]).toEqual([false, 1]);
    expect(puts()).toBeLessThan(20);
    await rig.clock.advance(3000);
    await expect(lease).rejects.toThrow(
      `cannot write ${PATH} in memory: the storage says that it is there, and that it is not`,
    );
  },
);

it('a lease that a store has and does not give is waited for no longer than its signal says', async () => {
  const rig = new LeaseRig();
  const { storage } = contradictory(rig);
  const stop = new AbortController();
  const lease = rig.acquire(1, { storage, signal: stop.signal });
  lease.catch(() => undefined);
  await rig.clock.advance(5000);
  stop.abort(new Error('stopped'));
  await expect(lease).rejects.toThrow('stopped');
});

it('a lease that a store has and does not give is not waited for where nobody waits', async () => {
  const rig = new LeaseRig();
  const { storage, puts } = contradictory(rig);
  await expect(rig.acquire(1, { storage, wait: 'none' })).rejects.toThrow('that it is not');
  expect(puts()).toBe(2);
});

it('a lease that one look did not show is waited for as any other, also much later', async () => {
  const rig = new LeaseRig();
  const first = await rig.acquire(1);
  const memory = createMemoryStorage(rig.place);
  let isHidden = true;
  const get: Storage['get'] = (path) => {
    const wasHidden = isHidden;
    isHidden = false;
    return memory.get(wasHidden ? 'nothing' : path);
  };
  const second = rig.acquire(2, { host: 'elsewhere', storage: { ...memory, get } });
  const seen = watch(second);
  await rig.clock.advance(60_000);
  isHidden = true;
  await rig.clock.advance(4000);
  expect(seen.settled).toBe(false);
  await first.release();
  await rig.clock.advance(2000);
  await second;
  expect(rig.note?.run).toBe('RUN2');
});
