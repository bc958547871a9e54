import { expect, it } from 'vitest';
import { partitionOf } from '../../../src/archive/paths.js';
import type { RowFormat } from '../../../src/formats/format.js';
import { allFormats } from '../../support/base/memory-bytes.js';

const PART = `tables/jobs/dt=2026-01-01/${'01K'.padEnd(26, '0')}-0001`;

/** As those who read part files choose it. */
function formatOf(path: string): RowFormat | undefined {
  return allFormats.find(({ extension }) => extension === partitionOf(path)?.extension);
}

it('the format of a file is named by its extension', () => {
  expect(formatOf(`${PART}.parquet`)?.name).toBe('parquet');
  expect(formatOf(`${PART}.jsonl.gz`)?.name).toBe('jsonl');
});

it('the format of a file is unknown for anything else', () => {
  for (const path of [
    'workbooks/01K-0001.xlsx',
    `${PART}.json`,
    'parquet',
    `${PART}.jsonl`,
    `${PART}.parquet.tmp`,
  ]) {
    expect(formatOf(path)).toBeUndefined();
  }
});
