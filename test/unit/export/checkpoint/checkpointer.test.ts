import { listedIn } from '../../../../src/archive/log/manifest.js';
import { describe, expect, it } from 'vitest';
import { RowsToCommit } from '../../../../src/archive/runs/rows-to-commit.js';
import type { PreparedJob } from '../../../../src/export/checkpoint/session-ledger.js';
import {
  SessionLedger,
  type SessionEnd,
} from '../../../../src/export/checkpoint/session-ledger.js';
import { flattenJob } from '../../../../src/flatten/flatten-job.js';
import { datasetsTable } from '../../../../src/model/tables.js';
import { job, session } from '../../../support/store/archive-samples.js';
import { summaryOf } from '../../../support/tables/export-summaries.js';
import {
  checkpointerOf,
  commitsOf,
  day,
  download,
  known,
  ledgerOf,
  lost,
  prepared,
  published,
  run,
  user,
  entryOfUser,
} from '../../../support/rigs/checkpoint-rig.js';

it('a checkpoint publishes rows and files and names them, with all else, in one commit', async () => {
  const { checkpointer, archive, storage, committed, logged } = await checkpointerOf();
  const file = await download(checkpointer, storage, 'a\n1\n');
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file]));
  // it has only become settled: no version of it is archived
  await checkpointer.addJob(ledgerOf('s1'), known('s1', 'j0'));
  await checkpointer.addUser(entryOfUser);
  expect(published(storage)).toEqual([]);
  await checkpointer.commit();

  const [commit] = await commitsOf(archive);
  expect(commit).toMatchObject({ kind: 'export', base: 0, run, checkpoint: 5 });
  expect(commit).toMatchObject({ tool: 'jobvault 0.1.0', scope: { full: true } });
  expect(commit?.artifacts).toEqual({ count: 1, bytes: 4 });
  const named = [...(commit?.files ?? []).map(({ path }) => path), file.stored?.path];
  expect(published(storage)).toEqual(named.sort());
  expect(commit?.files.map(({ table }) => table)).toContain('raw_jobs');
  expect(commit?.sessions).toMatchObject([{ user, session: 's1', archived: 1 }]);
  expect(await listedIn(archive, commit!)).toMatchObject([entryOfUser]);
  expect(committed).toMatchObject([
    { number: 1, jobs: [{ job: 'j1' }, { job: 'j0' }], users: [entryOfUser] },
  ]);
  expect(logged).toEqual([[{ commit: 1, versions: 1 }, 'checkpoint committed']]);
  expect(storage.place.staged.size).toBe(0);
});

it('a checkpoint is in the summary: rows by table, files stored, reused, suspicious and lost', async () => {
  const { checkpointer, storage, committed } = await checkpointerOf();
  const good = await download(checkpointer, storage, 'good');
  const odd = await download(checkpointer, storage, 'doubtful', 'not what it says');
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [good, good, lost]));
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j2', [odd, good, lost]));
  await checkpointer.addJob(ledgerOf('s1'), known('s1', 'j3'));
  await checkpointer.commit();
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j4', [good], 'half a \ud83d'));
  await checkpointer.commit();

  const summary = summaryOf();
  for (const { tally } of committed) tally.addTo(summary);
  expect(summary.jobs.archived).toBe(3);
  expect(summary.rows).toMatchObject({ jobs: 3, raw_jobs: 3, artifacts: 7, blocks: 10 });
  expect(summary.artifacts).toMatchObject({ stored: 2, reused: 3, suspicious: 1, missing: 2 });
  expect(summary.artifacts).toMatchObject({ bytes: 12, failed: 0 });
  expect(summary.altered_texts).toBeGreaterThan(0);
  expect(committed.map(({ jobs }) => jobs.map(({ job: id }) => id))).toEqual([
    ['j1', 'j2', 'j3'],
    ['j4'],
  ]);
});

it('a checkpoint puts and counts a file once: with the first job that uses it', async () => {
  const { checkpointer, archive, storage } = await checkpointerOf();
  const file = await download(checkpointer, storage, 'shared');
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file]));
  await checkpointer.addJob(ledgerOf('s2'), prepared('s2', 'j2', [file]));
  await checkpointer.commit();
  await checkpointer.addJob(ledgerOf('s3'), prepared('s3', 'j3', [file]));
  await checkpointer.commit();
  const commits = await commitsOf(archive);
  expect(commits.map(({ artifacts }) => artifacts?.count)).toEqual([1, undefined]);
  expect(commits.map(({ checkpoint }) => checkpoint)).toEqual([5, 6]);
});

