import { describe, expect, it } from 'vitest';
import type { FileEntry } from '../../../src/archive/log/commit.js';
import { partPath } from '../../../src/archive/paths.js';
import { createJsonlFormat } from '../../../src/formats/jsonl/jsonl-format.js';
import { createParquetFormat } from '../../../src/formats/parquet/parquet-format.js';
import { asRunId } from '../../../src/model/ids.js';
import { blocksTable, jobsTable } from '../../../src/model/tables.js';
import { planCompaction } from '../../../src/rewrite/compaction/compact.js';
import { runOf } from '../../support/store/archive-samples.js';

const TODAY = '2026-11-25';
const TARGET = 256_000;

let count = 0;

/** A part file of `jobs`, in Parquet, unless given. */
function part(day: string, bytes: number, given: Partial<FileEntry> = {}): FileEntry {
  const table = given.table ?? 'jobs';
  const path = partPath(table, day, asRunId(runOf('A')), ++count, 'parquet');
  const schema = table === 'jobs' ? jobsTable.fingerprint : blocksTable.fingerprint;
  return { path, table, rows: 1, bytes, sha256: '', schema, ...given };
}

function plan(files: readonly FileEntry[], today = TODAY) {
  const formats = [createParquetFormat(), createJsonlFormat()];
  return planCompaction(files, { formats, targetBytes: TARGET, today });
}

/** Days and paths of the merges. */
function merged(files: readonly FileEntry[], today = TODAY) {
  return plan(files, today).map(({ day, files: of }) => ({ day, files: of }));
}

// I-52 in FORMAT.md
describe('days', () => {
  it('files of a recent day are merged in that day alone', () => {
    const files = ['2026-11-24', '2026-11-25', '2026-11-24', '2026-11-25'].map((day) =>
      part(day, 10),
    );
    const [a, b, c, d] = files;
    expect(merged(files)).toEqual([
      { day: '2026-11-24', files: [a, c] },
      { day: '2026-11-25', files: [b, d] },
    ]);
  });

  it('of a month that ended a month ago become one file, under the first of that month', () => {
    const files = ['2026-09-01', '2026-09-17', '2026-09-30'].map((day) => part(day, 10));
    expect(merged(files)).toEqual([{ day: '2026-09-01', files }]);
  });

  it('a month stays as it is for the 31 days after its end', () => {
    const files = [part('2026-10-01', 10), part('2026-10-31', 10)];
    expect(merged(files, '2026-12-01')).toEqual([]);
    expect(merged(files, '2026-12-02')).toEqual([{ day: '2026-10-01', files }]);
  });

  it('files of two months are never merged, nor those of the same month in two years', () => {
    expect(merged([part('2026-08-31', 10), part('2026-09-01', 10)])).toEqual([]);
    expect(merged([part('2025-09-01', 10), part('2026-09-01', 10)])).toEqual([]);
  });

  it('a day in the future, by a clock that was wrong, is a day like the recent ones', () => {
    const files = [part('2031-01-01', 10), part('2031-01-02', 10), part('2031-01-02', 10)];
    expect(merged(files)).toEqual([{ day: '2031-01-02', files: files.slice(1) }]);
  });

  it('a thousand nights leave a file a table and month, and those of at most 62 days', () => {
    const nights = Array.from({ length: 1000 }, (_, night) => {
      const ms = Date.parse(`${TODAY}T00:00:00Z`) - night * 86_400_000;
      return part(new Date(ms).toISOString().slice(0, 10), 1000);
    });
    const merges = plan(nights);
    const left = nights.length - merges.flatMap(({ files }) => files).length + merges.length;
    expect(merges).toHaveLength(31);
    expect(left).toBe(31 + 31 + 25);
    expect(new Set(merges.map(({ day }) => day.slice(8)))).toEqual(new Set(['01']));
  });
});

