/**
 * What it costs to read an archive back, against the export of the same: a report, one after a new question, an
 * evidence pack, a workbook of one of four users, and an erasure from an archive with workbooks.
 * Flags of its own: --jobs 14400, --keep DIRECTORY (archives and results stay there), --profile DIRECTORY.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmulatorProcess, everybody, KEY } from './emulator-process.js';
import { measuredNode, type MeasuredProcess } from './measured-process.js';
import { benchFlags, printRow, type Run } from './measurement.js';

const USERS = 4;
const SESSION_JOBS = 120;

const { rounds, isQuick, wants, own } = benchFlags(['jobs', 'keep', 'profile']);
const jobs = Number(own['jobs'] ?? (isQuick ? 480 : 14_400));
const directory = own['keep'] ?? (await mkdtemp(join(tmpdir(), 'jobvault-bench-')));
const rows = new Map<string, Run[]>();
try {
  for (let round = 0; round < rounds; round++) {
    if (
      ['report', 'report-again', 'evidence', 'evidence-time', 'workbook'].some((row) =>
        wants(`reading-${row}`),
      )
    ) {
      await measureReading();
    }
    if (wants('reading-erase')) await measureErasure();
  }
  for (const [row, runs] of rows) if (wants(row)) printRow(row, 's', runs);
} finally {
  if (own['keep'] === undefined) await rm(directory, { recursive: true, force: true });
}

function add(row: string, run: Run): void {
  rows.set(row, [...(rows.get(row) ?? []), run]);
  process.stderr.write(
    `${row}: ${run.ours.toFixed(2)} s; beside it ${(run.peer ?? 0).toFixed(2)} s\n`,
  );
}

/** With a table in every tenth job. */
async function serve(): Promise<EmulatorProcess> {
  const sessions = Math.max(1, Math.ceil(jobs / USERS / SESSION_JOBS));
  const sizes = { users: USERS, sessions, jobs: Math.ceil(jobs / USERS / sessions) };
  const all = { ...sizes, exactJobs: true, blocksPerJob: 20, artifactsPerJob: 0 };
  return EmulatorProcess.start(all, Math.ceil(jobs / 10));
}

async function measureReading(): Promise<void> {
  using emulator = await serve();
  const [archive, report, pack, workbook] = ['archive', 'report', 'pack', 'workbook.xlsx'].map(
    (name) => join(directory, name),
  ) as [string, string, string, string];
  await empty(archive, report, pack, workbook);
  const words = ['export', '--out', archive, ...everybody(emulator.service)];
  const exported = await measured('export', words);
  if (wants('reading-report') || wants('reading-report-again')) {
    const made = await measured('report', ['report', archive, '--out', report]);
    add('reading-report', { ours: made.cpuSeconds, peer: exported.cpuSeconds });
  }
  if (wants('reading-evidence') || wants('reading-evidence-time')) {
    // a word that is in every job
    const packed = await measured('evidence', [
      'evidence',
      archive,
      '--out',
      pack,
      '--match',
      'value',
    ]);
    add('reading-evidence', { ours: packed.cpuSeconds, peer: exported.cpuSeconds });
    add('reading-evidence-time', { ours: packed.seconds, peer: exported.seconds });
  }
  if (wants('reading-workbook')) {
    const [user = ''] = emulator.service.users;
    const asked = ['workbook', archive, '--out', workbook, '--user', user];
    const made = await measured('workbook', asked);
    add('reading-workbook', { ours: made.cpuSeconds, peer: exported.cpuSeconds });
  }
  if (!wants('reading-report-again')) return;
  await emulator.ask();
  await measured('again', words);
  const again = await measured('report-again', ['report', archive, '--out', report]);
  add('reading-report-again', { ours: again.cpuSeconds, peer: exported.cpuSeconds });
}

/** One of the users, from an archive with workbooks. */
async function measureErasure(): Promise<void> {
  using emulator = await serve();
  const [archive, left] = ['workbooks', 'erased'].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  await empty(archive, left);
  const words = ['export', '--out', archive, '--format', 'parquet,xlsx'];
  const exported = await measured('export-xlsx', [...words, ...everybody(emulator.service)]);
  await cp(archive, left, { recursive: true });
  const [user = ''] = emulator.service.users;
  const reason = ['--reason', 'asked for', '--yes'];
  const erased = await measured('erase', ['erase', left, '--user', user, ...reason]);
  add('reading-erase', { ours: erased.cpuSeconds, peer: exported.cpuSeconds });
}

function measured(kind: string, words: readonly string[]): Promise<MeasuredProcess> {
  const { profile } = own;
  return measuredNode(words, {
    environment: KEY,
    flags: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profile, kind)}`],
  });
}

async function empty(...paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true });
}
