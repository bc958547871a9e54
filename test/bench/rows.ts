/** The rows of the table: what is measured, against what, by which program of this folder, and what is aimed at. */
import type { NeededProgram } from './needed-programs.js';

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
  /** Programs of others, which the bench finds or installs. */
  readonly needs?: readonly NeededProgram[];
  /** Measured only when it is named. */
  readonly isExtra?: boolean;
}

const JOBS = '14,400 jobs × 20 blocks';

/** Files stored in an archive of 30,000 jobs. */
export const STORED_FILES = [100_000, 300_000, 1_000_000] as const;
/** Likewise: as many as no row is compared with. */
export const STORED_MOST = 3_000_000;
const STORED_COMMANDS = [
  ['status', '`status`'],
  ['show', '`show` of a session'],
  ['query', '`query`, a count of questions and users'],
  ['unchanged', 'an unchanged `export` of one user'],
] as const;
/** These look at every file, or at its row. */
const STORED_READERS = [
  ['sample', '`verify --sample 1%`'],
  ['plan', '`erase --dry-run` of one user'],
] as const;
const STORED_MOST_COMMANDS = [
  ...STORED_COMMANDS,
  ...STORED_READERS,
  ['verify', '`verify`'],
  ['copy', '`copy` to another disk'],
  ['erase', '`erase` of one user'],
] as const;

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
    row: 'export-delta',
    program: 'export',
    what: 'CPU of the same export with its Delta tables',
    against: 'with --no-delta',
    goal: { ratioAtMost: 1.03 },
  },
  {
    row: 'delta-start',
    program: 'delta',
    what: 'time in which ClickHouse counts the rows of a Delta table after 1,000 commits',
    against: '`SELECT 1` in it, both with its start',
    goal: { ratioAtMost: 1.5 },
  },
  {
    row: 'files-8',
    program: 'files',
    what: 'time of an export of 2,960 files of 12 KB, 20 ms away, over 8 connections',
    against: 'curl --parallel fetching the same URLs over as many',
    goal: { ratioAtMost: 1.2 },
    needs: ['curl'],
  },
  {
    row: 'files-32',
    program: 'files',
    what: 'time of the same over 32 connections',
    against: 'curl --parallel fetching the same URLs over as many',
    goal: { ratioAtMost: 1.5 },
    needs: ['curl'],
  },
  {
    row: 'copy',
    program: 'copy-to-s3',
    what: 'time of `copy` of 2,974 objects to S3 (Ceph), which reads them back',
    against: 'rclone copy, which does not',
    goal: { ratioAtMost: 1.5 },
    needs: ['rclone', 'ceph'],
  },
  {
    row: 'copy-checked',
    program: 'copy-to-s3',
    what: 'time of the same',
    against: 'rclone copy and rclone check --download',
    goal: { ratioAtMost: 0.8 },
    needs: ['rclone', 'ceph'],
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
  {
    row: 'growth-users',
    program: 'growth',
    what: 'CPU of each job, exports of 1,000 users',
    against: 'of 100 users',
    goal: { ratioAtMost: 1.1 },
  },
  {
    row: 'growth-users-memory',
    program: 'growth',
    what: 'peak memory of the same',
    against: 'of 100 users',
    goal: { ratioAtMost: 1.1 },
  },
  {
    row: 'growth-session',
    program: 'growth',
    what: 'CPU of each job, sessions of 1,000 jobs',
    against: 'of 100 jobs',
    goal: { ratioAtMost: 1.1 },
  },
  {
    row: 'growth-session-memory',
    program: 'growth',
    what: 'peak memory of the same',
    against: 'of 100 jobs',
    goal: { ratioAtMost: 1.1 },
  },
  {
    row: 'memory',
    program: 'memory',
    what: 'peak memory of an export of 294,000 blocks',
    goal: { atMost: 240 },
  },
  {
    row: 'memory-large',
    program: 'memory',
    what: 'peak memory of an export of 1,029,000 blocks',
    against: 'of 294,000',
    goal: { atMost: 240, ratioAtMost: 1.1 },
  },
  {
    row: 'xlsx',
    program: 'formats',
    what: 'peak memory of an XLSX file of 800,000 rows',
    against: 'of 200,000',
    goal: { atMost: 250, ratioAtMost: 1.1 },
  },
  ...[
    ['latin', 'Latin'],
    ['japanese', 'Japanese'],
    ['arabic', 'Arabic'],
  ].map(([script = '', name = '']): BenchRow => ({
    row: `search-${script}`,
    program: 'search',
    what: `time of \`search\` over 1,000,000 blocks, words in ${name} script`,
    goal: { atMost: 2 },
  })),
  {
    row: 'search-memory',
    program: 'search',
    what: 'peak memory of these searches',
    goal: { atMost: 300 },
  },
  {
    row: 'reading-report',
    program: 'reading',
    what: `CPU of \`report\`, ${JOBS} and 1,440 tables`,
    against: 'the export of the same',
    goal: { ratioAtMost: 1.2 },
  },
  {
    row: 'reading-report-again',
    program: 'reading',
    what: 'CPU of the same after one new question',
    against: 'the export of the same',
    goal: { ratioAtMost: 0.2 },
  },
  {
    row: 'reading-evidence',
    program: 'reading',
    what: 'CPU of `evidence --match` that finds all of them',
    against: 'the export of the same',
    goal: { ratioAtMost: 0.8 },
  },
  {
    row: 'reading-evidence-time',
    program: 'reading',
    what: 'time of the same',
    against: 'the export of the same',
    goal: { ratioAtMost: 0.8 },
  },
  {
    row: 'reading-workbook',
    program: 'reading',
    what: 'CPU of `workbook` of one of four users of these',
    against: 'the export of the same',
    goal: { ratioAtMost: 0.6 },
  },
  {
    row: 'reading-erase',
    program: 'reading',
    what: 'CPU of `erase` of one of four users, with workbooks in the archive',
    against: 'the export of the same',
    goal: { ratioAtMost: 1 },
  },
  {
    row: 'nights-status',
    program: 'nights',
    what: 'CPU of `status` of 1,500 users after 24 nights',
    against: 'after 2',
    goal: { ratioAtMost: 1.1 },
  },
  {
    row: 'status-1500',
    program: 'nights',
    what: 'the same after 2 nights',
    against: '`node -e 0`',
    goal: { ratioAtMost: 8 },
  },
  {
    row: 'nights-sample-1000',
    program: 'nights',
    what: 'CPU of `verify --sample 1%` of 2,000 users after 1,000 nights',
    against: 'after 10',
    goal: { ratioAtMost: 3 },
    isExtra: true,
  },
  ...['status', 'show', 'search', 'unchanged'].map((command): BenchRow => ({
    row: `nights-${command}-100`,
    program: 'nights',
    what: `CPU of ${command === 'unchanged' ? 'an unchanged export' : `\`${command}\``} of 40 users after 100 nights`,
    against: 'after 2',
    goal: { ratioAtMost: 1.3 },
  })),
  ...[
    ['status', '`status`', 1],
    ['show', '`show` of a session', 1],
    ['verify', '`verify`', 3],
    ['prune', 'the plan of a `prune`', 3],
  ].map(([row = '', what = '', atMost]): BenchRow => ({
    row: `users-${row}`,
    program: 'nights',
    what: `CPU of ${what}, 10,000 users of one session, seconds`,
    goal: { atMost: Number(atMost) },
  })),
  {
    row: 'users-unchanged',
    program: 'nights',
    what: 'CPU of each request of an unchanged export of these, milliseconds',
    goal: { atMost: 1 },
  },
  ...[
    ['status', '`status`'],
    ['show', '`show` of a session'],
    ['query', '`query`, a count of questions and users'],
    ['unchanged', 'an export of nothing new'],
  ].flatMap(([row = '', what = '']): BenchRow[] => [
    {
      row: `years-${row}`,
      program: 'years',
      what: `CPU of ${what} after 1,000 nights of 10,000 users, compacted`,
      against: 'after 2',
      goal: { ratioAtMost: 1.3 },
      isExtra: true,
    },
    {
      row: `years-${row}-memory`,
      program: 'years',
      what: 'peak memory of the same',
      against: 'after 2',
      goal: { ratioAtMost: 1.1 },
      isExtra: true,
    },
  ]),
  {
    row: 'night-commits',
    program: 'years',
    what: 'KB that a night of 10,000 users, 1 % of them changed, adds to the commits',
    goal: { atMost: 250 },
    isExtra: true,
  },
  {
    row: 'night-log',
    program: 'years',
    what: 'the same with side objects, snapshots and times of checks, mean of 30 nights',
    goal: { atMost: 1000 },
    isExtra: true,
  },
  {
    row: 'start-version',
    program: 'start',
    what: '`jobvault --version`',
    against: '`node -e 0`',
    goal: { ratioAtMost: 2 },
  },
  {
    row: 'start-help',
    program: 'start',
    what: '`jobvault --help`',
    against: '`node -e 0`',
    goal: { ratioAtMost: 2.5 },
  },
  {
    row: 'start-status',
    program: 'start',
    what: '`jobvault status` of a small archive',
    against: '`node -e 0`',
    goal: { ratioAtMost: 4 },
  },
  {
    row: 'start-import',
    program: 'start',
    what: "`import 'jobvault'`",
    against: 'an import of an empty module',
    goal: { ratioAtMost: 4 },
  },
  {
    row: 'rate',
    program: 'pace',
    what: 'requests under a limit of 20 a second, no latency',
    goal: { atLeast: 19.4 },
  },
  {
    row: 'rate-429',
    program: 'pace',
    what: 'of these answered 429',
    goal: { atMost: 0.1 },
  },
  {
    row: 'rate-jitter',
    program: 'pace',
    what: 'the same, each way 0 to 80 ms long',
    goal: { atLeast: 18 },
  },
  {
    row: 'rate-jitter-429',
    program: 'pace',
    what: 'of these answered 429',
    goal: { atMost: 0.1 },
  },
  {
    row: 'fleet-rate',
    program: 'fleet-pace',
    what: 'the same, three workers on one Redis',
    goal: { atLeast: 18 },
    isExtra: true,
  },
  ...[
    ['disk', 'on a disk'],
    ['s3', 'in a bucket (Ceph)'],
  ].flatMap(([row = '', where = '']): BenchRow[] => [
    {
      row: `commits-${row}`,
      program: 'commits',
      what: `commits of sixteen writers to one archive ${where}, without a pause`,
      goal: { atLeast: 1 },
      isExtra: true,
    },
    {
      row: `commits-${row}-lost`,
      program: 'commits',
      what: 'of their attempts, those that lost the number to another',
      goal: { atMost: 99 },
      isExtra: true,
    },
  ]),
  ...[
    ['enqueue-100000', '100,000', 5, 250, 300],
    ['enqueue-1000000', '1,000,000', 60, 250, 300],
  ].flatMap(([row = '', users = '', seconds, memory, redis]): BenchRow[] => [
    {
      row: String(row),
      program: 'enqueue',
      what: `time of \`enqueue\` of ${users} users of a CSV file`,
      goal: { atMost: Number(seconds) },
      isExtra: true,
    },
    {
      row: `${row}-memory`,
      program: 'enqueue',
      what: 'peak memory of the same',
      goal: { atMost: Number(memory) },
      isExtra: true,
    },
    {
      row: `${row}-redis`,
      program: 'enqueue',
      what: 'memory of Redis after it',
      goal: { atMost: Number(redis) },
      isExtra: true,
    },
  ]),
  ...STORED_COMMANDS.flatMap(([command, what]) =>
    STORED_FILES.flatMap((files): BenchRow[] => [
      {
        row: `stored-${command}-${files}`,
        program: 'stored-files',
        what: `CPU of ${what}, 30,000 jobs with ${files.toLocaleString('en')} files`,
        against: 'with none',
        goal: { ratioAtMost: 1.3 },
        isExtra: true,
      },
      {
        row: `stored-${command}-${files}-memory`,
        program: 'stored-files',
        what: 'peak memory of the same',
        against: 'with none',
        goal: { ratioAtMost: 1.2 },
        isExtra: true,
      },
    ]),
  ),
  ...STORED_READERS.flatMap(([command, what]) =>
    STORED_FILES.map((files): BenchRow => ({
      row: `stored-${command}-${files}-memory`,
      program: 'stored-files',
      what: `peak memory of ${what}, 30,000 jobs with ${files.toLocaleString('en')} files`,
      against: 'with none',
      goal: { atMost: 400 },
      isExtra: true,
    })),
  ),
  ...STORED_MOST_COMMANDS.map(([command, what]): BenchRow => ({
    row: `stored-${command}-${STORED_MOST}`,
    program: 'stored-files',
    what: `peak memory of ${what}, 30,000 jobs with ${STORED_MOST.toLocaleString('en')} files`,
    goal: { atMost: 400 },
    isExtra: true,
  })),
  ...[
    ['many-jobs-export', 'peak memory of an export of one user of 100,000 jobs', 250],
    ['many-jobs-prune', 'peak memory of a `prune` of these', 250],
    ['many-files-export', 'peak memory of an export with 45,000 new files', 250],
    ['many-sessions-status', 'peak memory of `status` of 1,000,000 sessions', 200],
    ['many-sessions-status-cpu', 'CPU of the same, seconds', 4],
    ['many-sessions-show', 'peak memory of `show` of these, without an id', 300],
  ].map(([row = '', what = '', atMost]): BenchRow => ({
    row: String(row),
    program: 'many',
    what: String(what),
    goal: { atMost: Number(atMost) },
    isExtra: true,
  })),
  {
    row: 'erase-spool',
    program: 'erasure-spool',
    what: 'peak of TMPDIR in `erase` of one user from a bucket (Ceph), 3 GB in compacted files, each with rows of the user',
    against: '750 MB',
    goal: { atMost: 1073 },
    needs: ['ceph'],
    isExtra: true,
  },
  ...[
    ['bucket-show', 'requests to a bucket (Ceph) before the first part file of `show ID`', 12],
    ['bucket-query', 'the same of `query`', 12],
    ['bucket-erase', 'reads of each commit that an `erase` replaces in a bucket', 2],
    ['bucket-erase-long', 'the same of a log that a run does not keep in memory', 2],
  ].map(([row = '', what = '', atMost]): BenchRow => ({
    row: String(row),
    program: 'bucket',
    what: String(what),
    goal: { atMost: Number(atMost) },
    needs: ['ceph'],
    isExtra: true,
  })),
  {
    row: 'compact-parquet',
    program: 'compact',
    what: 'peak memory of merging 1,000 files of 340 MB',
    against: '250 files',
    goal: { atMost: 450, ratioAtMost: 1.3 },
    isExtra: true,
  },
  {
    row: 'compact-jsonl',
    program: 'compact',
    what: 'the same in JSON lines',
    against: '250 files',
    goal: { atMost: 450, ratioAtMost: 1.3 },
    isExtra: true,
  },
  ...[
    ['latin', 'one answer of 64 MB in ASCII'],
    ['text', 'one answer of 64 MB'],
    ['sources', 'one answer with 600,000 sources'],
  ].flatMap(([answer = '', what = '']) =>
    ['export', 'show', 'search', 'report', 'workbook', 'evidence', 'query', 'verify'].map(
      (command): BenchRow => ({
        row: `large-${answer}-${command}`,
        program: 'large-answer',
        what: `peak memory of \`${command}\` of ${what}`,
        against: 'the bytes of the answer',
        goal: { atMost: 600, ratioAtMost: 12 },
        isExtra: true,
      }),
    ),
  ),
  ...[
    ['status', '`status`'],
    ['verify', '`verify`'],
    ['compact', '`compact`'],
    ['report', '`report`'],
    ['query', '`query`, a count of questions and users'],
    ['status-16', '`status` of these in sixteen archives, by shard'],
    ['query-16', 'the same `query` over these'],
  ].map(([row = '', what = '']): BenchRow => ({
    row: `company-${row}`,
    program: 'company',
    what: `peak memory of ${what}; 100,000 users of one session`,
    goal: { atMost: 400 },
    isExtra: true,
  })),
  {
    row: 'report',
    program: 'report',
    what: 'peak memory of making a report of 20,000 jobs',
    goal: { atMost: 600 },
    isExtra: true,
  },
  {
    row: 'report-page',
    program: 'report',
    what: 'until its first page is there',
    goal: { atMost: 2 },
    isExtra: true,
  },
  ...[
    ['parquet-write', 'writing 200,000 rows of Parquet'],
    ['parquet-read', 'reading them'],
    ['parquet-write-nine', 'writing them to nine files at once'],
    ['parquet-snappy', 'writing them with Snappy'],
    ['parquet-gzip', 'writing them with gzip'],
    ['jsonl-write', 'writing them as JSON lines'],
    ['jsonl-read', 'reading these'],
  ].map(([row = '', what = '']): BenchRow => ({
    row,
    program: 'formats',
    what: `peak memory of ${what}`,
    against: 'of 50,000',
    goal: { ratioAtMost: 1.3 },
    isExtra: true,
  })),
];
