import { expect, it } from 'vitest';
import { REWRITE_LEASE_PATH, runLeasePath, userLeasePath } from '../../../../src/archive/paths.js';
import { ArchiveRun } from '../../../../src/archive/runs/archive-run.js';
import { decodeLeaseNote, encodeLeaseNote } from '../../../../src/archive/runs/lease.js';
import { silentLogger } from '../../../../src/base/logger.js';
import { asUserId, type RunId } from '../../../../src/model/ids.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  makeArchive,
  putPart,
  runOf,
  seededRandom,
} from '../../../support/store/archive-samples.js';
import { processes } from '../../../support/store/begun-erasure.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { fault } from '../../../support/base/fault.js';

const [OWN, OTHER] = [runOf('P'), runOf('Q')];
const ANN = asUserId('ann');

async function runWith(over: (storage: Storage) => Partial<Storage> = () => ({})) {
  const storage = createMemoryStorage();
  const clock = new FakeClock();
  const told: unknown[] = [];
  const logger = { ...silentLogger, info: (...given: unknown[]) => void told.push(given) };
  const made = await makeArchive({ ...storage, ...over(storage) });
  const archive = { ...made, processes, clock, random: seededRandom(3), logger };
  const run = new ArchiveRun({
    archive,
    run: OWN,
  });
  const isHeld = (path: string, by: RunId = OWN) => {
    const bytes = storage.place.objects.get(path);
    return bytes !== undefined && decodeLeaseNote(bytes)?.run === by;
  };
  const heldElsewhere = (path: string) => {
    const note = { run: OTHER, host: 'elsewhere', boot: 'b', pid: 7, started: '1' };
    return storage.put(path, encodeLeaseNote({ ...note, beat: 0 }));
  };
  return { storage, clock, told, archive, run, isHeld, heldElsewhere };
}

it('a run holds a lease of its own from its beginning to its end', async () => {
  const { run, told, isHeld } = await runWith();
  expect(run.run).toBe(OWN);
  await run.begin();
  expect(isHeld(runLeasePath(OWN))).toBe(true);
  await run.end();
  expect(isHeld(runLeasePath(OWN))).toBe(false);
  await run.end();
  expect(told).toEqual([]);
});

it('a run removes what interrupted runs had staged, and says how much', async () => {
  const { run, told } = await runWith(() => ({ sweep: () => Promise.resolve(2) }));
  await run.begin();
  await run.end();
  expect(told).toEqual([[{ files: 2 }, 'removed files that interrupted runs had staged']]);
});

it('a run does not wait for another process that works under its id', async () => {
  const { run, clock, heldElsewhere } = await runWith();
  await heldElsewhere(runLeasePath(OWN));
  await expect(run.begin()).rejects.toThrow(
    `another run (${OTHER}, process 7 on elsewhere) is working on run ${OWN}`,
  );
  expect(clock.monotonic()).toBe(0);
});

it('a run counts its files from 1, and its checkpoints by its commits', async () => {
  const { run } = await runWith();
  expect([run.nextPart(), run.nextPart(), run.nextCheckpoint]).toEqual([1, 2, 1]);
  run.commits.push(4);
  expect([run.nextPart(), run.nextCheckpoint]).toEqual([3, 2]);
});

it('a run counts the commits that clean up as its own', async () => {
  const { run, storage } = await runWith();
  await run.begin();
  await putPart(storage, { run: OTHER, n: 1, rows: 1 });
  await run.abandonDead();
  expect([run.commits, run.nextCheckpoint]).toEqual([[1], 2]);
  await run.end();
});

it('a run releases its run lease last', async () => {
  const deleted: string[] = [];
  const { run } = await runWith((storage) => ({
    delete: (path) => storage.delete(path).then(() => void deleted.push(path)),
  }));
  await run.begin();
  await run.leaseArchive(new AbortController().signal);
  await run.end();
  expect(deleted).toEqual([REWRITE_LEASE_PATH, runLeasePath(OWN)]);
});

it('a rewrite waits for the one before as long as that lives, and says for which', async () => {
  const { run, storage, clock, told, isHeld, heldElsewhere } = await runWith();
  await heldElsewhere(REWRITE_LEASE_PATH);
  const leased = run.leaseArchive(new AbortController().signal);
  await clock.advance(4000);
  const waiting = [{ run: OTHER }, 'another run is rewriting the archive; waiting for it'];
  expect(told).toEqual([waiting]);
  await storage.delete(REWRITE_LEASE_PATH);
  await clock.advance(2000);
  await leased;
  expect(isHeld(REWRITE_LEASE_PATH)).toBe(true);
  await run.end();
  expect(isHeld(REWRITE_LEASE_PATH)).toBe(false);
});

