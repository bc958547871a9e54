import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { runCliProcess } from '../support/cli-process.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const FLAGS: Readonly<Record<string, string>> = {
  export:
    'base-url api-key-file api-key-header rate user users-file out format parquet-codec project session search full settle-time concurrency file-concurrency page-size checkpoint-size checkpoint-interval max-file-size storage-base-url allow-private-network dry-run',
  verify: '',
  files: '',
  show: '',
  query: 'sql-file output to max-rows views memory max-fetch temp-dir s3-endpoint',
  serve:
    'host port files-port seed users sessions jobs url-ttl rate-limit max-page-size data import latency error-rate order gaps',
  demo: 'out',
};

describe('the help', () => {
  it('names every command, the exit codes and where to begin', async () => {
    const end = await runCliProcess(['--help']);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    for (const command of Object.keys(FLAGS)) expect(end.stdout).toContain(`jobvault ${command}`);
    const codes = end.stdout.replace(/\s+/g, ' ').split('Exit codes: ')[1];
    for (const code of [0, 1, 2, 3, 4, 5, 6, 8, 9]) {
      expect(codes).toMatch(new RegExp(`(^|· )${code} [a-zA-Z]`));
    }
    expect(end.stdout).toContain('jobvault demo');
    expect(end.stdout).toContain('JOBVAULT_<FLAG>');
  });

  it.each(Object.entries(FLAGS))('of %s has every flag, with examples', async (command, flags) => {
    const end = await runCliProcess([command, '--help']);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const common = ['config', 'json', 'log-level', 'log-format', 'help'];
    for (const flag of [...flags.split(' ').filter(Boolean), ...common]) {
      expect(end.stdout).toMatch(new RegExp(`^ +(-h, )? *--${flag} `, 'm'));
    }
    const examples = end.stdout.split('Examples:')[1];
    expect(examples).toContain(`jobvault ${command}`);
    expect(Math.max(...end.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('has the version of the package', async () => {
    expect(await runCliProcess(['--version'])).toEqual({
      ...{ exitCode: 0, stdout: `${version}\n`, stderr: '' },
    });
  });
});
