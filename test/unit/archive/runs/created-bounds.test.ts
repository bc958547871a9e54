import { expect, it } from 'vitest';
import { BoundsSoFar } from '../../../../src/archive/parts/part-bounds.js';
import { partPath } from '../../../../src/archive/paths.js';
import type { CellValue } from '../../../../src/model/table-schema.js';
import { jobsTable, sessionsTable, sourcesTable } from '../../../../src/model/tables.js';
import { runOf } from '../../../support/store/archive-samples.js';

const pathOf = (extension: string) => partPath('jobs', '2026-11-05', runOf('A'), 1, extension);

function boundsOf(times: readonly CellValue[], extension = 'parquet', table = jobsTable.name) {
  const bounds = new BoundsSoFar();
  const rows = times.map((time) => ({ created_at: time }));
  expect([...bounds.over(rows)]).toEqual(rows);
  return bounds.for(table === 'jobs' ? jobsTable : sourcesTable, pathOf(extension));
}

it.each<[string, readonly CellValue[], unknown]>([
  ['of the rows that have a time', [5n, null, 3n, 9n, 4n], [3, 9]],
  ['of one row', [7n], [7, 7]],
  ['none where no row has a time', [null, null], null],
  ['none without rows', [], null],
  ['none where an id claims a time that a number does not hold exactly', [1n, 2n ** 60n], null],
])('the bounds are %s', (_, times, created) => {
  expect(boundsOf(times)).toEqual({ created });
});

it('sessions have them, too', () => {
  const bounds = new BoundsSoFar();
  expect([...bounds.over([{ created_at: 7n }])]).toHaveLength(1);
  const path = partPath('sessions', '2026-11-05', runOf('A'), 1, 'parquet');
  expect(bounds.for(sessionsTable, path)).toEqual({ created: [7, 7] });
});

it('other formats and tables have none', () => {
  expect([boundsOf([1n], 'jsonl'), boundsOf([1n], 'parquet', 'sources')]).toEqual([{}, {}]);
});
