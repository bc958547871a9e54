import { beforeEach, expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../src/archive/archive.js';
import { archiveChanges, type Change, type ChangesOptions } from '../../../src/archive/changes.js';
import type { CommitDraft } from '../../../src/archive/log/commit-draft.js';
import {
  begunReceipt,
  deletionEntry,
  draft,
  job,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { snapshotOf } from '../../support/store/snapshots.js';

let archive: Archive;
let checkpoint: number;
beforeEach(async () => {
  archive = await makeArchive(createMemoryStorage());
  checkpoint = 0;
});

/** The next commit, of one run. */
async function commit(over: Partial<CommitDraft>): Promise<number> {
  const base = (await archive.log.head())?.number ?? 0;
  const { number } = await archive.log.append(draft({ ...over, base, checkpoint: ++checkpoint }));
  return number;
}

/** A line: what is not null, without the table that goes with it. */
function told({ commit: number, at, change, table, ...keys }: Change): string {
  expect(at).toBe(archive.index.commit(number)?.counts.at ?? at);
  expect(new Date(at).toISOString()).toBe(at);
  const named = Object.values(keys).filter((value) => value !== null);
  return [number, change, ...(named.length === 0 && table !== null ? [table] : named)].join(' ');
}

async function changes(options: ChangesOptions): Promise<{ lines: string[]; through: number }> {
  // as another process would see it
  const { through, changes: found } = await archiveChanges(reopened(archive), options);
  const lines: string[] = [];
  for await (const change of found) lines.push(told(change));
  return { lines, through };
}

const linesSince = async (since: number) => (await changes({ since })).lines;

it('each version of a session and of a job is told once, in the order of the log', async () => {
  await commit({
    sessions: [session('ann', 's', { version: 0 })],
    jobs: [job('ann', 's', 'a')],
  });
  await commit({
    sessions: [session('ann', 's')],
    jobs: [job('ann', 's', 'a', { index: 1 }), job('ann', 's', 'b')],
  });
  await commit({
    sessions: [session('ann', 's', { version: 2 }), session('ben', 's')],
    jobs: [job('ann', 's', 'a', { version: 2 }), job('ben', 's', 'a')],
  });
  const all = [
    '1 added ann s a 1',
    '2 added ann s 1',
    '2 added ann s b 1',
    '3 changed ann s 2',
    '3 added ben s 1',
    '3 changed ann s a 2',
    '3 added ben s a 1',
  ];
  expect(await linesSince(0)).toEqual(all);
  for (const since of [1, 2, 3]) {
    expect(await linesSince(since)).toEqual(all.filter((line) => Number(line[0]) > since));
  }
});

it('a line that the log repeats is no change, whether it stands before the cursor or after', async () => {
  await commit({ sessions: [session('ann', 's')], jobs: [job('ann', 's', 'a')] });
  const again = { sessions: [session('ann', 's', { total: 5 })], jobs: [job('ann', 's', 'a')] };
  await commit(again);
  await commit(again);
  expect(await linesSince(0)).toEqual(['1 added ann s 1', '1 added ann s a 1']);
  expect(await changes({ since: 1 })).toEqual({ lines: [], through: 3 });
  expect(await linesSince(2)).toEqual([]);
});

it('of a commit that first has a later version, as a copy’s has, every version is told', async () => {
  await commit({ sessions: [session('ann', 's', { version: 0 })] });
  await commit({
    sessions: [session('ann', 's', { version: 2 })],
    jobs: [
      job('ann', 's', 'a', { version: 3 }),
      job('ann', 's', 'b', { version: 2, withdrawn: true }),
    ],
  });
  const all = [
    ...['2 added ann s 1', '2 changed ann s 2'],
    ...['2 added ann s a 1', '2 changed ann s a 2', '2 changed ann s a 3'],
    ...['2 added ann s b 1', '2 withdrawn ann s b 2'],
  ];
  expect(await linesSince(0)).toEqual(all);
  expect((await changes({ keys: true })).lines).toEqual(all);
});

it('a session that goes, by itself or by a deletion, is told once, and once that it is back', async () => {
  const gone = session('ann', 's', { gone_at: '2026-11-06T00:00:00.000Z' });
  const found = { ...deletionEntry('ann', 'r'), outcome: 'already-gone' } as const;
  await commit({ sessions: ['r', 's', 't'].map((id) => session('ann', id)) });
  await commit({ sessions: [gone] });
  await commit({ sessions: [gone] });
  await commit({ sessions: [session('ann', 's')] });
  await commit({ deletions: [deletionEntry('ann', 't')] });
  await commit({ sessions: [session('ann', 't', { version: 2 })] });
  // what prune found gone it has not deleted
  await commit({ deletions: [found] });
  const all = [
    '1 added ann r 1',
    '1 added ann s 1',
    '1 added ann t 1',
    '2 gone ann s',
    '4 back ann s',
    '5 deleted ann t',
    '6 changed ann t 2',
    '6 back ann t',
    '7 gone ann r',
  ];
  expect(await linesSince(0)).toEqual(all);
  for (const since of [1, 2, 3, 4, 5, 6, 7]) {
    expect(await linesSince(since)).toEqual(all.filter((line) => Number(line[0]) > since));
  }
});

it('an erasure is one line without a name, when it is finished; until then nothing is told', async () => {
  await commit({ sessions: [session('ann', 's')] });
  const erased = {
    ...{ sessions: 1, jobs: 0, rows: { sessions: 1 } },
    ...{ artifacts: 0, artifact_bytes: 0 },
  };
  const id = runOf('E');
  const receipt = await commit({ erasure: () => Promise.resolve(begunReceipt({ erased })) });
  await expect(changes({ since: 0 })).rejects.toMatchObject({
    code: 'ARCHIVE_ERASURE_UNFINISHED',
  });
  const finished = { stage: 'finished', id, begun: receipt } as const;
  await commit({ erasure: () => Promise.resolve(finished) });
  for (const since of [1, 2]) expect(await linesSince(since)).toEqual(['3 erased']);
  expect(await linesSince(3)).toEqual([]);
});

it('an erasure that begins while changes are read makes the list void', async () => {
  await commit({ sessions: [session('ann', 's')], jobs: [job('ann', 's', 'a')] });
  const { changes: found } = await archiveChanges(reopened(archive), { since: 0 });
  const reading = found[Symbol.asyncIterator]();
  expect((await reading.next()).value).toMatchObject({ change: 'added', session_id: 's' });
  const erased = { sessions: 1, jobs: 1, rows: {}, artifacts: 0, artifact_bytes: 0 };
  await commit({ erasure: () => Promise.resolve(begunReceipt({ erased })) });
  await expect(
    (async () => {
      while ((await reading.next()).done !== true);
    })(),
  ).rejects.toMatchObject({ code: 'ARCHIVE_REWRITTEN_MEANWHILE' });
});

it('the keys are every version that has rows, and the deletions', async () => {
  await commit({ sessions: [session('ann', 's')], jobs: [job('ann', 's', 'a')] });
  await commit({
    sessions: [session('ann', 's', { version: 2 })],
    jobs: [job('ann', 's', 'a', { version: 2 })],
  });
  await commit({ deletions: [{ ...deletionEntry('ann', 's'), outcome: 'already-gone' }] });
  expect(await changes({ keys: true })).toEqual({
    lines: [
      '1 added ann s 1',
      '1 added ann s a 1',
      '2 changed ann s 2',
      '2 changed ann s a 2',
      '3 gone ann s',
    ],
    through: 3,
  });
});

it('what was before is read from a snapshot and the commits after it, and the same is told', async () => {
  await commit({ sessions: [session('ann', 's')], jobs: [job('ann', 's', 'a')] });
  await commit({ sessions: [session('ben', 't', { gone_at: '2026-11-05T00:00:00.000Z' })] });
  await commit({ deletions: [deletionEntry('ann', 's')] });
  await archive.index.refresh();
  await snapshotOf(archive);
  await commit({ sessions: [session('ann', 's')], jobs: [job('ann', 's', 'b')] });
  const since = (await archive.log.head())?.number ?? 0;
  const jobs = [job('ann', 's', 'a', { version: 2 }), job('ann', 's', 'b')];
  await commit({ sessions: [session('ann', 's', { version: 2 }), session('ben', 't')], jobs });
  await archive.index.refresh();
  await snapshotOf(archive);
  await commit({ deletions: [deletionEntry('ann', 's')] });
  const { storage } = archive;
  const read = new Set<string>();
  const watched = { ...storage, get: (path: string) => (read.add(path), storage.get(path)) };
  for (let cursor = 0; cursor <= since + 3; cursor++) {
    const reader = fromSnapshot(reopened(archive, watched));
    read.clear();
    const found = await archiveChanges(reader, { since: cursor });
    const lines: string[] = [];
    for await (const change of found.changes) lines.push(told(change));
    expect(lines).toEqual(await linesSince(cursor));
    if (cursor !== since) continue;
    const commits = [...read].filter(
      (path) => path.startsWith('_commits/') && path.endsWith('.json'),
    );
    // the snapshot has the first three
    expect(Math.min(...commits.map((path) => Number(path.slice(9, 21))))).toBe(4);
  }
});

it('a time means the commits from it on', async () => {
  await commit({ sessions: [session('ann', 's')] });
  expect((await changes({ sinceTime: '2026-11-05T12:00:00Z' })).lines).toHaveLength(1);
  expect((await changes({ sinceTime: '2026-11-05T12:00:00.001Z' })).lines).toEqual([]);
});

it.each([
  [{ since: 2 }, 'has no commit 2: the newest is 1; if it had one, its log was cut'],
  [{ since: -1 }, 'has no commit -1'],
  [{ since: 'one' }, '"one" is no number of a commit'],
  [{ since: 0.5 }, 'has no commit 0.5'],
  [{}, 'nothing says since when; give one of --since CURSOR (0 for everything)'],
  [{ since: 0, keys: true }, 'since when is said twice'],
  [{ since: 0, sinceTime: '2026' }, 'since when is said twice'],
  [{ sinceTime: 'soon' }, '"soon" is not a time'],
])('%j is refused', async (options, message) => {
  await commit({ sessions: [session('ann', 's')] });
  await expect(changes(options)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(message) as string,
  });
});

it('a cursor with the id of its archive is refused by another, whatever its number', async () => {
  await commit({ sessions: [session('ann', 's')] });
  const { archive_id: id, through } = await archiveChanges(reopened(archive), { since: 0 });
  expect(id).toBe(archive.identity.id);
  expect(await changes({ since: `${id}:${through}` })).toEqual({ lines: [], through: 1 });
  expect((await changes({ since: `${id}:0` })).lines).toEqual(['1 added ann s 1']);
  expect(await changes({ since: '1' })).toEqual({ lines: [], through: 1 });
  const other = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
  await expect(changes({ since: `${other}:1` })).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(`${other}:1 is the cursor of another archive`) as string,
  });
});
