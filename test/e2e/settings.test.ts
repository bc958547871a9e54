import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliRig } from '../support/cli-rig.js';

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
    const fromFile = await rig.run(['export']);
    expect([fromFile.exitCode, made('by-file'), made('by-variable')]).toEqual([0, true, false]);
    expect(JSON.parse(fromFile.stdout)).toMatchObject({ status: 'complete' });
    const environment = { JOBVAULT_OUT: 'by-variable' };
    expect((await rig.run(['export'], { environment })).exitCode).toBe(0);
    expect([made('by-variable'), made('by-flag')]).toEqual([true, false]);
    expect((await rig.run(['export', '--out', 'by-flag'], { environment })).exitCode).toBe(0);
    expect(made('by-flag')).toBe(true);
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
    const end = await rig.run([...words, '--base-url', rig.emulator.baseUrl], {
      stdin: write(rig.state.userIds()),
    });
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const { sessions, jobs } = rig.state.totals();
    expect(JSON.parse(end.stdout)).toEqual({
      ...{ dry_run: true, users: 3, failed: 0 },
      sessions: { listed: sessions, archived: 0 },
      jobs: { announced: jobs, archived: 0 },
    });
    expect(existsSync(join(rig.directory, 'nowhere'))).toBe(false); // a dry run writes nothing
  });
});
