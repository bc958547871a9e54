import { expect, it } from 'vitest';
import { archiveOf } from '../../../../src/archive/archive.js';
import type { ArchiveIdentity } from '../../../../src/archive/identity.js';
import { RowsToCommit } from '../../../../src/archive/runs/rows-to-commit.js';
import { partPath } from '../../../../src/archive/paths.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { blocksTable, jobsTable } from '../../../../src/model/tables.js';
import { flattenedJob } from '../../../support/store/written-jobs.js';
import { runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const IDENTITY: ArchiveIdentity = {
  format: 1,
  id: 'A'.repeat(26),
  made_by: 'jobvault 0.1.0',
  created_at: '2026-11-21T00:00:00.000Z',
  service: { base_url: 'https://api.example.com', project: null },
  formats: ['jsonl'],
};
const day = '2026-11-21';
const run = runOf('A');
const JOBS = partPath('jobs', day, run, 3, 'jsonl.gz');

function rowsOf(name: string): readonly Row[] {
  const { tables } = flattenedJob({ user: 'ann', session: 'a', job: 'j' });
  return [...(tables.find(({ table }) => table.name === name)?.rows ?? [])];
}

async function rowsToCommit() {
  const storage = createMemoryStorage();
  const archive = archiveOf(storage, IDENTITY);
  const parts = new RowsToCommit({ archive, run, day, checkpoint: 3 });
  const paths = () =>
    [...storage.place.objects.keys()].filter((path) => !path.startsWith('_')).sort();
  await storage.put('tables/other', Buffer.from('x'));
  return { archive, storage, parts, paths };
}

const draft = { kind: 'export', base: 0, scope: {} } as const;

it("a checkpoint's rows are one part file for each table with rows, which the commit names", async () => {
  const { archive, storage, parts, paths } = await rowsToCommit();
  expect(parts.pendingBytes).toBe(0);
  const [jobs, blocks] = [rowsOf('jobs'), rowsOf('blocks')];
  await parts.write(jobsTable, jobs);
  const pending = parts.pendingBytes;
  await parts.write(blocksTable, blocks);
  expect(pending).toBeGreaterThan(0);
  expect(parts.pendingBytes).toBeGreaterThan(pending);
  await parts.write(jobsTable, jobs);
  const published = await parts.publish();
  const before = paths();
  const commit = await archive.log.append({ ...draft, ...published });
  const { files, tool } = commit;
  expect(commit).toMatchObject({ number: 1, kind: 'export', run, checkpoint: 3 });
  expect(tool).toBe(archive.tool);
  expect(await archive.log.read(1)).toMatchObject({ files });
  expect(files.map(({ table, rows, schema }) => [table, rows, schema])).toEqual([
    ['jobs', 2, jobsTable.fingerprint],
    ['blocks', blocks.length, blocksTable.fingerprint],
  ]);
  expect(before).toEqual([...files.map(({ path }) => path), 'tables/other'].sort());
  expect(paths()).toEqual(before);
  const bytes = storage.place.objects.get(JOBS) ?? new Uint8Array();
  expect(files[0]).toMatchObject({ path: JOBS, bytes: bytes.length, sha256: sha256Hex(bytes) });
  await parts.discard();
  expect(paths()).toEqual(before);
  expect(storage.place.staged.size).toBe(0);
});

it('the rows of a checkpoint are no file where there are none', async () => {
  const { parts, paths } = await rowsToCommit();
  expect([(await parts.commit(draft)).files, paths()]).toEqual([[], ['tables/other']]);
});

it('the rows of a checkpoint leave nothing where they are discarded', async () => {
  const { storage, parts, paths } = await rowsToCommit();
  await parts.write(jobsTable, rowsOf('jobs'));
  expect(storage.place.staged.size).toBe(1);
  await parts.discard();
  expect([storage.place.staged.size, paths()]).toEqual([0, ['tables/other']]);
});

it("a checkpoint's rows are withdrawn with all that was published and not committed", async () => {
  const { archive, storage, parts, paths } = await rowsToCommit();
  await parts.write(jobsTable, rowsOf('jobs'));
  const failure = new Error('no');
  const append = archive.log.append.bind(archive.log);
  archive.log.append = () => Promise.reject(failure);
  await expect(parts.commit(draft)).rejects.toBe(failure);
  archive.log.append = append;
  expect([paths(), storage.place.staged.size]).toEqual([['tables/other'], 0]);
  expect(await archive.log.head()).toBeNull();
});
