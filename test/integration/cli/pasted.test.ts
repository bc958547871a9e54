/** Every command that a night with gaps proposes runs in a fresh shell, of a bucket whose store only the configuration knows. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { hasS3, TestBucket } from '../../support/store/s3-server.js';

const COMMAND =
  /jobvault (?:[a-z]+ )*(?:s3:\/\/|--)[^;\n]*?(?=,| \{|\.(?:\s|$)|;|\n| fetches| names| checks| clears| makes| ends|$)/g;

describe.runIf(hasS3)('what a night of a bucket proposes', () => {
  it('finds the store where it is pasted', async () => {
    await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
    rig.emulator.faults.refusedUsers = { [rig.state.userIds()[0] ?? '']: 300002 };
    await using bucket = await TestBucket.make();
    vi.stubEnv('AWS_ACCESS_KEY_ID', bucket.server.key);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', bucket.server.secret);
    const config = join(rig.directory, 'store.yaml');
    const metrics = rig.directory;
    await writeFile(
      config,
      [
        `base-url: ${rig.emulator.baseUrl}`,
        `user: [${rig.state.userIds().join(', ')}]`,
        `out: s3://${bucket.name}/archive`,
        `s3-endpoint: ${bucket.endpoint}`,
        's3-force-path-style: true',
        `metrics-dir: ${metrics}`,
        'rate: 1000',
      ].join('\n'),
    );
    const night = await cli(['export', '--config', config]);
    expect(night.exitCode, night.stderr).toBe(3);
    const place = ['--config', config];
    const list = await cli(['gap', 'list', `s3://${bucket.name}/archive`, ...place]);
    const status = await cli(['status', `s3://${bucket.name}/archive`, ...place]);
    const archive = `s3://${bucket.name}/archive`;
    const [, user = ''] = rig.state.userIds();
    await cli(['hold', 'add', archive, '--user', user, '--reason', 'x', '--by', 'y', ...place]);
    const others: Awaited<ReturnType<typeof cli>>[] = [];
    for (const words of [
      ['status', archive],
      ['status', archive, '--user', user],
      ['show', archive],
      ['search', archive, 'revenue OR sales OR the'],
      ['workbook', archive, '--from', '2020', '--out', join(rig.directory, 'all.xlsx')],
    ]) {
      const ended = await cli([...words, ...place]);
      expect([words, ended.exitCode === 0 || ended.exitCode === 3]).toEqual([words, true]);
      others.push(ended);
    }
    const told = [night, list, status, ...others]
      .map(({ stdout, stderr }) => stdout + stderr)
      .join('\n');
    const proposed = new Set([...told.matchAll(COMMAND)].map(([line]) => line.trim()));
    expect([...proposed].filter((line) => !line.includes(`--config ${config}`))).toEqual([]);
    const runs = [...proposed].filter((line) => !/accept|query|SESSION|report/.test(line));
    expect(runs.length).toBeGreaterThan(1);
    for (const word of ['show', 'status']) {
      expect([...proposed].join('\n')).toContain(`jobvault ${word} s3://`);
    }
    for (const line of runs) {
      const ended = await cli(line.split(' ').slice(1));
      expect([line, ended.exitCode === 0 || ended.exitCode === 3]).toEqual([line, true]);
    }
    vi.unstubAllEnvs();
  });
});
