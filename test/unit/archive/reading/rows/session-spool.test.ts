/** What is set aside by session comes back session by session, in the sessions' order, whatever the buckets are. */
import { expect, it } from 'vitest';
import { SessionSpool } from '../../../../../src/archive/reading/rows/session-spool.js';
import type { StagedObject } from '../../../../../src/storage/storage.js';
import { createMemoryStorage } from '../../../../support/store/memory-storage.js';

async function read(spool: SessionSpool): Promise<(readonly string[])[]> {
  await spool.close();
  const sessions = [];
  for await (const lines of spool.sessions()) sessions.push(lines);
  await spool.discard();
  return sessions;
}

it.each([1, 2, 3, 7, 100])(
  'each session comes once, with its own lines in the order added, from %i buckets',
  async (buckets) => {
    // one has nothing, one is as heavy as all others, the last has no weight and a line
    const weights = [1, 0, 1, 9, 3, 1, 0];
    const spool = await SessionSpool.open(createMemoryStorage(), weights, buckets);
    for (const round of ['a', 'b']) {
      for (const session of [6, 3, 0, 4, 2, 5]) await spool.add(session, `${round} of ${session}`);
    }
    expect(await read(spool)).toEqual(
      weights.map((_, n) => (n === 1 ? [] : [`a of ${n}`, `b of ${n}`])),
    );
  },
);

it('memory has to hold a bucket, which is read when its first session is', async () => {
  const storage = createMemoryStorage();
  let reads = 0;
  const stage = async (): Promise<StagedObject> => {
    const staged = await storage.stage();
    const read: StagedObject['read'] = (range) => {
      reads++;
      return staged.read(range);
    };
    return Object.assign(Object.create(staged) as StagedObject, { read });
  };
  const spool = await SessionSpool.open({ ...storage, stage }, [2, 2, 2, 2], 2);
  for (const session of [0, 1, 2, 3]) await spool.add(session, 'a line');
  await spool.close();
  const readsAt: number[] = [];
  for await (const lines of spool.sessions()) readsAt.push(lines.length * reads);
  expect(readsAt).toEqual([1, 1, 2, 2]);
  await spool.discard();
});

it('of no sessions nothing comes', async () => {
  expect(await read(await SessionSpool.open(createMemoryStorage(), [], 5))).toEqual([]);
});

it('many may add at a time, and every line stays whole', async () => {
  const spool = await SessionSpool.open(createMemoryStorage(), [1, 1], 1);
  const lines = Array.from({ length: 40 }, (_, n) => `${n} ${'é'.repeat(5000)}`);
  await Promise.all(lines.map((line, n) => spool.add(n % 2, line)));
  const [even = [], odd = []] = await read(spool);
  expect(even).toEqual(lines.filter((_, n) => n % 2 === 0));
  expect(odd).toEqual(lines.filter((_, n) => n % 2 === 1));
});

it('a bucket with more than memory is to hold is divided before it is read, a session never', async () => {
  const storage = createMemoryStorage();
  const counts = [1, 0, 9, 1, 1, 3, 2, 0, 1];
  const lineOf = (session: number, n: number) => `${session}: ${String(n).padEnd(90)}`;
  const spool = await SessionSpool.open(storage, counts.map(() => 1), 1, 200); // prettier-ignore
  for (let n = 0; n < 9; n++) {
    for (const [session, count] of counts.entries()) {
      if (n < count) await spool.add(session, lineOf(session, n));
    }
  }
  const expected = counts.map((count, session) =>
    Array.from({ length: count }, (_, n) => lineOf(session, n)),
  );
  await spool.close();
  for (let round = 0; round < 2; round++) {
    const read = [];
    let staged = 0;
    for await (const lines of spool.sessions()) {
      read.push(lines);
      staged = Math.max(staged, storage.place.staged.size);
    }
    expect(read).toEqual(expected);
    expect(staged).toBeGreaterThan(4);
    expect(storage.place.staged.size).toBe(1);
  }
  const stopped = spool.sessions();
  await stopped.next();
  await stopped.return(undefined);
  await spool.discard();
  expect(storage.place.staged.size).toBe(0);
});
