import { existsSync } from 'node:fs';
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';
import { fault } from '../support/base/fault.js';

describe('what an export is told', () => {
  let rig: CliRig;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 3, sessions: 1, jobs: 1 });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const made = (name: string) => existsSync(join(rig.directory, name, 'jobvault.json'));

  it('may stand in the configuration file, a variable or a flag, and the last of these wins', async () => {
    const [user] = rig.state.userIds();
    const file = { 'base-url': rig.emulator.baseUrl, user, out: 'by-file', json: true };
    await writeFile(join(rig.directory, 'jobvault.config.yaml'), JSON.stringify(file));
    const fromFile = await rig.runProgram(['export']);
    expect([fromFile.exitCode, made('by-file'), made('by-variable')]).toEqual([0, true, false]);
    expect(JSON.parse(fromFile.stdout)).toMatchObject({ status: 'complete' });
    const environment = { JOBVAULT_OUT: 'by-variable' };
    expect((await rig.runProgram(['export'], { environment })).exitCode).toBe(0);
    expect([made('by-variable'), made('by-flag')]).toEqual([true, false]);
    expect((await rig.run(['export', '--out', 'by-flag'], { environment })).exitCode).toBe(0);
    expect(made('by-flag')).toBe(true);
  });

  it(
    'counts a user who is named more than a users-file that is configured',
    fault('F-67'),
    async () => {
      const [user = ''] = rig.state.userIds();
      await writeFile(join(rig.directory, 'all.csv'), rig.state.userIds().join('\n'));
      const file = { 'base-url': rig.emulator.baseUrl, 'users-file': 'all.csv', json: true };
      await writeFile(join(rig.directory, 'jobvault.config.yaml'), JSON.stringify(file));
      const one = await rig.run(['export', '--user', user, '--out', 'one-user']);
      expect(JSON.parse(one.stdout)).toMatchObject({ users: { total: 1, complete: 1 } });
      const all = await rig.run(['export', '--out', 'all-users']);
      expect(JSON.parse(all.stdout)).toMatchObject({ users: { total: 3, complete: 3 } });
      await rm(join(rig.directory, 'jobvault.config.yaml'));
    },
  );

  it('is refused before a request, and before there is an archive, where it makes no sense', async () => {
    const service = ['--base-url', rig.emulator.baseUrl, '--out', 'nowhere'];
    rig.emulator.stats.reset();
    const cases = [
      [['--user', 'ada', '--search', 'x'.repeat(129)], '--search is'],
      [['--user', 'ada,bob'], '--user is "ada,bob"'],
    ] as const;
    for (const [words, told] of cases) {
      const end = await rig.run(['export', ...service, ...words]);
      expect([end.exitCode, end.stderr]).toEqual([2, expect.stringContaining(told)]);
    }
    expect([made('nowhere'), rig.emulator.stats.totalRequests]).toEqual([false, 0]);
  });

  describe('by a file that nobody named', () => {
    const path = () => join(rig.directory, 'jobvault.config.yaml');
    const leave = (values: object) => writeFile(path(), JSON.stringify(values));
    const words = () => ['sessions', 'list', '--json', '--user', rig.state.userIds()[0] ?? ''];
    const sent = () =>
      `sends the API key of JOBVAULT_API_KEY to ${new URL(rig.emulator.baseUrl).host}`;
    afterEach(() => rm(path(), { force: true }));

    it('is said in a line, whatever the file says of the log', async () => {
      await leave({ 'base-url': rig.emulator.baseUrl, 'log-level': 'silent' });
      const end = await rig.run(words(), { environment: { JOBVAULT_LOG_FORMAT: 'json' } });
      expect(end.exitCode, end.stderr).toBe(0);
      expect(end.stderr.trim().split('\n')).toHaveLength(1);
      expect(end.stderr).toContain(
        `jobvault.config.yaml, found in this directory, ${sent()}; pass --config jobvault.config.yaml to confirm`,
      );
    });

    it('is not said where the file was named, or a flag names the host', async () => {
      await leave({ 'base-url': rig.emulator.baseUrl });
      const named = await rig.run([...words(), '--config', 'jobvault.config.yaml']);
      const flag = await rig.run([...words(), '--base-url', rig.emulator.baseUrl]);
      expect([named, flag]).toMatchObject([
        { exitCode: 0, stderr: '' },
        { exitCode: 0, stderr: '' },
      ]);
    });

    it('is said of every host, and no password with it', async () => {
      const hosts = {
        'base-url': rig.emulator.baseUrl,
        'webhook-url': 'https://evil.example/hook/t0ken',
        's3-endpoint': 'https://s3.evil.example',
        user: 'ada',
        out: 'x',
      };
      await leave(hosts);
      const { stderr } = await rig.run(['export', '--dry-run', '--search', 'no such thing']);
      expect(stderr).toContain(`${sent()}, `);
      expect(stderr).toContain('the archive to s3.evil.example');
      expect(stderr).toContain('the result of the run to evil.example');
      expect(stderr).not.toContain('t0ken');
    });

    it('is refused where every user of the machine can write to it', async () => {
      await leave({ 'base-url': rig.emulator.baseUrl });
      await chmod(path(), 0o666);
      const before = rig.emulator.stats.totalRequests;
      const end = await rig.run(words());
      expect(end.exitCode).toBe(2);
      expect(end.stderr).toContain(
        'jobvault.config.yaml in this directory can be written by every user of this machine, and is not used; pass --config jobvault.config.yaml to use it',
      );
      expect(rig.emulator.stats.totalRequests).toBe(before);
      expect((await rig.run([...words(), '--config', 'jobvault.config.yaml'])).exitCode).toBe(0);
    });

    it.runIf(process.getuid?.() === 0)('is refused where it is another user’s', async () => {
      await leave({ 'base-url': rig.emulator.baseUrl });
      await chown(path(), 12_345, 12_345);
      const end = await rig.run(words());
      expect(end.exitCode).toBe(2);
      expect(end.stderr).toContain('belongs to another user of this machine, and is not used');
    });
  });

  it('may be all variables, the key in a file', async () => {
    const keyFile = join(rig.directory, 'key.txt');
    await writeFile(keyFile, 'demo-key\n');
    const end = await rig.run(['export'], {
      environment: {
        JOBVAULT_API_KEY: '',
        JOBVAULT_API_KEY_FILE: keyFile,
        JOBVAULT_BASE_URL: rig.emulator.baseUrl,
        JOBVAULT_USER: rig.state.userIds()[1]!,
        JOBVAULT_OUT: 'by-variables',
        JOBVAULT_FORMAT: 'jsonl,xlsx',
        JOBVAULT_LOG_LEVEL: 'silent',
      },
    });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    expect(made('by-variables')).toBe(true);
  });

  it.each([
    ['a line each, some twice', (users: string[]) => [...users, '', users[0]].join('\r\n')],
    ['a CSV column', (users: string[]) => `team,user_id\n${users.map((u) => `x,${u}\n`).join('')}`],
  ])('may name its users on stdin: %s', async (_form, write) => {
    const words = ['export', '--users-file', '-', '--out', 'nowhere', '--dry-run', '--json'];
    const end = await rig.runProgram([...words, '--base-url', rig.emulator.baseUrl], {
      stdin: write(rig.state.userIds()),
    });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const { sessions, jobs } = rig.state.totals();
    expect(JSON.parse(end.stdout)).toEqual({
      dry_run: true,
      users: 3,
      never_seen: [],
      unknown: [],
      failed: 0,
      unproven: 0,
      sessions: { listed: sessions, archived: 0 },
      jobs: { announced: jobs, archived: 0 },
    });
    expect(existsSync(join(rig.directory, 'nowhere'))).toBe(false); // a dry run writes nothing
  });
});