describe('what is merged', () => {
  it('one file alone stays, and so does one of half the target size', () => {
    expect(merged([part(TODAY, 10)])).toEqual([]);
    expect(merged([part(TODAY, TARGET / 2), part(TODAY, 10)])).toEqual([]);
    const large = part(TODAY, TARGET / 2 - 1);
    const other = part(TODAY, TARGET / 2 - 1);
    expect(merged([large, other])).toEqual([{ day: TODAY, files: [large, other] }]);
  });

  it('a table and a row format have files of their own', () => {
    const jsonl = (path: string) => path.replace('.parquet', '.jsonl.gz');
    const pair = [part(TODAY, 10), part(TODAY, 10)];
    const blocks = [part(TODAY, 10, { table: 'blocks' }), part(TODAY, 10, { table: 'blocks' })];
    const lines = pair.map((file) => ({ ...file, path: jsonl(file.path) }));
    const all = [pair, blocks, lines].flatMap(([one]) => one ?? []);
    expect(merged(all)).toEqual([]);
    const plans = plan([...pair, ...blocks, ...lines]);
    expect(plans.map(({ table, format, files }) => [table.name, format.name, files])).toEqual([
      ['jobs', 'parquet', pair],
      ['blocks', 'parquet', blocks],
      ['jobs', 'jsonl', lines],
    ]);
  });

  it('a file of an unknown table, format or column, or of a format not asked for, stays', () => {
    const odd = [
      part(TODAY, 10, { table: 'wishes' }),
      part(TODAY, 10, { schema: '0123456789abcdef' }),
      part(TODAY, 10, { path: `tables/jobs/dt=${TODAY}/${runOf('A')}-0001.orc` }),
    ];
    expect(merged([...odd, ...odd])).toEqual([]);
  });

  it('no merge exceeds the target size, and each says how much it reads', () => {
    const files = Array.from({ length: 9 }, () => part(TODAY, TARGET / 4));
    const merges = plan(files);
    expect(merges.map(({ files: of, bytes }) => [of.length, bytes])).toEqual([
      [4, TARGET],
      [4, TARGET],
    ]);
  });

  it('a merge has its files in the order of the log', () => {
    const files = [30, 10, 20, 50, 40].map((bytes) => part(TODAY, bytes));
    expect(merged(files)).toEqual([{ day: TODAY, files }]);
  });
});

describe('how often a row is written again', () => {
  it('a file waits until the smaller ones beside it are as much as itself', () => {
    const large = part(TODAY, 60_000);
    const small = [part(TODAY, 25_000), part(TODAY, 25_000)];
    expect(merged([large, ...small])).toEqual([{ day: TODAY, files: small }]);
    const more = [...small, part(TODAY, 10_000)];
    expect(merged([large, ...more])).toEqual([{ day: TODAY, files: [large, ...more] }]);
  });

  it('it waits no longer where the merged file is half the target size, and so final', () => {
    const files = [part(TODAY, TARGET / 2 - 1), part(TODAY, 1)];
    expect(merged(files)).toEqual([{ day: TODAY, files }]);
  });

  it('files of up to a 256th of the target size are merged whatever their sizes', () => {
    const files = [part(TODAY, TARGET / 256), part(TODAY, 1)];
    expect(merged(files)).toEqual([{ day: TODAY, files }]);
  });

  /** Compacts after each file that comes. @returns bytes written by merges, and the files that are left */
  function compactedEachTime(sizes: readonly number[]) {
    let files: FileEntry[] = [];
    let written = 0;
    for (const bytes of sizes) {
      files.push(part(TODAY, bytes));
      for (const merge of plan(files)) {
        const gone = new Set(merge.files);
        files = [...files.filter((file) => !gone.has(file)), part(TODAY, merge.bytes)];
        written += merge.bytes;
      }
    }
    return { written, left: files.length };
  }

  it.each([
    ['equal sizes', (n: number) => 4000 + (n % 2)],
    ['falling sizes', (n: number) => 120_000 / (n + 1)],
    ['one large file and tiny ones', (n: number) => (n === 0 ? 120_000 : 1)],
    ['mixed sizes', (n: number) => 1 + ((n * 7919) % 60_000)],
  ])(
    'a row of %s, compacted after each file, is rarely written again and files are few',
    (_, sizeOf) => {
      const sizes = Array.from({ length: 500 }, (_unused, n) => Math.round(sizeOf(n)));
      // a file counts as at least a 256th of the target size
      const weight = sizes.reduce((sum, bytes) => sum + Math.max(bytes, TARGET / 256), 0);
      const { written, left } = compactedEachTime(sizes);
      expect(written).toBeLessThan(8 * weight);
      const whole = sizes.reduce((sum, bytes) => sum + bytes, 0) / (TARGET / 2);
      expect(left).toBeLessThanOrEqual(Math.ceil(whole) + 8);
    },
  );
});
