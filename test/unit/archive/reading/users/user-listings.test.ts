/** What a listing still proves once sessions of somebody were erased: receipts name nobody. */
import { expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../../../src/archive/archive.js';
import { UserListings } from '../../../../../src/archive/reading/users/user-listings.js';
import {
  begunReceipt,
  deletionEntry,
  draft,
  makeArchive,
  reopened,
  runOf,
  session,
  userEntry,
} from '../../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../../support/store/snapshots.js';

const USERS = ['untouched', 'deleted', 'rewritten', 'exported', 'gone-before', 'deleted-before'];
const WENT = { version: 2, gone_at: '2026-11-20T00:00:00.000Z' };

it('A listing of what the archive has proves a user complete until another run exports it', async () => {
  const archive = await makeArchive(createMemoryStorage());
  let base = 0;
  const append = (of: object) => archive.log.append(draft({ base: base++, ...of }));
  await append({
    run: runOf('A'),
    sessions: USERS.flatMap((user) => [session(user, `${user}-1`), session(user, `${user}-2`)]),
  });
  await append({
    run: runOf('P'),
    deletions: [deletionEntry('deleted-before', 'deleted-before-1')],
  });
  // of each user two were listed, and the archive has two
  const read = { new: 0, changed: 0, unchanged: 2, failed: 0 };
  await append({
    run: runOf('B'),
    sessions: [session('gone-before', 'gone-before-1', WENT)],
    users: USERS.map((user) => userEntry(user, { listed: 2, total_items: 2, sessions: read })),
  });
  await append({
    run: runOf('B'),
    sessions: [session('rewritten', 'rewritten-1', { version: 2 })],
  });
  await append({ run: runOf('C'), sessions: [session('exported', 'exported-1', { version: 2 })] });
  await append({ run: runOf('P'), deletions: [deletionEntry('deleted', 'deleted-1')] });
  await append({ kind: 'erase', run: runOf('E'), erasure: twoErased });
  const finished = { stage: 'finished', id: runOf('E'), begun: base };
  await append({ kind: 'erase', run: runOf('E'), erasure: () => Promise.resolve(finished) });
  await archive.index.refresh();
  const proven = async (of: Archive) => {
    const listings = await UserListings.of(of);
    return USERS.filter((user) => listings.isProven(user));
  };
  const whole = ['untouched', 'deleted', 'rewritten'];
  expect(await proven(archive)).toEqual(whole);
  await snapshotOf(archive);
  const reader = fromSnapshot(reopened(archive));
  await reader.index.refresh();
  expect(reader.index.snapshot).toBeDefined();
  expect(await proven(reader)).toEqual(whole);
});

function twoErased() {
  const erased = { sessions: 2, jobs: 2, rows: {}, artifacts: 0, artifact_bytes: 0 };
  return Promise.resolve(begunReceipt({ asked: { users: 0, sessions: 2 }, erased }));
}
