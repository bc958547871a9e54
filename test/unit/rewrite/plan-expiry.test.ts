/** The plan of an expiry is made from a snapshot, and from the log only of users of whom something may go: it is the same. */
import { expect, it } from 'vitest';
import { fromSnapshot } from '../../../src/archive/archive.js';
import { Holds } from '../../../src/archive/holds/holds.js';
import { ulid } from '../../../src/base/ulid.js';
import { planExpiry, type ExpiryRules } from '../../../src/rewrite/expiry/plan-expiry.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import {
  draft,
  job,
  makeArchive,
  reopened,
  seededRandom,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { snapshotOf } from '../../support/store/snapshots.js';

const rules: ExpiryRules = {
  momentMs: Date.UTC(2024, 0, 1),
  users: undefined,
  clock: 'confirmed',
  holds: Holds.none,
  signal: new AbortController().signal,
};

function idAt(year: number): string {
  return ulid(new FakeClock(Date.UTC(year, 5, 1)), seededRandom(year));
}

const [FIRST, SECOND] = ['_commits/000000000001.json', '_commits/000000000002.json'];

it.each([
  ['a user with an old session', true, [FIRST]],
  ['that user and of one with a job without a time', false, [FIRST, SECOND]],
])(
  'the plan of an expiry reads the log of %s, and of nobody else',
  async (_, hasTimes, expected) => {
    const archive = await makeArchive(createMemoryStorage());
    await archive.log.append(
      draft({ sessions: [session('ann', 's')], jobs: [job('ann', 's', idAt(2020))] }),
    );
    await archive.log.append(
      draft({
        base: 1,
        checkpoint: 2,
        sessions: [session('ben', 't'), session('ben', 'u')],
        jobs: [job('ben', 't', idAt(2025)), job('ben', 'u', hasTimes ? idAt(2025) : 'undated')],
      }),
    );
    await archive.index.refresh();
    await snapshotOf(archive);
    const { storage } = archive;
    const read: string[] = [];
    const watched = { ...storage, get: (path: string) => (read.push(path), storage.get(path)) };
    const plan = await planExpiry(fromSnapshot(reopened(archive, watched)), rules);
    expect(plan).toEqual(await planExpiry(reopened(archive), rules));
    expect(plan.sessions.map((of) => of.session)).toEqual(hasTimes ? ['s'] : ['s', 'u']);
    const before = read.filter((path) => /^_commits\/0{11}[12]\./.test(path));
    expect(before).toEqual(expected);
  },
);
