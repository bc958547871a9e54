import { expect, it } from 'vitest';
import { fromSnapshot } from '../../../../src/archive/archive.js';
import { NewestSessions } from '../../../../src/archive/reading/newest-sessions.js';
import { asSessionId, asUserId } from '../../../../src/model/ids.js';
import {
  deletionEntry,
  draft,
  makeArchive,
  reopened,
  session,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { snapshotOf } from '../../../support/store/snapshots.js';

const GONE = '2026-11-04T12:00:00.000Z';
const DELETED = '2026-11-05T12:00:00.000Z';
/** What each commit says. */
const COMMITS = [
  { sessions: [session('ann', 'a', { total: 3 }), session('ben', 'b', { complete: false })] },
  { sessions: [session('ann', 'a', { version: 2, gone_at: GONE }), session('ann', 'c')] },
  { deletions: [deletionEntry('ann', 'a'), deletionEntry('ann', 'c')] },
  { sessions: [session('ann', 'c', { version: 2 })] },
];

/** @param after the commit after which a snapshot is written, which takes one more; 0: none is */
async function archiveOf(after: number) {
  const archive = await makeArchive(createMemoryStorage());
  for (const [at, commit] of COMMITS.entries()) {
    await archive.index.refresh();
    await archive.log.append(draft({ base: archive.index.through, ...commit }));
    if (at + 1 === after) await snapshotOf(archive);
  }
  const reader = fromSnapshot(reopened(archive));
  await reader.index.refresh();
  return reader;
}

it.each([0, 1, 2, 3, 4])(
  'a session is as the log says it last, with a snapshot after commit %i',
  async (after) => {
    const { index } = await archiveOf(after);
    expect(index.snapshot?.head.number).toBe(after === 0 ? undefined : after);
    const told = [...(await NewestSessions.of(index))].map(
      ({ user, session: id, version, complete, goneAt, deletedAt }) =>
        `${user} ${id} ${version} ${complete} gone ${goneAt} deleted ${deletedAt}`,
    );
    expect(told.sort()).toEqual([
      `ann a 2 true gone ${GONE} deleted ${DELETED}`,
      'ann c 2 true gone null deleted null',
      'ben b 1 false gone null deleted null',
    ]);
  },
);

it('sessions are as of a commit, whatever was appended since', async () => {
  const { index } = await archiveOf(0);
  const sessions = await NewestSessions.of(index, { through: 1 });
  const a = sessions.get(asUserId('ann'), asSessionId('a'));
  expect(a).toMatchObject({ version: 1, lacking: 2, goneAt: null, commits: [1] });
  expect(sessions.get(asUserId('ann'), asSessionId('c'))).toBeUndefined();
});