it('a file is forgotten once a commit names it, and not put again when its bytes come again', async () => {
  const { checkpointer, archive, storage, committed } = await checkpointerOf();
  const file = await download(checkpointer, storage, 'shared');
  const { sha256 = '' } = file.stored ?? {};
  await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file]));
  await checkpointer.commit();
  expect(checkpointer.pool.get(sha256)).toBeUndefined();
  const again = await download(checkpointer, storage, 'shared');
  expect(again.stored?.path).toBe(file.stored?.path);
  await checkpointer.addJob(ledgerOf('s2'), prepared('s2', 'j2', [again]));
  await checkpointer.commit();
  expect((await commitsOf(archive)).map(({ artifacts }) => artifacts?.count)).toEqual([
    1,
    undefined,
  ]);
  const summary = summaryOf();
  for (const { tally } of committed) tally.addTo(summary);
  expect(summary.artifacts).toMatchObject({ stored: 1, reused: 1 });
  expect(storage.place.staged.size).toBe(0);
  await checkpointer.discard();
  expect(checkpointer.pool.get(sha256)).toBeUndefined();
});

it('a checkpoint counts a file as reused that an earlier run has put', async () => {
  const { checkpointer: before, archive, storage } = await checkpointerOf();
  const file = await download(before, storage, 'shared');
  await before.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file]));
  await before.commit();
  const over = { archive, commitsBefore: 5 };
  const { checkpointer, committed } = await checkpointerOf(over, storage);
  const again = await download(checkpointer, storage, 'shared');
  await checkpointer.addJob(ledgerOf('s2'), prepared('s2', 'j2', [again]));
  await checkpointer.commit();
  const summary = summaryOf();
  for (const { tally } of committed) tally.addTo(summary);
  expect(summary.artifacts).toMatchObject({ stored: 0, reused: 1, bytes: 0 });
  const commits = await commitsOf(archive);
  expect(commits.map(({ artifacts }) => artifacts?.count)).toEqual([1, undefined]);
});

it('a checkpoint counts the rows of further versions of archived jobs', async () => {
  const { checkpointer, archive, committed } = await checkpointerOf();
  const { toWrite } = prepared('s1', 'j1');
  const { tables } = flattenJob({ ...toWrite!, jobVersion: 2 });
  const line = job('u', 's1', 'j1', { version: 2 });
  await checkpointer.addVersions(session('u', 's1'), { jobs: [line], tables, marked: () => 0 });
  await checkpointer.commit();
  const [commit] = await commitsOf(archive);
  const written = commit?.files.map(({ table, rows }) => [table, rows]) ?? [];
  const summary = summaryOf();
  for (const { tally } of committed) tally.addTo(summary);
  expect(summary.rows).toEqual(Object.fromEntries(written));
  expect(summary.rows).toMatchObject({ jobs: 1, raw_jobs: 1 });
});

it('a checkpoint is not made without changes, unless it is asked for', async () => {
  const { checkpointer, archive } = await checkpointerOf();
  await checkpointer.commit();
  await checkpointer.commit({ always: false });
  expect(await commitsOf(archive)).toEqual([]);
  await checkpointer.commit({ always: true });
  expect(await commitsOf(archive)).toMatchObject([{ files: [], sessions: [], users: null }]);
});

it('a checkpoint is made for a session, for a user, or for rows of no session alone', async () => {
  const { checkpointer, archive, committed } = await checkpointerOf();
  await checkpointer.addSessionEntry(session('u', 's9', { gone_at: '2026-11-05T00:00:00.000Z' }));
  await checkpointer.commit();
  await checkpointer.addUser(entryOfUser);
  await checkpointer.commit();
  const columns = datasetsTable.columns.map(({ name, type, isKey }) => [
    name,
    isKey && type === 'string' ? 'x' : isKey ? 1n : null,
  ]);
  const rows = [Object.fromEntries(columns) as Record<string, string | bigint | null>];
  await checkpointer.addRows({ table: datasetsTable, rows });
  await checkpointer.commit();
  await checkpointer.commit();
  const commits = await commitsOf(archive);
  expect(commits.map(({ sessions, users, files }) => [sessions, users, files])).toMatchObject([
    [[{ session: 's9', gone_at: '2026-11-05T00:00:00.000Z' }], null, []],
    [[], { rows: 1 }, []],
    [[], null, [{ table: 'datasets', rows: 1 }]],
  ]);
  const summary = summaryOf();
  committed.at(-1)?.tally.addTo(summary);
  expect(summary.rows).toEqual({ datasets: 1 });
});

