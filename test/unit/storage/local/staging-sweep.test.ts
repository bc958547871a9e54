import { mkdtemp, readdir, rm, utimes, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import type { ProcessIdentity, Processes } from '../../../../src/base/process-identity.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { pathsOf } from '../../../conformance/storage-bytes.js';
import { fault } from '../../../support/base/fault.js';

let directory: string;
const dead = new Set<number>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-sweep-'));
  dead.clear();
});
afterEach(() => rm(directory, { recursive: true }));

/** A process of made-up machines; on its own one it knows who is dead. */
function processesSeenBy(pid: number, machine: Partial<ProcessIdentity> = {}): Processes {
  const self = { host: 'one', boot: 'monday', pid, started: '77', ...machine };
  return {
    self,
    isDead: (other) => other.host === self.host && other.boot === self.boot && dead.has(other.pid),
  };
}

function storageOf(pid: number, machine?: Partial<ProcessIdentity>): Storage {
  return createLocalStorage({ directory, processes: processesSeenBy(pid, machine) });
}

async function stageSome(storage: Storage, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const staged = await storage.stage({ expectedBytes: 2 ** 30 }); // too large to wait in memory
    await staged.write(Buffer.from('part of something'));
    await staged.close();
  }
}

const staged = () => readdir(join(directory, '_staging')).catch(() => []);

/** Lets hours pass for every staged file but those that are named. */
async function age(hours: number, except: readonly string[] = []): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  for (const name of await staged()) {
    if (!except.includes(name)) await utimes(join(directory, '_staging', name), then, then);
  }
}

it('a sweep removes at once what a dead process of this machine and boot has left', async () => {
  await stageSome(storageOf(11), 3);
  dead.add(11);
  expect(await storageOf(12).sweep()).toBe(3);
  expect(await staged()).toEqual([]);
});

it('a sweep leaves what a living process has staged, however old, and its own', async () => {
  await stageSome(storageOf(11), 2);
  const own = storageOf(12);
  await stageSome(own, 1);
  await age(1000);
  expect(await own.sweep()).toBe(0);
  expect(await staged()).toHaveLength(3);
});

it.each([
  ['another machine', { host: 'two' }],
  ['the boot before', { boot: 'sunday' }],
])('removes what a process of %s has left once it has not changed for 24 hours', async (_, at) => {
  await stageSome(storageOf(11, at), 3);
  dead.add(11);
  await age(23);
  expect(await storageOf(12).sweep()).toBe(0);
  await age(25);
  expect(await storageOf(12).sweep()).toBe(3);
  expect(await staged()).toEqual([]);
});

it('one young file keeps all that its process has staged', async () => {
  await stageSome(storageOf(11, { host: 'two' }), 3);
  const [young = ''] = await staged();
  await age(100, [young]);
  expect(await storageOf(12).sweep()).toBe(0);
  expect(await staged()).toHaveLength(3);
});

it('lets files age whose names it does not understand, and never touches directories', async () => {
  await mkdir(join(directory, '_staging', 'a-directory'), { recursive: true });
  await writeFile(
    join(directory, '_staging', '0123456789abcdef-7'),
    'as an early version named it',
  );
  expect(await storageOf(12).sweep()).toBe(0);
  await age(25);
  expect(await storageOf(12).sweep()).toBe(1);
  expect(await staged()).toEqual(['a-directory']);
});

it('sweeps where nothing was ever staged', async () => {
  expect(await storageOf(12).sweep()).toBe(0);
  expect(await readdir(directory)).toEqual([]);
});

it('publishes what was staged before and during a sweep by others', async () => {
  const living = storageOf(11);
  const before = await living.stage();
  await before.close();
  const sweeping = storageOf(12).sweep();
  const during = await living.stage();
  await during.close();
  await sweeping;
  await before.publish('a');
  await during.publish('b');
  expect(await pathsOf(living, '')).toEqual(['a', 'b']);
  await living.close();
  expect(await readdir(directory)).toEqual(['a', 'b']);
});

it('says what it could not remove', async () => {
  await writeFile(join(directory, '_staging'), 'no directory');
  await expect(storageOf(12).sweep()).rejects.toThrow(
    `cannot delete files staged by interrupted runs in ${directory}: a part of the path is a file`,
  );
});

it(
  'the sweep counts files that it leaves: of other machines, or before the last start',
  fault('F-139'),
  async () => {
    await stageSome(storageOf(11), 1);
    await stageSome(storageOf(13, { host: 'two' }), 2);
    await stageSome(storageOf(14, { boot: 'sunday' }), 3);
    const own = storageOf(12);
    await stageSome(own, 1);
    expect(await own.stagedElsewhere?.()).toBe(5);
    dead.add(11);
    await own.sweep();
    expect(await own.stagedElsewhere?.()).toBe(5);
    await age(25);
    expect(await own.stagedElsewhere?.()).toBe(0);
  },
);
