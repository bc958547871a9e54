import { describe, expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../../src/archive/archive.js';
import { throughOfStates } from '../../../../src/archive/paths.js';
import { stateIn, stateLine } from '../../../../src/archive/state/state-line.js';
import type { UserState } from '../../../../src/archive/state/user-state.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  gapOf,
  draft,
  job as jobOf,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { archived, job } from '../../../support/store/archived-sessions.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../support/store/snapshots.js';
import { fault } from '../../../support/base/fault.js';

const U = asUserId('u');
const DIGEST = 'ab'.repeat(16);

const gap = gapOf('j', { block_index: 2, status: 'expired', reason: 'r' });

function stateOf(sessions: readonly string[], urls: readonly string[]): UserState {
  const jobs = new Map([
    [asJobId('j'), job({ urls: Object.fromEntries(urls.map((url) => [url, DIGEST])) })],
  ]);
  return {
    user: U,
    through: 3,
    throughDigest: 'd',
    sessions: new Map(
      sessions.map((id) => [
        asSessionId(id),
        archived(id, { commit: 1 }, { jobs, gaps: [gap] }).state,
      ]),
    ),
  };
}

it('the line of a state is the same in whatever order it became so', () => {
  const line = stateLine(stateOf(['a', 'b', 'c'], ['x', 'y', 'z']));
  expect(stateLine(stateOf(['b', 'c', 'a'], ['y', 'z', 'x']))).toBe(line);
  expect(stateLine(stateOf(['c', 'b', 'a'], ['z', 'y', 'x']))).toBe(line);
  const { sessions } = JSON.parse(line) as { sessions: { session: string }[] };
  expect(sessions.map(({ session: id }) => id)).toEqual(['a', 'b', 'c']);
  expect(line).toContain(`"urls":{"x":"${DIGEST}","y":"${DIGEST}","z":"${DIGEST}"}`);
});

it('the line of a state is read back as it was', () => {
  const state = stateOf(['a', 'b'], ['0123456789abcdef']);
  expect(stateIn(stateLine(state), { number: 3, digest: 'd' })).toEqual(state);
});

const statesIn = ({ place }: MemoryStorage) =>
  [...place.objects.keys()].filter((path) => throughOfStates(path) !== undefined);

/** What a reader loads, which commits it reads for that, and what every commit gives. */
async function loaded(archive: Archive, storage: MemoryStorage) {
  const reader = fromSnapshot(reopened(archive));
  await reader.index.refresh();
  storage.calls.clear();
  const state = await reader.states.loadAsOf(U, reader.index.through);
  const manifests = [...storage.calls.keys()].filter((call) => call.includes('.jobs.'));
  const replayed = await reopened(archive).states.load(U);
  expect(stateLine(state)).toBe(stateLine(replayed));
  expect(state.throughDigest).toBe(replayed.throughDigest);
  return { state, manifests };
}

describe('state cache', () => {
  async function archiveOfOne() {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    const jobs = [jobOf('u', 'a', 'j1'), jobOf('v', 'b', 'j2')];
    await archive.log.append(draft({ sessions: [session('u', 'a'), session('v', 'b')], jobs }));
    await snapshotOf(archive);
    return { storage, archive };
  }

  it('states beside a snapshot are read for the jobs manifests, with the commits after it', async () => {
    const { storage, archive } = await archiveOfOne();
    expect((await loaded(archive, storage)).manifests).toEqual([]);
    await archive.log.append(
      draft({ base: 2, sessions: [session('u', 'c')], jobs: [jobOf('u', 'c', 'k')] }),
    );
    const { state, manifests } = await loaded(archive, storage);
    expect([...state.sessions.keys()]).toEqual(['a', 'c']);
    expect(manifests).toHaveLength(1);
  });

  it.each([
    ['missing', () => undefined],
    ['torn', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['with other bytes', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])])],
  ])(
    'the states beside a snapshot that are %s cost time only',
    fault('F-89'),
    async (_, changed) => {
      const { storage, archive } = await archiveOfOne();
      const [path = ''] = statesIn(storage);
      const bytes = changed(Buffer.from(await storage.get(path)));
      if (bytes) await storage.put(path, bytes);
      else await storage.delete(path);
      expect((await loaded(archive, storage)).manifests).toHaveLength(1);
      // and the next snapshot has them again
      await archive.log.append(draft({ base: 2, run: runOf('B'), sessions: [session('w', 'd')] }));
      await snapshotOf(archive);
      expect((await loaded(archive, storage)).manifests).toEqual([]);
    },
  );

  it('states beside a snapshot are named again where many, and written again where few', async () => {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    const users = Array.from({ length: 700 }, (_, i) => `user ${i}`);
    const long = 'h'.repeat(1000);
    const night = async (some: readonly string[], version: number) => {
      await archive.index.refresh();
      await archive.log.append(
        draft({
          base: archive.index.through,
          sessions: some.map((user) => session(user, 's', { version })),
          jobs: some.map((user) => jobOf(user, 's', 'j', { version, hash: long })),
        }),
      );
      await snapshotOf(archive);
      return statesIn(storage);
    };
    const first = await night(users, 1);
    expect(first).toHaveLength(2);
    const second = await night(users.slice(0, 1), 2);
    expect(second).toEqual(expect.arrayContaining(first.slice(0, 1)));
    expect(second).toHaveLength(3);
    await night(users.slice(0, 400), 3);
    const last = await night(users.slice(0, 400), 4);
    expect(last).not.toContain(first[0]);
    const reader = fromSnapshot(reopened(archive));
    for (const user of ['user 0', 'user 399', 'user 400', 'user 699'].map(asUserId)) {
      const state = stateLine(await reader.states.load(user));
      expect(state).toBe(stateLine(await reopened(archive).states.load(user)));
    }
  });

  // I-45 in FORMAT.md
  it('states beside a snapshot are neither written nor read while an erasure is open', async () => {
    const { archive, storage } = await archiveOfThree();
    await snapshotOf(archive);
    expect(statesIn(storage)).toHaveLength(1);
    const [path = ''] = statesIn(storage);
    const old = await storage.get(path);
    await new BegunErasure(archive).begin();
    storage.calls.clear();
    await fromSnapshot(reopened(archive)).states.load(asUserId('ben'));
    expect([...storage.calls.keys()].filter((call) => call === `get ${path}`)).toEqual([]);
    expect(old.length).toBeGreaterThan(0);
    expect(await snapshotOf(archive)).toBeUndefined();
  });
});
