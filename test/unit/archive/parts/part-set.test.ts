import { describe, expect, it } from 'vitest';
import { archiveOf } from '../../../../src/archive/archive.js';
import type { ArchiveIdentity } from '../../../../src/archive/identity.js';
import { PartSet } from '../../../../src/archive/parts/part-set.js';
import { partPath, workbookPath } from '../../../../src/archive/paths.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import type { ArchiveFormat } from '../../../../src/formats/formats.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { blocksTable, jobsTable } from '../../../../src/model/tables.js';
import type { Storage } from '../../../../src/storage/storage.js';
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

function partSet({ withWorkbook = false, over = {} } = {}) {
  const storage = createMemoryStorage();
  const staged: unknown[] = [];
  const stage: Storage['stage'] = (options) => {
    staged.push(options);
    return storage.stage();
  };
  const formats: ArchiveFormat[] = withWorkbook ? ['jsonl', 'xlsx'] : ['jsonl'];
  const parts = new PartSet({
    archive: archiveOf({ ...storage, stage, ...over }, { ...IDENTITY, formats }),
    run,
    day,
    checkpoint: 3,
  });
  const paths = () => [...storage.place.objects.keys()].sort();
  return { storage, parts, staged, paths };
}

describe('the part files of a checkpoint', () => {
  it('are one for each table with rows, and there once they are published', async () => {
    const { storage, parts, staged, paths } = partSet();
    expect(parts.pendingBytes).toBe(0);
    const [jobs, blocks] = [rowsOf('jobs'), rowsOf('blocks')];
    await parts.write(jobsTable, jobs);
    const pending = parts.pendingBytes;
    await parts.write(blocksTable, blocks);
    expect(pending).toBeGreaterThan(0);
    expect(parts.pendingBytes).toBeGreaterThan(pending);
    await parts.write(jobsTable, jobs);
    const files = await parts.close();
    expect(staged).toEqual([{ path: JOBS }, { path: partPath('blocks', day, run, 3, 'jsonl.gz') }]);
    expect(files.map(({ table, rows, schema }) => [table, rows, schema])).toEqual([
      ['jobs', 2, jobsTable.fingerprint],
      ['blocks', blocks.length, blocksTable.fingerprint],
    ]);
    expect(paths()).toEqual([]);
    await parts.publish();
    expect(paths()).toEqual(files.map(({ path }) => path).sort());
    const bytes = storage.place.objects.get(JOBS) ?? new Uint8Array();
    expect(files[0]).toMatchObject({ path: JOBS, bytes: bytes.length, sha256: sha256Hex(bytes) });
    await parts.discard();
    expect(paths()).toHaveLength(2);
    expect(storage.place.staged.size).toBe(0);
  });

  it('come with a workbook of their rows where one is wanted', async () => {
    const { parts, staged, paths } = partSet({ withWorkbook: true });
    await parts.write(jobsTable, rowsOf('jobs'));
    const [, book] = await parts.close();
    expect(staged).toEqual([{}, undefined]);
    expect(book).toMatchObject({
      path: workbookPath(run, 3),
      table: 'workbook',
      rows: 1,
      schema: null,
    });
    await parts.publish();
    expect(paths()).toEqual([JOBS, workbookPath(run, 3)]);
  });

  it('are none of nothing, and no workbook either', async () => {
    const { parts, staged } = partSet({ withWorkbook: true });
    expect([await parts.close(), staged]).toEqual([[], []]);
  });

  it('leave nothing where they are discarded, closed or not', async () => {
    const { storage, parts, paths } = partSet({ withWorkbook: true });
    await parts.write(jobsTable, rowsOf('jobs'));
    expect(storage.place.staged.size).toBe(1);
    await parts.discard();
    expect(storage.place.staged.size).toBe(0);
    const closed = partSet({ withWorkbook: true });
    await closed.parts.write(jobsTable, rowsOf('jobs'));
    await closed.parts.close();
    expect(closed.storage.place.staged.size).toBe(2);
    await closed.parts.discard();
    expect([closed.storage.place.staged.size, paths()]).toEqual([0, []]);
  });

  it('are deleted when they are withdrawn after they were published', async () => {
    const { storage, parts, paths } = partSet();
    await storage.put('tables/other', Buffer.from('x'));
    await parts.write(jobsTable, rowsOf('jobs'));
    await parts.close();
    await parts.publish();
    expect(paths()).toHaveLength(2);
    await parts.withdraw();
    expect([paths(), storage.place.staged.size]).toEqual([['tables/other'], 0]);
  });
});
