/** An append whose answer is lost, whose log is not what it was, or that is overtaken again and again. */
import { expect, it } from 'vitest';
import { LogCrowdedError, IntegrityError } from '../../../../src/archive/archive-errors.js';
import type { CommitDraft } from '../../../../src/archive/log/commit-draft.js';
import { commitPath, snapshotPath } from '../../../../src/archive/paths.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  draft,
  job,
  makeArchive,
  NO_JOB,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const ERASURE_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const oneJob = { sessions: [session('u', 'a')], jobs: [job('u', 'a', 'j')] };

/** Runs `before` ahead of each commit that is put. */
function withPut(
  storage: Storage,
  before: (path: string, bytes: Uint8Array) => Promise<unknown>,
): Storage {
  return {
    ...storage,
    async putIfAbsent(path, bytes) {
      await before(path, bytes);
      return storage.putIfAbsent(path, bytes);
    },
  };
}

it('append recognises its own commit if the answer to the put was lost', async () => {
  const storage = createMemoryStorage();
  const one = await makeArchive(storage);
  const lossy = withPut(storage, async (path, bytes) => {
    await storage.putIfAbsent(path, bytes);
    throw new Error('the connection broke');
  });
  const { log } = reopened(one, lossy);
  const commit = await log.append(draft(oneJob));
  expect(commit.number).toBe(1);
  expect(await reopened(one).log.read(1)).toEqual(commit);
});

it('append throws the error of the storage if the commit is not there', async () => {
  const storage = createMemoryStorage();
  const one = await makeArchive(storage);
  const broken = withPut(storage, () => Promise.reject(new Error('the connection broke')));
  await expect(reopened(one, broken).log.append(draft(oneJob))).rejects.toThrow('connection broke');
  expect(await reopened(one).log.head()).toBeNull();
});

it('append returns the earlier commit for a draft with the same nonce', async () => {
  const storage = createMemoryStorage();
  const one = await makeArchive(storage);
  const again = { ...draft(oneJob), nonce: '0123456789abcdef0123456789abcdef' };
  const first = await one.log.append(again);
  await one.log.append(draft({ base: 1, sessions: [session('u', 'b')] }));
  expect(await reopened(one).log.append(again)).toEqual(first);
  expect(await one.log.head()).toMatchObject({ number: 2 });
});

it('append refuses a draft whose base commit the log has lost', async () => {
  const one = await makeArchive(createMemoryStorage());
  await one.log.append(draft());
  const losing = one.log.append(draft({ base: 3 }));
  await expect(losing).rejects.toThrow(IntegrityError);
  await expect(losing).rejects.toMatchObject({
    problem: 'missing',
    path: commitPath(3),
    detail: 'is missing from the log, where it was before',
  });
  await expect(one.log.read(4)).rejects.toMatchObject({ problem: 'missing', path: commitPath(4) });
});

it('append gives up after a hundred numbers that other runs took', async () => {
  const storage = createMemoryStorage();
  const one = await makeArchive(storage);
  let tries = 0;
  const crowded = withPut(storage, () => one.log.append(draft({ base: tries++ })));
  const losing = reopened(one, crowded).log.append(draft({ run: runOf('B'), ...oneJob }));
  await expect(losing).rejects.toThrow(LogCrowdedError);
  await expect(losing).rejects.toThrow('the last 100 numbers of the log, up to commit 100');
  expect(tries).toBe(100);
  expect([...storage.place.objects.keys()].filter((path) => path.endsWith('.gz'))).toEqual([]);
});

it('append makes a new erasure entry for each number that it tries, and commits the last', async () => {
  const storage = createMemoryStorage();
  const one = await makeArchive(storage);
  let isFirst = true;
  const overtaken = withPut(storage, async () => {
    if (isFirst) await one.log.append(draft());
    isFirst = false;
  });
  const asked: number[] = [];
  const erasure = (number: number) => {
    asked.push(number);
    return Promise.resolve({ stage: 'finished' as const, id: ERASURE_ID, begun: number });
  };
  const commit = await reopened(one, overtaken).log.append(draft({ run: runOf('B'), erasure }));
  expect(asked).toEqual([1, 2]);
  expect(commit).toMatchObject({ number: 2, kind: 'erase', erasure: { begun: 2 } });
});

// I-48 in FORMAT.md
it('append commits holds, and no such field without holds', async () => {
  const one = await makeArchive(createMemoryStorage());
  const hold = {
    action: 'release',
    id: ERASURE_ID,
    reason: 'the case is closed',
    by: 'ada',
  } as const;
  expect((await one.log.append(draft({ kind: 'hold', holds: [hold] }))).holds).toEqual([hold]);
  expect(await one.log.append(draft({ base: 1 }))).not.toHaveProperty('holds');
});

const snapshot = {
  path: snapshotPath(1, ERASURE_ID),
  bytes: 1,
  sha256: 'a'.repeat(64),
  through: 1,
  sessions_bytes: 0,
};
const said = { id: ERASURE_ID, reason: 'ticket 7', by: 'ada' };
const gap = {
  ...NO_JOB,
  status: 'failed',
} as const;
const whose = { user: asUserId('u'), session: asSessionId('a') };

it.each<Partial<CommitDraft>>([
  { clock_confirmed: true },
  {
    kind: 'accept',
    accepted: [{ ...whose, ...gap, ...said, action: 'accept' }],
  },
  { kind: 'request', requests: [{ ...said, action: 'close' }] },
  {
    kind: 'drill',
    drill: {
      ...{ commit: 1, sample: 1, sessions: 1, jobs: 1, rows: 1 },
      ...{ files: 0, not_stored: 0, differences: 0 },
    },
  },
  { kind: 'snapshot', snapshot },
])('append commits what is in a draft alone, and no such field without it (%j)', async (over) => {
  const one = await makeArchive(createMemoryStorage());
  const plain = await one.log.append(draft({ clock_confirmed: undefined }));
  const made = await one.log.append(draft({ base: 1, clock_confirmed: undefined, ...over }));
  expect(made).toMatchObject(over);
  const added = Object.keys(over).filter((name) => name !== 'kind');
  expect(Object.keys(made).filter((name) => !(name in plain))).toEqual(added);
  expect(await reopened(one).log.read(2)).toEqual(made);
});

it('the log reads evicted commits again, and those that it is asked to, and caches the rest', async () => {
  const storage = createMemoryStorage();
  const { log } = await makeArchive(storage);
  for (let base = 0; base < 2; base++) await log.append(draft({ base }));
  await Promise.all([log.read(1), log.read(2)]);
  const { epoch } = log;
  storage.place.objects.set(commitPath(1), Buffer.from('{}'));
  storage.place.objects.set(commitPath(2), Buffer.from('{}'));
  expect((await log.read(1)).number).toBe(1);
  expect(log.epoch).toBe(epoch);
  await expect(log.reread(1)).rejects.toThrow(IntegrityError);
  expect((await log.read(2)).number).toBe(2);
  log.forget();
  expect(log.epoch).not.toBe(epoch);
  await expect(log.read(2)).rejects.toThrow(IntegrityError);
});
