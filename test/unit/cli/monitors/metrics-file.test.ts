/** The folder of `--metrics-dir`: a file for each command, archive and scope, which a collector may read at any time. */
import fs from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UsageError } from '../../../../src/base/error.js';
import {
  checkMetricsFolder,
  metricsFileOf,
  writeMetricsFile,
} from '../../../../src/cli/monitors/metrics-file.js';
import type { RunReport } from '../../../../src/telemetry/run-report.js';
import { metricsIn } from '../../../support/base/metrics-folder.js';
import { fault } from '../../../support/base/fault.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-metrics-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

const at = (name: string) => join(directory, name);

/** Runs with other functions of the file system in their place: root is refused nothing. */
async function withFs(other: Partial<typeof fs.promises>, run: () => Promise<unknown>) {
  const before = { ...fs.promises };
  try {
    Object.assign(fs.promises, other);
    syncBuiltinESMExports();
    await run();
  } finally {
    Object.assign(fs.promises, before);
    syncBuiltinESMExports();
  }
}

const report = (over: Partial<RunReport> = {}): RunReport => ({
  command: 'export',
  archive: '/an/archive',
  config: null,
  host: 'here',
  scope: 'all',
  run: 'R',
  outcome: 'complete',
  exitCode: 0,
  error: null,
  startedAtMs: Date.now() - 1000,
  durationMs: 1000,
  counts: {},
  version: '1',
  ...over,
});

const write = (changes: Partial<RunReport> = {}) => writeMetricsFile(directory, report(changes));
const own = (changes: Partial<RunReport> = {}) => metricsFileOf(directory, report(changes));

it('each command, archive and scope has a file of its own, and replaces no other', async () => {
  const runs: Partial<RunReport>[] = [
    {},
    { command: 'verify' },
    { archive: '/another' },
    { scope: 'named' },
  ];
  for (const run of runs) await write(run);
  expect((await readdir(directory)).toSorted()).toEqual(
    runs.map((run) => basename(own(run))).toSorted(),
  );
  expect(basename(own())).toMatch(/^jobvault-[0-9a-f]{12}\.prom$/);
  const others = await Promise.all(runs.slice(1).map((run) => readFile(own(run), 'utf8')));
  await write({ exitCode: 3, outcome: 'gaps' });
  expect(await Promise.all(runs.slice(1).map((run) => readFile(own(run), 'utf8')))).toEqual(others);
  expect(await readFile(own(), 'utf8')).toMatch(/^jobvault_run_exit_code\{.*\} 3$/m);
});

it(
  'a mistyped place has a file of its own: who deletes it ends its alarms, and no other',
  fault('F-146'),
  async () => {
    await write({ archive: 's3://mistyped/a', exitCode: 9, outcome: 'failed' });
    await write();
    await rm(own({ archive: 's3://mistyped/a' }));
    expect(await metricsIn(directory)).not.toContain('mistyped');
    expect(await metricsIn(directory)).toMatch(/^jobvault_run_exit_code\{.*\} 0$/m);
  },
);

it.each([
  ['that is not there', 'no', 'ENOENT'],
  ['in whose place is a file', 'file', 'ENOTDIR'],
])('a folder %s is refused before the run, with what is allowed', async (_, name, code) => {
  await writeFile(at('file'), '', { mode: 0o777 });
  await expect(checkMetricsFolder(at(name))).rejects.toMatchObject({
    name: 'UsageError',
    message: `--metrics-dir ${at(name)} cannot be written to (${code}); allowed is an existing folder`,
    cause: { code },
  });
});

it.each([
  [
    'EROFS',
    (of: string) =>
      `${of} is read-only for this run; a systemd unit opens it with ReadWritePaths=${of}`,
  ],
  ['EACCES', () => 'allowed is a folder in which the user of this run may write'],
  ['EPERM', () => 'allowed is a folder in which the user of this run may write'],
])('a folder that refuses with %s is refused with what helps', async (code, helps) => {
  const access = () => Promise.reject(Object.assign(new Error('no'), { code }));
  const told = `--metrics-dir ${directory} cannot be written to (${code}); ${helps(directory)}`;
  await withFs({ access }, async () => {
    await expect(checkMetricsFolder(directory)).rejects.toThrow(new UsageError(told));
  });
});

it('metrics can be read by a collector of another user, whatever the umask', async () => {
  const before = process.umask(0o077);
  try {
    await write();
  } finally {
    process.umask(before);
  }
  expect((await stat(own())).mode & 0o777).toBe(0o644);
  expect(await readdir(directory)).toEqual([basename(own())]);
});

it('metrics that cannot be put into their place leave nothing behind', async () => {
  await withFs({ rename: () => Promise.reject(new Error('full')) }, async () => {
    await expect(write()).rejects.toThrow('full');
  });
  expect(await readdir(directory)).toEqual([]);
});

it.each(['EACCES', 'EISDIR', 'EIO'])(
  'metrics that cannot be read (%s) are not replaced: they know the last success',
  async (code) => {
    await write();
    const before = await readFile(own(), 'utf8');
    const unreadable = () => Promise.reject(Object.assign(new Error('no'), { code }));
    await withFs({ readFile: unreadable }, async () => {
      await expect(write({ exitCode: 3 })).rejects.toThrow('no');
    });
    expect(await readFile(own(), 'utf8')).toBe(before);
  },
);

it('no collector reads what is half written', async () => {
  const { rename } = fs.promises;
  const seen: string[][] = [];
  const watching: typeof rename = async (from, to) => {
    seen.push(await readdir(directory));
    await rename(from, to);
  };
  await withFs({ rename: watching }, () => write());
  expect(seen).toEqual([[`.${basename(own())}.${process.pid}.tmp`]]);
});
