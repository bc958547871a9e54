import { describe, expect, it } from 'vitest';
import { formatOf, rowFormats } from '../../../src/formats/formats.js';

describe('the format of a file', () => {
  it('is named by its extension', () => {
    expect(formatOf('tables/jobs/dt=2026-01-01/01K-0001.parquet')?.name).toBe('parquet');
    expect(formatOf('tables/jobs/dt=2026-01-01/01K-0001.jsonl.gz')?.name).toBe('jsonl');
  });

  it('is unknown for anything else', () => {
    for (const path of [
      'workbooks/01K-0001.xlsx',
      'a.json',
      'parquet',
      'a.jsonl',
      'a.parquet.tmp',
    ]) {
      expect(formatOf(path)).toBeUndefined();
    }
  });

  it('is one of two', () => {
    expect(rowFormats().map(({ name, extension }) => [name, extension])).toEqual([
      ['parquet', 'parquet'],
      ['jsonl', 'jsonl.gz'],
    ]);
  });
});
