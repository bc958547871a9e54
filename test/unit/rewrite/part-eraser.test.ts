import { describe, expect, it, vi } from 'vitest';
import type { FileEntry } from '../../../src/archive/log/commit.js';
import { readPart } from '../../../src/archive/parts/read-part.js';
import { tableNamed } from '../../../src/model/tables.js';
import { makeJsonlArchive, runOf } from '../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../support/store/begun-erasure.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { commitJobs, jsonl } from '../../support/store/written-jobs.js';

function partOf(files: readonly FileEntry[], table: string): FileEntry {
  const file = files.find((one) => one.table === table);
  if (!file) throw new Error(`no part of ${table}`);
  return file;
}

async function rig() {
  const { archive, storage, commits } = await archiveOfThree();
  const erasure = new BegunErasure(archive);
  return { archive, storage, erasure, commits };
}

it('a part with erased rows is written again without them, for the same day, unseen as yet', async () => {
  const { archive, storage, erasure, commits } = await rig();
  const jobs = partOf(commits[0].files, 'jobs');
  const paths = [...storage.place.objects.keys()];
  const part = await erasure.eraser.look(jobs);
  const replacement = await erasure.eraser.write(part);
  expect([part.file, part.dropped, replacement?.entry.rows]).toEqual([jobs, 1, 1]);
  expect([...storage.place.objects.keys()]).toEqual(paths);
  const { path } = replacement?.entry ?? jobs;
  expect(path).toBe(`tables/jobs/dt=2026-11-05/${runOf('E')}-0001.jsonl.gz`);
  await replacement?.staged.publish(path);
  const wanted = { table: tableNamed('jobs')!, format: jsonl };
  const rows: unknown[] = [];
  for await (const batch of readPart(archive, replacement?.entry ?? jobs, wanted)) {
    rows.push(...batch);
  }
  expect(rows).toMatchObject([{ user_id: 'ben', session_id: 'b1', job_id: 'k1' }]);
});

it('a part of which all rows go has no replacement, and nothing is staged', async () => {
  const { storage, erasure, commits } = await rig();
  const part = await erasure.eraser.look(partOf(commits[1].files, 'jobs'));
  const stage = vi.spyOn(storage, 'stage');
  expect([part.dropped, await erasure.eraser.write(part)]).toEqual([1, undefined]);
  expect(stage).not.toHaveBeenCalled();
});

it.each([0, 1, 2])('the look at a part of commit %i stages nothing', async (commit) => {
  const { storage, erasure, commits } = await rig();
  const stage = vi.spyOn(storage, 'stage');
  const { dropped } = await erasure.eraser.look(partOf(commits[commit]!.files, 'jobs'));
  expect(dropped).toBe(commit === 2 ? 0 : 1);
  expect(stage).not.toHaveBeenCalled();
});

it('a part file with rows of the erased is looked at once, however often the plan is made', async () => {
  const { storage, erasure, commits } = await rig();
  const jobs = partOf(commits[0].files, 'jobs');
  const first = await erasure.eraser.look(jobs);
  const reads = storage.calls.get(`read ${jobs.path}`);
  expect(await erasure.eraser.look(jobs)).toBe(first);
  expect(storage.calls.get(`read ${jobs.path}`)).toBe(reads);
  const written = await erasure.eraser.write(first);
  const next = await erasure.eraser.look(partOf(commits[0].files, 'blocks'));
  expect(written?.entry.path).toMatch(/-0001\.jsonl\.gz$/);
  expect((await erasure.eraser.write(next))?.entry.path).toMatch(/-0002\.jsonl\.gz$/);
});

it('a part with erased rows gives its size, which the new file will hardly exceed', async () => {
  const { storage, erasure, commits } = await rig();
  const stage = storage.stage.bind(storage);
  const expected: unknown[] = [];
  storage.stage = (...given) => {
    expected.push(...given);
    return stage(...given);
  };
  const jobs = partOf(commits[0].files, 'jobs');
  await erasure.eraser.write(await erasure.eraser.look(jobs));
  expect(expected).toEqual([{ expectedBytes: jobs.bytes }]);
});

it('a part file with rows of the erased is not read on when the run is aborted', async () => {
  const { erasure, commits } = await rig();
  const over = new Error('called off');
  erasure.abort.abort(over);
  await expect(erasure.eraser.look(partOf(commits[0].files, 'jobs'))).rejects.toBe(over);
});

const asked = { users: [], sessions: ['a1'] };

it('the erasure of one session leaves the rows of the other sessions of its user', async () => {
  const archive = await makeJsonlArchive(createMemoryStorage());
  const jobs = ['a1', 'a2'].map((session) => ({ user: 'ann', session, job: 'j' }));
  const { files } = await commitJobs(archive, jobs);
  const { eraser } = new BegunErasure(archive, asked);
  const part = await eraser.look(partOf(files, 'jobs'));
  const replacement = await eraser.write(part);
  expect([part.dropped, replacement?.entry.rows]).toEqual([1, 1]);
});

describe('a part file that cannot be erased from', () => {
  it.each<[string, Partial<FileEntry>]>([
    ['is of a table', { table: 'dreams' }],
    ['has a path', { path: 'tables/jobs/elsewhere.jsonl.gz' }],
    ['is in a format', { path: partPathIn('parquet') }],
  ])('%s that this version does not know', async (_, over) => {
    const { erasure, commits } = await rig();
    const file = { ...partOf(commits[0].files, 'jobs'), ...over };
    await expect(erasure.eraser.look(file)).rejects.toMatchObject({
      path: file.path,
      problem: 'unreadable',
      detail: 'has a table or a format that this version cannot erase from',
    });
  });

  it('is not what the log names', async () => {
    const { storage, erasure, commits } = await rig();
    const jobs = partOf(commits[0].files, 'jobs');
    await storage.put(jobs.path, Buffer.from('x'));
    await expect(erasure.eraser.look(jobs)).rejects.toMatchObject({ problem: 'size' });
    expect(storage.place.staged.size).toBe(0);
  });
});

function partPathIn(extension: string): string {
  return `tables/jobs/dt=2026-11-05/${runOf('A')}-0001.${extension}`;
}
