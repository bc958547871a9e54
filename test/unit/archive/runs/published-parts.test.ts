/** What a run has published is read back before what it replaces may go. */
import { expect, it } from 'vitest';
import { PublishedParts } from '../../../../src/archive/runs/published-parts.js';
import { writePart } from '../../../../src/archive/part-files.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { jobsTable as table } from '../../../../src/model/tables.js';
import { makeJsonlArchive, reopened, runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { flattenedJob, jsonl as format } from '../../../support/store/written-jobs.js';

const run = runOf('A');
const { signal } = new AbortController();

async function published() {
  const storage = createMemoryStorage();
  const archive = await makeJsonlArchive(storage);
  const { tables } = flattenedJob({ user: 'ann', session: 'a', job: 'j' });
  const rows: readonly Row[] = tables.find((one) => one.table === table)?.rows ?? [];
  const batches = async function* () {
    yield await Promise.resolve([...rows]);
  };
  const part = await writePart({ storage, table, format, run, day: '2026-11-21', n: 1 }, batches());
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

it('A published file that went since another run declared this one dead is no damage: the run ends as abandoned', async () => {
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
