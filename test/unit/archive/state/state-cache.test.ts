import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { statePath } from '../../../../src/archive/paths.js';
import { decodeState, encodeState, stateText } from '../../../../src/archive/state/state-codec.js';
import type { UserState } from '../../../../src/archive/state/user-state.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../../support/store/archive-samples.js';
import { archived, job } from '../../../support/store/archived-sessions.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { erased } from '../../../support/rigs/erase-rig.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const U = asUserId('u');
const DIGEST = 'ab'.repeat(16);

const gap = {
  job: asJobId('j'),
  role: 'answer',
  block_index: 2,
  file_index: 0,
  kind: 'TABLE',
  status: 'expired',
  reason: 'r',
};

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

describe('the text of a state', () => {
  it('is the same in whatever order it became so', () => {
    const text = stateText(stateOf(['a', 'b', 'c'], ['x', 'y', 'z']));
    expect(stateText(stateOf(['b', 'c', 'a'], ['y', 'z', 'x']))).toBe(text);
    expect(stateText(stateOf(['c', 'b', 'a'], ['z', 'y', 'x']))).toBe(text);
    const { sessions } = JSON.parse(text) as { sessions: { session: string }[] };
    expect(sessions.map(({ session: id }) => id)).toEqual(['a', 'b', 'c']);
    expect(text).toContain(`"urls":{"x":"${DIGEST}","y":"${DIGEST}","z":"${DIGEST}"}`);
  });

  it('is gzipped, and read back as it was', async () => {
    const state = stateOf(['a', 'b'], ['0123456789abcdef']);
    const bytes = await encodeState(state);
    expect(gunzipSync(bytes).toString()).toBe(stateText(state));
    expect(await decodeState('_state/x', bytes)).toEqual(state);
  });

  it('that is damaged is named', async () => {
    const damaged = decodeState('_state/x', Buffer.from('no gzip'));
    await expect(damaged).rejects.toMatchObject({
      problem: 'unreadable',
      message: '_state/x is damaged: it is not a valid state',
      cause: { code: 'Z_DATA_ERROR' },
    });
  });
});

describe('the cache of a state', () => {
  async function archiveOfOne() {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    await archive.log.append(draft({ sessions: [session('u', 'a'), session('u', 'b')] }));
    return { storage, archive, path: statePath(U) };
  }

  it('may be newer than the log as it was read', async () => {
    const { storage, archive, path } = await archiveOfOne();
    let reads = 0;
    const slow = reopened(archive, {
      ...storage,
      get: async (at) => {
        if (at === path && ++reads === 1) {
          await archive.log.append(draft({ base: 1, sessions: [session('u', 'c')] }));
          await archive.states.save(await archive.states.load(U));
        }
        return storage.get(at);
      },
    });
    const { through, sessions } = await slow.states.load(U);
    expect([through, [...sessions.keys()]]).toEqual([2, ['a', 'b', 'c']]);
  });

  // I-30 in FORMAT.md
  it('that is newer than the whole log says that a commit is missing', async () => {
    const { storage, archive, path } = await archiveOfOne();
    await archive.states.save(await archive.states.load(U));
    await storage.delete('_commits/000000000001.json');
    await expect(reopened(archive).states.load(U)).rejects.toMatchObject({
      problem: 'missing',
      path: '_commits/000000000001.json',
      detail: `is missing from the log: ${path} was made after it; this log may have been cut: compare --expect-head`,
    });
  });

  it('is not taken for missing where the storage fails', async () => {
    const { storage, archive, path } = await archiveOfOne();
    const failing = reopened(archive, {
      ...storage,
      get: (at) => (at === path ? Promise.reject(new Error('no route')) : storage.get(at)),
    });
    await expect(failing.states.load(U)).rejects.toThrow('no route');
  });

  it('does not go back to a commit before it', async () => {
    const { archive } = await archiveOfOne();
    await archive.log.append(draft({ base: 1, sessions: [session('u', 'c')] }));
    const state = await archive.states.load(U);
    expect(await archive.states.replay(state, 1)).toEqual(state);
  });

  // I-45 in FORMAT.md
  it('is written only from a state that was read since the last erasure', async () => {
    const { storage, archive, path } = await archiveOfOne();
    const before = await archive.states.load(U);
    await erased(archive, { users: [], sessions: ['a'] });
    await archive.index.refresh();
    storage.calls.clear();
    await archive.states.save(before);
    expect([storage.calls.get('put'), storage.place.objects.has(path)]).toEqual([undefined, false]);
    const since = await archive.states.load(U);
    expect(since.through).toBe(archive.index.lastErasure);
    await archive.states.save(since);
    expect(storage.place.objects.has(path)).toBe(true);
  });

  // I-45 in FORMAT.md
  it('is removed again where an erasure came while it was written', async () => {
    const { storage, archive, path } = await archiveOfOne();
    const erasure = { stage: 'finished' as const, id: runOf('E'), begun: 1 };
    const saving = reopened(archive, {
      ...storage,
      put: async (at, bytes) => {
        await storage.put(at, bytes);
        const entry = () => Promise.resolve(erasure);
        await archive.log.append(draft({ kind: 'erase', base: 1, erasure: entry }));
      },
    });
    await saving.states.save(await saving.states.load(U));
    expect(storage.place.objects.has(path)).toBe(false);
  });

  // I-45 in FORMAT.md
  it('is neither written nor read while an erasure is open', async () => {
    const { archive, storage } = await archiveOfThree();
    await new BegunErasure(archive).begin();
    const ben = asUserId('ben');
    const state = await archive.states.load(ben);
    storage.calls.clear();
    await archive.states.save(state);
    expect(storage.calls.get('put')).toBeUndefined();
    const wrong = { ...state, sessions: new Map() };
    await storage.put(statePath(ben), await encodeState(wrong));
    expect((await archive.states.load(ben)).sessions.size).toBe(1);
  });
});
