import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';

interface Told {
  readonly file: string | null;
  readonly settings: readonly { name: string; value: unknown; source: string; where: string }[];
}

describe('jobvault config show', () => {
  let directory: string;
  let file: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jobvault-config-'));
    file = join(directory, 'nightly.yaml');
    await writeFile(file, 'base-url: https://api.example.com\nrate: 10\nsettle-time: 2h\n');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('tells what counts, and where it was said', async () => {
    const environment = { JOBVAULT_RATE: '15', JOBVAULT_OUT: 'by-variable' };
    const words = ['config', 'show', '--config', file, '--out', 'by-flag'];
    const told = await cliJson<Told>(words, 0, environment);
    expect(told.file).toBe(file);
    const said = Object.fromEntries(told.settings.map(({ name, ...rest }) => [name, rest]));
    expect(said).toMatchObject({
      'base-url': { value: 'https://api.example.com', source: 'file', where: `${file}: base-url` },
      'settle-time': { value: '2h', source: 'file' },
      rate: { value: '15', source: 'variable', where: 'JOBVAULT_RATE' },
      out: { value: 'by-flag', source: 'flag', where: '--out' },
    });
    expect(said['page-size']).toBeUndefined();
  });

  it('tells defaults where it is asked to', async () => {
    const run = await cli(['config', 'show', '--defaults']);
    expect(run.stdout).toMatch(/^page-size +100 +default$/m);
    expect(run.stdout).toMatch(/^rate +20 +default$/m);
  });

  it('masks keys, passwords and signatures', async () => {
    const environment = {
      JOBVAULT_API_KEY: 'canary-key',
      https_proxy: 'http://ada:canary-pass@proxy.corp:3128',
      JOBVAULT_STORAGE_BASE_URL: 'https://me:canary@files.example.com/?sig=canary',
      NO_PROXY: 'localhost',
    };
    for (const words of [[], ['--json']]) {
      const run = await cli(['config', 'show', '--config', file, ...words], environment);
      expect(run.exitCode).toBe(0);
      expect(run.stdout + run.stderr).not.toContain('canary');
      expect(run.stdout).toContain('proxy.corp:3128');
      expect(run.stdout).toContain('files.example.com');
      expect(run.stdout).toContain('*** (set, not shown)');
    }
  });

  it('warns of an API key that goes to another machine unencrypted', async () => {
    const told =
      'he API key and every answer go to api.example.com unencrypted, because the base URL begins with http://: whoever is on the way can read and change them; use an https:// address, or a tunnel that ends on this machine';
    const environment = { JOBVAULT_BASE_URL: 'http://api.example.com' };
    const { exitCode, stderr } = await cli(['config', 'show'], environment);
    expect([exitCode, stderr]).toEqual([0, `\nT${told}.\n`]);
    const { warnings } = await cliJson<{ warnings: string[] }>(['config', 'show'], 0, environment);
    expect(warnings).toEqual([`t${told}`]);
    expect((await cli(['config', 'show', '--config', file])).stderr).toBe('');
  });

  it('refuses what a command would refuse', async () => {
    const run = await cli(['config', 'show', '--config', file], { JOBVAULT_RATE: 'fast' });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('JOBVAULT_RATE is "fast"; allowed is a number above 0');
  });
});
