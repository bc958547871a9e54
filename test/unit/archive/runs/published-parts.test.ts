/** What a run has published is read back before what it replaces may go. */
import { expect, it } from 'vitest';
import { PublishedParts } from '../../../../src/archive/runs/published-parts.js';
import { writePart } from '../../../../src/archive/parts/part-files.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { jobsTable as table } from '../../../../src/model/tables.js';
import { makeJsonlArchive, reopened, runOf } from '../../../support/store/archive-samples.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import type { StagedObject, Storage } from '../../../../src/storage/storage.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { flattenedJob, jsonl as format } from '../../../support/store/written-jobs.js';

const run = runOf('A');
const { signal } = new AbortController();

async function written(storage: Storage) {
  const { tables } = flattenedJob({ user: 'ann', session: 'a', job: 'j' });
  const rows: readonly Row[] = tables.find((one) => one.table === table)?.rows ?? [];
  const batches = async function* () {
    yield await Promise.resolve([...rows]);
  };
  return writePart({ storage, table, format, run, day: '2026-11-21', n: 1 }, batches());
}

async function published() {
  const storage = createMemoryStorage();
  const archive = await makeJsonlArchive(storage);
  const part = await written(storage);
  const parts = new PublishedParts(archive);
  await parts.publish([part]);
  return { storage, archive, parts, part };
}

it('Published files that are there as they were written pass', async () => {
  const { parts, part } = await published();
  await parts.readBack([part], run, signal);
});

it('A published file that is not there is damage', async () => {
  const { storage, parts, part } = await published();
  await storage.delete(part.entry.path);
  const { path } = part.entry;
  await expect(parts.readBack([part], run, signal)).rejects.toMatchObject({
    path,
    problem: 'missing',
  });
});

it('a published file that went is no damage once another run declared this one dead', async () => {
  const { storage, archive, parts, part } = await published();
  const other = { run: runOf('B'), checkpoint: 1, tool: 't', scope: {}, files: [] };
  await reopened(archive).log.append({ ...other, kind: 'abandon', base: 0, abandoned: [run] });
  await parts.readBack([part], run, signal);
  await storage.delete(part.entry.path);
  await expect(parts.readBack([part], run, signal)).rejects.toMatchObject({
    code: 'ARCHIVE_RUN_ABANDONED',
    message: `commit 1 has abandoned this run (${run}): another run found it dead`,
  });
});

it('a published file that the store does not give is no damage, declared dead or not', async () => {
  const { storage, archive, part } = await published();
  const other = { run: runOf('B'), checkpoint: 1, tool: 't', scope: {}, files: [] };
  await reopened(archive).log.append({ ...other, kind: 'abandon', base: 0, abandoned: [run] });
  const read = () => {
    throw new StorageError('no route');
  };
  const parts = new PublishedParts({ ...archive, storage: { ...storage, read } });
  await expect(parts.readBack([part], run, signal)).rejects.toThrow(new StorageError('no route'));
});

it('a published file is withdrawn whatever the store said, unless it is kept', async () => {
  const storage = createMemoryStorage();
  const archive = await makeJsonlArchive(storage);
  const [lost, kept] = [await written(storage), await written(storage)];
  const { path } = lost.entry;
  const parts = new PublishedParts(archive);
  const publish: StagedObject['publish'] = async (...to) => {
    await lost.staged.publish(...to);
    throw new StorageError('the answer was lost');
  };
  const { staged } = lost;
  const losing = { ...lost, staged: { ...staged, publish } };
  const has = (of: string) => storage.place.objects.has(of);
  await expect(parts.publish([losing])).rejects.toThrow(new StorageError('the answer was lost'));
  expect(has(path)).toBe(true);
  const named = { ...kept, entry: { ...kept.entry, path: path.replace('-1', '-2') } };
  await parts.publish([named]);
  expect(named.entry.path).not.toBe(path);
  await parts.withdraw(new Set([named.entry.path]));
  expect([has(path), has(named.entry.path)]).toEqual([false, true]);
  await parts.withdraw();
  expect(has(named.entry.path)).toBe(false);
});
