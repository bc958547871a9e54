import { describe, expect, it } from 'vitest';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  draft,
  job,
  makeArchive,
  reopened,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

describe('the states of many users', () => {
  it('are rebuilt by reading every commit and every jobs manifest a few times at most', async () => {
    const storage = createMemoryStorage();
    const archive = await makeArchive(storage);
    const users = Array.from({ length: 400 }, (_, i) => `user ${i}`);
    for (let n = 0; n < 40; n++) {
      const touched = users.filter((_, i) => i % 10 === n % 10);
      await archive.log.append(
        draft({
          base: n,
          sessions: touched.map((user) => session(user, 's')),
          jobs: touched.map((user) => job(user, 's', `job ${n}`, { index: n })),
        }),
      );
    }
    const fresh = reopened(archive);
    storage.calls.clear();
    for (const user of users) {
      const state = await fresh.states.load(asUserId(user));
      expect(state.sessions.get(asSessionId('s'))?.jobs.size).toBe(4);
    }
    const reads = [...storage.calls].filter(([call]) => /^(get|read) _commits/.test(call));
    const ofStanding = reads.filter(([call]) => !call.includes('000000000041'));
    expect(ofStanding).toHaveLength(80);
    expect(Math.max(...ofStanding.map(([, calls]) => calls))).toBeLessThanOrEqual(3);
  });
});
