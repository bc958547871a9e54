/** The rows of the table: what is measured, against what, by which program of this folder, and what is aimed at. */

export interface Goal {
  /** Of ours to the peer's. */
  readonly ratioAtMost?: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface BenchRow {
  readonly row: string;
  readonly program: string;
  readonly what: string;
  /** What `peer` is; without one the goal is a number of its own. */
  readonly against?: string;
  readonly goal: Goal;
}

const JOBS = '14,400 jobs × 20 blocks';

export const ROWS: readonly BenchRow[] = [
  {
    row: 'export-floor',
    program: 'export',
    what: `CPU of an export to Parquet, ${JOBS}`,
    against: 'fetching the same pages with undici, and JSON.parse',
    goal: { ratioAtMost: 6 },
  },
  {
    row: 'export-script',
    program: 'export',
    what: 'CPU of the same',
    against: 'a plain script that writes the same tables with parquetjs-lite',
    goal: { ratioAtMost: 0.5 },
  },
  {
    row: 'export-duckdb',
    program: 'export',
    what: 'CPU of the same',
    against: 'pages to JSON lines, and DuckDB to zstd Parquet',
    goal: { ratioAtMost: 1.2 },
  },
  {
    row: 'export-wall',
    program: 'export',
    what: 'time of the same under a limit of 20 requests a second',
    against: 'its requests ÷ 20',
    goal: { ratioAtMost: 1.1 },
  },
  {
    row: 'jsonl',
    program: 'export',
    what: 'CPU of the same export to JSON lines',
    against: 'to Parquet',
    goal: { ratioAtMost: 1 },
  },
  {
    row: 'unchanged',
    program: 'export',
    what: 'CPU of a second run in which nothing has changed',
    against: 'fetching the same pages with undici, and JSON.parse',
    goal: { ratioAtMost: 2 },
  },
  {
    row: 'files-8',
    program: 'files',
    what: 'time of an export of 2,960 files of 12 KB, 20 ms away, over 8 connections',
    against: 'curl --parallel fetching the same URLs over as many',
    goal: { ratioAtMost: 1.2 },
  },
  {
    row: 'files-32',
    program: 'files',
    what: 'time of the same over 32 connections',
    against: 'curl --parallel fetching the same URLs over as many',
    goal: { ratioAtMost: 1.5 },
  },
  {
    row: 'copy',
    program: 'copy-to-s3',
    what: 'time of `copy` of 2,974 objects to S3 (Ceph), which reads them back',
    against: 'rclone copy, which does not',
    goal: { ratioAtMost: 1.5 },
  },
  {
    row: 'copy-checked',
    program: 'copy-to-s3',
    what: 'time of the same',
    against: 'rclone copy and rclone check --download',
    goal: { ratioAtMost: 0.8 },
  },
  {
    row: 'verify-small',
    program: 'verify',
    what: 'time of `verify` of 2,960 files of 12 KB',
    against: 'sha256sum of the same files in two processes',
    goal: { ratioAtMost: 2 },
  },
  {
    row: 'verify-large',
    program: 'verify',
    what: 'time of `verify` of 2,960 files of 170 KB, 515 MB',
    against: 'sha256sum of the same files in two processes',
    goal: { ratioAtMost: 0.6 },
  },
];
