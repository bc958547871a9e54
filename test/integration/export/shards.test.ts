/** One archive, several machines that know nothing of each other but their number. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openArchiveIn } from '../../../src/archive/open-archive.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { rateOf } from '../../../src/export/export-request.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { isInShardOf } from '../../../src/model/shard.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { PROGRAM } from '../../support/programs/cli-process.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { CliRig } from '../../support/rigs/cli-rig.js';

const SLURM_SCRIPT = fileURLToPath(
  new URL('../../../config/deploy/slurm-array.sh', import.meta.url),
);

let rig: CliRig;
beforeEach(async () => {
  rig = await CliRig.start({ users: 12, sessions: 1, jobs: 1, artifactsPerJob: 0 });
});
afterEach(() => rig[Symbol.asyncDispose]());

it('a sharded export has every user once', async () => {
  const runs = await Promise.all(
    ['1/3', '2/3', '3/3'].map((shard) => cliJson<ExportSummary>(rig.exportWords('--shard', shard))),
  );
  expect(runs.map(({ shard }) => shard)).toEqual(['1/3', '2/3', '3/3']);
  const sql = "SELECT shard, queued_run FROM runs WHERE kind = 'export' ORDER BY shard";
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', rig.out, sql]);
  expect(rows).toEqual(['1/3', '2/3', '3/3'].map((shard) => ({ shard, queued_run: null })));
  expect((await cli(['status', rig.out])).stdout).toMatch(/archived, shard 2\/3$/m);
  expect(runs.reduce((sum, { users }) => sum + users.complete, 0)).toBe(12);

  const found = await rig.select('sessions', 'user_id, run_id', 'ORDER BY user_id');
  expect(found.map((row) => row['user_id'])).toEqual(rig.state.userIds().toSorted());
  expect(new Set(found.map((row) => row['run_id'])).size).toBeGreaterThan(1);
  expect((await cli(['verify', rig.out])).exitCode).toBe(0);
});

it('the users of the other shards are not taken for users whom no export reads any more', async () => {
  for (const user of rig.state.userIds()) rig.state.addJob(user, rig.state.addSession(user));
  const list = join(rig.directory, 'users.txt');
  await writeFile(list, rig.state.userIds().join('\n'));
  const place = ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'];
  for (const shard of ['1/3', '2/3', '3/3', '1/3', '2/3', '3/3']) {
    await cliJson(['export', ...place, '--users-file', list, '--shard', shard]);
  }
  const { may_change: mayChange } = await cliJson<ArchiveStatus>(['status', rig.out]);
  expect(mayChange.jobs).toBeGreaterThan(0);
  expect(mayChange.unread).toBe(0);
});

it('the script for a Slurm array gives each task its share', async () => {
  const place = (name: string) => join(rig.directory, name);
  await mkdir(place('bin'));
  const program = PROGRAM.map((word) => `'${word}'`).join(' ');
  await writeFile(place('bin/jobvault'), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
  await writeFile(place('users.csv'), ['user_id', ...rig.state.userIds(), ''].join('\n'));
  await writeFile(place('api-key'), 'demo-key\n', { mode: 0o600 });
  const { stdout } = await promisify(execFile)('bash', [SLURM_SCRIPT], {
    env: {
      PATH: `${place('bin')}:${process.env['PATH'] ?? ''}`,
      HOME: rig.directory,
      USERS_FILE: place('users.csv'),
      KEY_FILE: place('api-key'),
      BASE_URL: rig.emulator.baseUrl,
      ARCHIVE: rig.out,
      RATE: '1000',
      SLURM_ARRAY_TASK_ID: '3',
    },
  });
  expect(JSON.parse(stdout)).toMatchObject({ shard: '3/16' });
});

it('a sharded export says in the commit which shard it was', async () => {
  await cliJson(rig.exportWords('--shard', '2/3'));
  const archive = await openArchiveIn(createLocalStorage({ directory: rig.out }));
  expect((await archive.log.read(1)).scope).toMatchObject({ shard: '2/3' });
});

it('a sharded export ends well where nobody falls into the shard', async () => {
  const [user = ''] = rig.state.userIds();
  const words = ['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', user];
  const runs = await Promise.all(
    ['1/2', '2/2'].map((shard) => cliJson<ExportSummary>([...words, '--shard', shard])),
  );
  expect(runs.map(({ users }) => users.total).toSorted()).toEqual([0, 1]);
  expect(runs.map(({ status }) => status)).toEqual(['complete', 'complete']);
});

it('a sharded export deletes nothing of others where nobody falls into the shard', async () => {
  const [user = ''] = rig.state.userIds();
  await cliJson(rig.exportWords());
  const words = ['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', user];
  for (const shard of ['1/2', '2/2']) {
    const deleting = ['--shard', shard, '--delete-archived', '--all', '--yes', '--rate', '1000'];
    await cliJson([...words, ...deleting]);
  }
  for (const other of rig.state.userIds().filter((id) => id !== user)) {
    expect(rig.state.sessionIds(other), other).toHaveLength(1);
  }
});

it('a sharded export takes its share of the rate', () => {
  const options = { baseUrl: rig.emulator.baseUrl, apiKey: 'demo-key', users: [], out: rig.out };
  expect(rateOf(options)).toBe(20);
  expect(rateOf({ ...options, rate: 10, shard: { index: 2, count: 4 } })).toBe(2.5);
});

it('a sharded export refuses a shard that there is not', async () => {
  const end = await cli(rig.exportWords('--shard', '0/3'));
  expect(end.exitCode).toBe(2);
  expect(end.stderr).toContain('--shard is "0/3"; allowed is I/N with I from 1 to N, such as 3/16');
  expect(rig.emulator.stats.totalRequests).toBe(0);
});

it('shards that share an archive share no metrics: the last one ends no alarm of another', async () => {
  const metrics = join(rig.directory, 'metrics');
  await mkdir(metrics);
  const [first = '', second = ''] = ['1/2', '2/2'].map(
    (shard) => rig.state.userIds().find((user) => isInShardOf(shard, user)) ?? '',
  );
  const file = join(rig.directory, 'users.txt');
  await writeFile(file, rig.state.userIds().join('\n'));
  const words = (shard: string) => [
    ...['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'],
    ...['--users-file', file, '--shard', shard, '--metrics-dir', metrics],
  ];
  const content = { name: 'Sales', url: '{{url:lost.csv}}', expires_at: '{{expires_at}}' };
  const answer = { blocks: [{ type: 'TABLE', content, stage: 'Respond' }] };
  const job = JSON.stringify({ job_id: 'job-lost', question: { blocks: [] }, answer });
  rig.state.addSession(first, { id: 's-lost' }, [job]);
  expect((await cli(words('1/2'))).exitCode).toBe(3);
  expect((await cli(words('2/2'))).exitCode).toBe(0);
  const text = await metricsIn(metrics);
  const value = (name: string, shard: string, label = '') =>
    new RegExp(
      `^jobvault_${name}\\{[^}]*scope="all",shard="${shard}"[^}]*${label}[^}]*\\} (\\d+)`,
      'm',
    ).exec(text)?.[1];
  expect(value('gaps', '1/2', 'reason="missing"')).toBe('1');
  expect(value('gaps', '2/2', 'reason="missing"')).toBe('0');
  expect([value('run_exit_code', '1/2'), value('run_exit_code', '2/2')]).toEqual(['3', '0']);
  const status = await cli(['status', rig.out]);
  expect(status.stdout).toMatch(/all \d users of shard 2\/2 read, no gaps\n/);
  expect(await cliJson(['status', rig.out])).toMatchObject({
    last_export: { shard: '2/2', listed_before: 0 },
    gaps_of_unread_users: 0,
  });
  rig.emulator.faults.beforeRequest = ({ userId }) => {
    if (userId !== second) rig.state.keys.expire('demo-key');
  };
  const failed = await cli(words('1/2'));
  rig.emulator.faults.beforeRequest = undefined;
  rig.state.keys.setProject('demo-key', rig.state.project);
  expect(failed.exitCode).toBe(6);
  expect((await cli(words('2/2'))).exitCode).toBe(0);
  const config = join(rig.directory, 'config.yaml');
  await writeFile(config, `out: ${rig.out}\nmetrics-dir: ${metrics}\n`);
  expect(await cliJson(['status', '--config', config])).toMatchObject({
    failed_runs: [{ command: 'export', shard: '1/2', exit_code: 6 }],
  });
});
