import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportSummary } from '../../src/export/export-summary.js';
import { script } from '../services/programs.js';
import { PROGRAM } from '../support/programs/cli-process.js';
import { metricsIn } from '../support/base/metrics-folder.js';
import { CliRig } from '../support/rigs/cli-rig.js';

// each test is a handful of programs one after the other
describe('the first minutes', { timeout: 120_000 }, () => {
  let rig: CliRig;

  beforeEach(async () => {
    rig = await CliRig.start({ users: 2, sessions: 2, jobs: 2 });
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  it('are init, doctor and export, with no other flag', async () => {
    const users = rig.state.userIds().flatMap((user) => ['--user', user]);
    const place = ['--base-url', rig.emulator.baseUrl, '--out', './archive', '--rate', '19'];
    const init = await rig.runProgram(['init', ...place, ...users]);
    expect(init).toMatchObject({ exitCode: 0, stderr: '' });
    expect(init.stdout).toContain('jobvault doctor');

    const doctor = await rig.runProgram(['doctor']);
    expect(doctor.exitCode, doctor.stderr).toBe(0);
    const host = new URL(rig.emulator.baseUrl).host;
    expect(doctor.stderr).toContain(
      `sends the API key of JOBVAULT_API_KEY to ${host}; pass --config`,
    );
    expect(doctor.stdout).toContain('Ready: jobvault export');
    // the second one looks for a cache in front of the service
    expect(rig.emulator.stats.totalRequests).toBe(2);

    const exported = await rig.runProgram(['export']);
    expect(exported.exitCode).toBe(0);
    const again = await rig.run(['export', '--json']);
    const summary = JSON.parse(again.stdout) as ExportSummary;
    expect(summary).toMatchObject({ status: 'complete', users: { total: 2, complete: 2 } });
    expect(summary.sessions).toMatchObject({ listed: 4, unchanged: 4 });
  });

  it('may take the key and the users from files that the configuration names', async () => {
    await writeFile(join(rig.directory, 'key.txt'), 'demo-key\n');
    await writeFile(join(rig.directory, 'users.csv'), `user_id\n${rig.state.userIds()[0]!}\n`);
    const files = ['--api-key-file', 'key.txt', '--users-file', 'users.csv', '--out', 'archive'];
    const environment = { JOBVAULT_API_KEY: '' };
    await rig.run(['init', '--base-url', rig.emulator.baseUrl, ...files], { environment });
    expect((await rig.run(['doctor'], { environment })).exitCode).toBe(0);
    expect((await rig.run(['export'], { environment })).exitCode).toBe(0);
  });

  it('end with the command that sets up the nights, which keep what is set', async () => {
    await writeFile(join(rig.directory, 'key.txt'), 'demo-key\n');
    await writeFile(join(rig.directory, 'users.csv'), `user_id\n${rig.state.userIds()[0]!}\n`);
    const files = ['--api-key-file', 'key.txt', '--users-file', 'users.csv', '--out', './archive'];
    const night = ['--metrics-dir', '.', '--max-duration', '6h'];
    const words = ['init', '--base-url', rig.emulator.baseUrl, ...files, ...night];
    const init = await rig.runProgram(words);
    expect(init.exitCode, init.stderr).toBe(0);
    expect(init.stdout).toContain('\nEvery night:\n  jobvault init --nightly --force\n');
    const nightly = ['init', '--nightly', '--force', '--yes', '--scheduler', 'cron'];
    expect((await rig.runProgram(nightly)).exitCode).toBe(0);
    const script = join(rig.directory, 'nightly.sh');
    const cron = ['-i', 'PATH=/usr/bin:/bin', 'SHELL=/bin/sh', '/bin/sh', '-c', `${script} export`];
    await promisify(execFile)('/usr/bin/env', cron, { cwd: '/' });
    expect(await metricsIn(rig.directory)).toContain('jobvault_');
    expect(await rig.files('tables')).not.toEqual([]);
  });

  it.skipIf(script === undefined)(
    'may begin with questions on a terminal, which Ctrl-C ends without a file',
    async () => {
      const users = rig.state.userIds().join(', ');
      const answers = [rig.emulator.baseUrl, '', users, '', ''];
      // 3 is what Ctrl-C types
      const stopped = await onTerminal([...answers.slice(0, 2), '\u0003']);
      expect(stopped.exitCode, stopped.shown).toBe(130);
      expect(await readdir(rig.directory)).toEqual([]);
      const done = await onTerminal(answers);
      expect(done.exitCode, done.shown).toBe(0);
      expect(done.shown).toContain('format [parquet]: ');
      expect((await rig.run(['export'])).exitCode).toBe(0);
    },
  );

  /** Under a pseudo-terminal: types the next answer when the next question is there. */
  const onTerminal = async (answers: readonly string[]) => {
    const command = [...PROGRAM, 'init'].join(' ');
    const child = spawn(script ?? '', ['-qec', command, '/dev/null'], {
      cwd: rig.directory,
      env: { PATH: process.env['PATH'], JOBVAULT_API_KEY: 'demo-key', TERM: 'xterm' },
    });
    let shown = '';
    let answered = 0;
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (data: Buffer) => {
        shown += data.toString();
        const asked = shown.match(/^[a-z-]+ \[.*\]: /gm)?.length ?? 0;
        for (; answered < asked; answered++) {
          const answer = answers[answered] ?? '';
          child.stdin.write(answer === '\u0003' ? answer : `${answer}\n`);
        }
      });
    }
    const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { exitCode, shown };
  };

  it('replace no configuration unless they are told to', async () => {
    const path = join(rig.directory, 'jobvault.config.yaml');
    await writeFile(path, 'rate: 1\nnonsense\n');
    const refused = await rig.run(['init']);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('jobvault.config.yaml exists already; --force replaces it');
    expect(await readFile(path, 'utf8')).toBe('rate: 1\nnonsense\n');

    const forced = await rig.run(['init', '--force', '--json']);
    expect(JSON.parse(forced.stdout)).toEqual({
      config: 'jobvault.config.yaml',
      schema: 'jobvault.schema.json',
      replaced: ['jobvault.config.yaml.bak'],
    });
    expect(await readFile(`${path}.bak`, 'utf8')).toBe('rate: 1\nnonsense\n');
    await writeFile(path, 'rate: 1\nnonsense\n');
    expect((await rig.run(['init', '--force'])).stdout).toContain(
      'None of its settings were kept: jobvault.config.yaml is not YAML: ',
    );
    expect(await readFile(path, 'utf8')).toContain('$schema=./jobvault.schema.json');
  });

  it('tell the nearest key where the configuration has an unknown one', async () => {
    await writeFile(join(rig.directory, 'jobvault.config.yaml'), 'user-file: users.csv\n');
    for (const words of [['doctor'], ['config', 'show'], ['sessions', 'list']]) {
      const end = await rig.run(words);
      expect(end).toMatchObject({ exitCode: 2, stdout: '' });
      expect(end.stderr).toContain('unknown key "user-file"; did you mean "users-file"?');
    }
  });
});
