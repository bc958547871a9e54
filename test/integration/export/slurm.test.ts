/** The script of config/deploy, as a real array of a real Slurm. */
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { hasSlurm } from '../../services/programs.js';
import { Slurm } from '../../services/slurm.js';
import { PROGRAM } from '../../support/programs/cli-process.js';
import { CliRig } from '../../support/rigs/cli-rig.js';

const SCRIPT = fileURLToPath(new URL('../../../config/deploy/slurm-array.sh', import.meta.url));

describe.skipIf(!hasSlurm)('a Slurm array', () => {
  it('shares the users: all are there, each once', async () => {
    await using rig = await CliRig.start({ users: 12, sessions: 1, jobs: 1, artifactsPerJob: 0 });
    await using slurm = await Slurm.start();
    const place = (name: string) => join(rig.directory, name);
    await mkdir(place('bin'));
    await writeFile(
      place('bin/jobvault'),
      `#!/bin/sh\nexec ${PROGRAM.map((word) => `'${word}'`).join(' ')} "$@"\n`,
    );
    await chmod(place('bin/jobvault'), 0o755);
    await writeFile(place('users.csv'), ['user_id', ...rig.state.userIds(), ''].join('\n'));
    await writeFile(place('api-key'), 'demo-key\n', { mode: 0o600 });

    await slurm.submit(['--array=1-4', `--output=${place('task-%a.log')}`, SCRIPT], {
      PATH: `${place('bin')}:${process.env['PATH'] ?? ''}`,
      HOME: rig.directory,
      USERS_FILE: place('users.csv'),
      KEY_FILE: place('api-key'),
      BASE_URL: rig.emulator.baseUrl,
      ARCHIVE: rig.out,
      RATE: '1000',
    });

    const logs = (await readdir(rig.directory)).filter((name) => /^task-\d\.log$/.test(name));
    const summaries = await Promise.all(
      logs.map(async (name) => {
        const lines = (await readFile(place(name), 'utf8')).split('\n');
        return JSON.parse(
          lines.find((line) => line.startsWith('{"status"')) ?? '',
        ) as ExportSummary;
      }),
    );
    expect(summaries.map(({ shard }) => shard).toSorted()).toEqual(['1/4', '2/4', '3/4', '4/4']);
    expect(summaries.reduce((sum, { users }) => sum + users.total, 0)).toBe(12);
    const found = await rig.select('sessions', 'user_id', 'ORDER BY user_id');
    expect(found.map((row) => row['user_id'])).toEqual(rig.state.userIds().toSorted());
    expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
  });
});
