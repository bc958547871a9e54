/** A part file that a rewrite writes: its entry, and nothing left of one that fails. */
import { expect, it } from 'vitest';
import { partPath } from '../../../../src/archive/paths.js';
import { writePart } from '../../../../src/archive/parts/part-files.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { createParquetFormat } from '../../../../src/formats/parquet/parquet-format.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { jobsTable, sourcesTable as table } from '../../../../src/model/tables.js';
import type { StageOptions } from '../../../../src/storage/storage.js';
import { runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { flattenedJob, jsonl as format } from '../../../support/store/written-jobs.js';

const ROW: Row = Object.fromEntries(
  table.columns.map(({ name, isKey, type }) => [
    name,
    isKey ? (type === 'string' ? 'x' : 1) : null,
  ]),
);

async function* batches(count: number, failure?: Error): AsyncGenerator<Row[]> {
  for (let at = 0; at < count; at++) yield await Promise.resolve([ROW, ROW]);
  if (failure) throw failure;
}

async function* inBatches(...rows: Row[][]): AsyncGenerator<Row[]> {
  for (const batch of rows) yield await Promise.resolve(batch);
}

function target() {
  const storage = createMemoryStorage();
  const asked: (StageOptions | undefined)[] = [];
  const staging = {
    stage: (options?: StageOptions) => {
      asked.push(options);
      return storage.stage(options);
    },
  };
  const of = { table, format, run: runOf('A'), day: '2026-11-05', n: 7 };
  return { storage, asked, of: { ...of, storage: { ...storage, ...staging } } };
}

it('has the rows of all batches, and is at no place yet', async () => {
  const { storage, asked, of } = target();
  const { entry, staged } = await writePart(of, batches(3));
  const path = partPath('sources', '2026-11-05', runOf('A'), 7, format.extension);
  expect(storage.place.objects.size).toBe(0);
  await staged.publish(path);
  const bytes = Buffer.from(await storage.get(path));
  expect(entry).toEqual({
    path,
    table: 'sources',
    rows: 6,
    bytes: bytes.length,
    sha256: sha256Hex(bytes),
    schema: table.fingerprint,
  });
  await writePart({ ...of, expectedBytes: 10 }, batches(1));
  expect(asked).toEqual([{}, { expectedBytes: 10 }]);
});

it('leaves nothing where its rows cannot be read', async () => {
  const { storage, of } = target();
  const failure = new Error('damaged');
  await expect(writePart(of, batches(1, failure))).rejects.toBe(failure);
  expect(storage.place.staged.size).toBe(0);
});

it('tells the bounds of its times where its table and its format have such', async () => {
  const { of } = target();
  const { tables } = flattenedJob({ user: 'ann', session: 'a', job: 'j' });
  const rows = [...(tables.find(({ table: one }) => one === jobsTable)?.rows ?? [])];
  const parquet = { ...of, table: jobsTable, format: createParquetFormat() };
  const timed = (time: bigint) => rows.map((row) => ({ ...row, created_at: time }));
  const { entry } = await writePart(parquet, inBatches(timed(7n), timed(3n)));
  expect(entry.created).toEqual([3, 7]);
  const lines = await writePart({ ...of, table: jobsTable }, inBatches(timed(7n)));
  expect(lines.entry).not.toHaveProperty('created');
});
