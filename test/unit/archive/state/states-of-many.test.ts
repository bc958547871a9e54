import { expect, it } from 'vitest';
import { fromSnapshot } from '../../../../src/archive/archive.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  draft,
  job,
  makeArchive,
  reopened,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../support/store/snapshots.js';

it('states of many users are rebuilt by reading each commit and manifest a few times', async () => {
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

it('states of many users as of one commit take one request for many, none for newer commits', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const users = ['ana', 'ben', 'eva'].map(asUserId);
  await archive.log.append(draft({ sessions: users.map((user) => session(user, 's')) }));
  await snapshotOf(archive);
  const fresh = fromSnapshot(reopened(archive));
  await fresh.index.refresh();
  storage.calls.clear();
  for (const user of users) {
    const { through, sessions } = await fresh.states.loadAsOf(user, 2);
    expect([through, ...sessions.keys()]).toEqual([2, 's']);
  }
  const calls = [...storage.calls.keys()].filter((call) => call.includes('_'));
  expect(calls).toEqual([expect.stringMatching(/^get _snapshots\/.*\.states\.jsonl\.gz$/)]);
});

it('the states of many users are as of that commit, also where the log has newer ones', async () => {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const ana = asUserId('ana');
  await archive.log.append(draft({ sessions: [session('ana', 's')] }));
  await archive.log.append(draft({ base: 1, sessions: [session('ana', 't')] }));
  await snapshotOf(archive);
  for (const fresh of [reopened(archive), fromSnapshot(reopened(archive))]) {
    await fresh.index.refresh();
    const state = await fresh.states.loadAsOf(ana, 1);
    expect([state.through, ...state.sessions.keys()]).toEqual([1, 's']);
    const newest = await fresh.states.load(ana);
    expect([newest.through, ...newest.sessions.keys()]).toEqual([3, 's', 't']);
  }
});