it('a rewrite stops waiting when its signal is aborted', async () => {
  const { run, clock, told, heldElsewhere, storage } = await runWith();
  await storage.put(REWRITE_LEASE_PATH, Buffer.from('no lease'));
  const stop = new AbortController();
  const stopped = expect(run.leaseArchive(stop.signal)).rejects.toThrow('enough');
  await clock.advance(1000);
  expect(told).toMatchObject([[{ run: undefined }, expect.any(String)]]);
  stop.abort(new Error('enough'));
  await stopped;
  await heldElsewhere(REWRITE_LEASE_PATH);
});

it('the lease of a user is released by the code that acquired it', async () => {
  const { run, isHeld } = await runWith();
  const lease = await run.leaseUser(ANN, { wait: 'none' });
  expect(isHeld(userLeasePath(ANN))).toBe(true);
  await run.end();
  expect(isHeld(userLeasePath(ANN))).toBe(true);
  await lease.release();
  expect(isHeld(userLeasePath(ANN))).toBe(false);
});

it.each([
  [
    'names the user',
    {},
    'user ann',
    { user: 'ann', run: OTHER, host: 'elsewhere', pid: 7 },
    'this user',
  ],
  ['does not name a secret one', { isSecret: true }, 'one of the users', {}, 'one of the users'],
])('the lease of a user %s, refused or waiting', async (_, options, subject, fields, whom) => {
  const { run, clock, told, storage, heldElsewhere } = await runWith();
  await heldElsewhere(userLeasePath(ANN));
  await expect(run.leaseUser(ANN, { ...options, wait: 'none' })).rejects.toMatchObject({
    subject,
  });
  expect(told).toEqual([]);
  const leased = run.leaseUser(ANN, { ...options, wait: 'endless' });
  await clock.advance(1000);
  expect(told).toEqual([[fields, `another run is at work on ${whom}; waiting for it`]]);
  await storage.delete(userLeasePath(ANN));
  await clock.advance(2000);
  await (await leased).release();
});

it('the lease of a user is waited for even if it cannot be read', async () => {
  const { run, clock, told, storage } = await runWith();
  await storage.put(userLeasePath(ANN), Buffer.from('no lease'));
  const leased = run.leaseUser(ANN, { wait: 'endless' });
  await clock.advance(1000);
  expect(told).toMatchObject([[{ user: 'ann' }, expect.any(String)]]);
  await clock.advance(32_000);
  await (await leased).release();
});

it.each<[string, (path: string) => string | undefined]>([
  ['leave out what was just written', (path) => (path.startsWith('_leases/') ? undefined : path)],
  ['give names back in lower case', (path) => path.toLowerCase()],
])('a run does not begin in a storage whose lists %s', fault('F-137'), async (_, listed) => {
  const { run, isHeld, clock } = await runWith((storage) => ({
    async *list(prefix, options) {
      for await (const info of storage.list(prefix, options)) {
        const path = listed(info.path);
        if (path !== undefined) yield { ...info, path };
      }
    },
  }));
  const begun = run.begin().catch((error: unknown) => error);
  for (let pause = 0; pause < 4; pause++) await clock.advance(1000);
  expect(await begun).toMatchObject({ failure: 'storage', trouble: 'lists' });
  await run.end();
  expect(isHeld(runLeasePath(OWN))).toBe(false);
});

it(
  'a run begins although somebody has removed its lease before it was listed',
  fault('F-137'),
  async () => {
    const { run } = await runWith((storage) => ({
      async *list(prefix, options) {
        await storage.delete(runLeasePath(OWN));
        yield* storage.list(prefix, options);
      },
    }));
    await run.begin();
    await run.end();
  },
);

it('a run begins although one list among the changes of others lacks its lease', async () => {
  let lists = 0;
  const { run, clock, isHeld } = await runWith((storage) => ({
    async *list(prefix, options) {
      if (prefix !== runLeasePath(OWN) || ++lists > 1) yield* storage.list(prefix, options);
    },
  }));
  const begun = run.begin();
  for (let pause = 0; pause < 2; pause++) await clock.advance(1000);
  await begun;
  expect([lists, isHeld(runLeasePath(OWN))]).toEqual([2, true]);
  await run.end();
});