describe('checkpointer', () => {
  async function pendingBytesOf({ toWrite }: PreparedJob): Promise<number> {
    const { archive } = await checkpointerOf();
    const parts = new RowsToCommit({ archive, run, day, checkpoint: 1 });
    const tables = toWrite ? flattenJob(toWrite).tables : [];
    for (const { table, rows } of tables) await parts.write(table, rows);
    return parts.pendingBytes;
  }

  it('a checkpoint is due when its rows have reached the size, and not before', async () => {
    const first = prepared('s1', 'j1');
    const bytes = await pendingBytesOf(first);
    for (const [sizeBytes, commits] of [
      [bytes, 1],
      [bytes + 1, 0],
    ] as const) {
      const { checkpointer, committed } = await checkpointerOf({ sizeBytes });
      await checkpointer.addJob(ledgerOf('s1'), first);
      expect(committed).toHaveLength(commits);
    }
  });

  it('a checkpoint is due when its rows and its files have, each file counted once', async () => {
    const text = 'x'.repeat(50_000);
    const { checkpointer, storage, committed } = await checkpointerOf({ sizeBytes: 90_000 });
    const file = await download(checkpointer, storage, text);
    await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file, file]));
    await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j2', [file]));
    expect(committed).toHaveLength(0);
    const other = await download(checkpointer, storage, `${text}y`);
    await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j3', [other]));
    expect(committed).toHaveLength(1);
    expect(committed[0]?.jobs).toHaveLength(3);
  });

  it('a checkpoint is due when it has many files, each counted once', async () => {
    const { checkpointer, storage, committed } = await checkpointerOf({ mostFiles: 2 });
    const file = await download(checkpointer, storage, 'one');
    await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1', [file, file]));
    expect(committed).toHaveLength(0);
    const other = await download(checkpointer, storage, 'other');
    await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j2', [other]));
    expect(committed.map(({ jobs }) => jobs.length)).toEqual([2]);
  });

  it('a checkpoint is due when it has many jobs, or the log learns something of many', async () => {
    const { checkpointer, committed } = await checkpointerOf({ mostJobs: 3 });
    await checkpointer.addJob(ledgerOf('s1'), prepared('s1', 'j1'));
    await checkpointer.addJob(ledgerOf('s1'), known('s1', 'j2'));
    expect(committed).toHaveLength(0);
    await checkpointer.addJob(ledgerOf('s2'), known('s2', 'j3'));
    expect(committed.map(({ jobs }) => jobs.length)).toEqual([3]);
    await checkpointer.addJob(ledgerOf('s2'), known('s2', 'j4'));
    expect(committed).toHaveLength(1);
  });
});

describe('checkpointer', () => {
  const end: SessionEnd = {
    verdict: { distinct: 0, totalItems: 0, growth: null, gap: undefined },
    failure: undefined,
    run: { runId: run, exportedAt: 1n },
  };

  it('the end of a session is committed with its row, which is counted', async () => {
    const { checkpointer, archive, committed } = await checkpointerOf();
    expect(await checkpointer.closeSession(ledgerOf('s1'), end)).toBe(true);
    await checkpointer.commit();
    expect(await commitsOf(archive)).toMatchObject([
      { sessions: [{ session: 's1', complete: true }], files: [{ table: 'sessions', rows: 1 }] },
    ]);
    const summary = summaryOf();
    committed[0]?.tally.addTo(summary);
    expect(summary.rows).toEqual({ sessions: 1 });
  });

  it('the end of a session is not committed where it says nothing new', async () => {
    const { checkpointer, archive } = await checkpointerOf();
    const ledger = ledgerOf('s1');
    ledger.close(end);
    const { version, meta_hash: metaHash, total, archived, growth, gaps } = ledger.entry;
    const { jobs, withdrawn } = ledger;
    const rest = { complete: true, goneAt: null, deleted: false, jobs, withdrawn };
    const state = { version, metaHash, total, archived, growth, gaps, ...rest };
    const again = new SessionLedger(user, ledger.session, state);
    expect(await checkpointer.closeSession(again, end)).toBe(false);
    await checkpointer.commit();
    expect(await commitsOf(archive)).toEqual([]);
    const incomplete = new SessionLedger(user, ledger.session, { ...state, total: 7 });
    expect(await checkpointer.closeSession(incomplete, end)).toBe(false);
    await checkpointer.commit();
    expect(await commitsOf(archive)).toMatchObject([{ sessions: [{ total: 0 }], files: [] }]);
  });
});
