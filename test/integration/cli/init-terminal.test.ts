/** A person at a terminal is asked for what a new configuration file needs. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCli } from '../../../src/cli/run-cli.js';
import { testTerminal } from '../../support/programs/test-terminal.js';

let directory: string;
let config: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-init-'));
  config = join(directory, 'jobvault.config.yaml');
});
afterEach(() => rm(directory, { recursive: true }));

/** Somebody types these lines. */
async function answering(
  lines: readonly string[],
  words: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const terminal = testTerminal({
    arguments: ['init', '--config', config, ...words],
    environment,
    isTTY: true,
    stdin: lines.map((line) => `${line}\n`).join(''),
  });
  const rawModes: boolean[] = [];
  Object.assign(terminal.stdin, { setRawMode: (isRaw: boolean) => rawModes.push(isRaw) });
  const exitCode = await runCli(terminal);
  return { exitCode, rawModes, ...terminal.told };
}

const written = async (): Promise<unknown> => parse(await readFile(config, 'utf8'));
const URL = 'https://api.example.com';

it('every answer is written, paths in full', async () => {
  const [users, key] = [join(directory, 'users.csv'), join(directory, 'key.txt')];
  await writeFile(users, 'user_id\nada\n');
  await writeFile(key, 'the-key-itself\n');
  const end = await answering([URL, users, 'my-archive', 'jsonl, xlsx', key]);
  expect(end.exitCode, end.stderr).toBe(0);
  expect(await written()).toEqual({
    'base-url': URL,
    'users-file': users,
    out: resolve('my-archive'),
    format: ['jsonl', 'xlsx'],
    'api-key-file': key,
  });
  expect(end.stdout).toContain('Then:\n  jobvault doctor');
  expect(await readFile(config, 'utf8')).not.toContain('the-key-itself');
});

it('Enter takes what stands in brackets', async () => {
  const { exitCode, stdout, stderr } = await answering(['', '', '', '', '', '']);
  expect(exitCode).toBe(0);
  expect(stderr.match(/^\S+ \[.*\]:/gm)).toEqual([
    'base-url [fill in later]:',
    'users-file [none]:',
    'user [fill in later]:',
    'out [./archive]:',
    'format [parquet]:',
    'api-key-file [none: JOBVAULT_API_KEY will hold it]:',
  ]);
  expect(await written()).toEqual({ out: resolve('archive') });
  expect(stdout).toContain('Fill in base-url, user. Set JOBVAULT_API_KEY, then:');
});

it('an answer that a flag could not be is told in a sentence, and asked again', async () => {
  const users = join(directory, 'none.csv');
  const { exitCode, stderr } = await answering([
    ...['api.example.com', `${URL}?key=abc`, URL],
    ...[users, ''],
    'ada, ,bob',
    'ada, bob',
    ...['ftp://host/archive', 's3://bucket/archive'],
    ...['', ''],
    ...['csv', 'parquet'],
    ...['sk-the-key-itself', ''],
  ]);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain('the base URL must be an http or https URL, not "api.example.com"');
  expect(stderr).toContain(`--users-file ${users} cannot be read: `);
  expect(stderr).toContain('--user is ["ada","","bob"]; allowed is one user each time');
  expect(stderr).toContain('ftp:// is not supported; allowed is ');
  expect(stderr).toContain('--format is "csv"; allowed is parquet, jsonl, xlsx');
  expect(stderr).toMatch(/--api-key-file \S+ cannot be read: /);
  // somebody typed the key where its file was asked for
  expect(stderr).not.toContain('sk-the-key-itself');
  expect(await written()).toEqual({
    'base-url': URL,
    user: ['ada', 'bob'],
    out: 's3://bucket/archive',
    format: ['parquet'],
  });
});

it('what flags and variables say is not asked', async () => {
  const { exitCode, stderr } = await answering(
    ['', '', 'jsonl'],
    ['--base-url', URL, '--out', 's3://b/a'],
    {
      JOBVAULT_USER: 'ada',
      JOBVAULT_API_KEY: 'demo-key',
    },
  );
  expect(exitCode).toBe(0);
  expect(stderr.match(/^\S+ \[/gm)).toEqual(['s3-endpoint [', 's3-region [', 'format [']);
  expect(await written()).toEqual({
    'base-url': URL,
    user: 'ada',
    out: 's3://b/a',
    format: ['jsonl'],
  });
});

it.each([
  ['everything is said', ['--base-url', URL, '--user', 'a', '--out', 'o', '--format', 'parquet']],
  ['--yes says so', ['--yes']],
])('nobody is asked where %s', async (_, words) => {
  const end = await answering([], words, { JOBVAULT_API_KEY: 'demo-key' });
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
});

it('nobody is asked for a file that would not be written', async () => {
  await writeFile(config, 'rate: 1\n');
  const { exitCode, stderr } = await answering([URL]);
  expect([exitCode, stderr]).toEqual([
    2,
    `jobvault: ${config} exists already; --force replaces it, and keeps the settings of the configuration\nTry jobvault init --help.\n`,
  ]);
  expect(await written()).toEqual({ rate: 1 });
});

it('an input that ends early leaves no file', async () => {
  const { exitCode, stderr, stdout } = await answering([URL]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain('the input ended before the last answer; nothing was written');
  expect(await readdir(directory)).toEqual([]);
});

it('a nightly run needs a scheduler and the key, which is typed unseen into a private file', async () => {
  const lines = [
    URL,
    '',
    'ada',
    's3://bucket/archive',
    'https://store.example.com',
    'eu-central-1',
    '',
    'launchd',
    'cron',
    'two words',
    'sk-the-kez\x7fy',
    'AKIA-the-id',
    'the-secret-itself',
  ];
  const { exitCode, stdout, stderr, rawModes } = await answering(lines, ['--nightly']);
  expect(exitCode, stderr).toBe(0);
  const keyFile = join(directory, 'api-key');
  expect(stderr.match(/^[\w -]+ \[.*\]:/gm)?.slice(-8)).toEqual([
    's3-endpoint [AWS]:',
    's3-region [AWS_REGION of the machine]:',
    'format [parquet]:',
    'scheduler [systemd]:',
    'scheduler [systemd]:',
    'api key [fill in later]:',
    'api key [fill in later]:',
    'AWS access key id [none: this machine has a role, or later]:',
  ]);
  expect(stderr).toContain('--scheduler is "launchd"; allowed is systemd, cron\n');
  expect(stderr).toContain(
    `\nThe API key: it is not shown, and written to ${keyFile} (mode 600)\n`,
  );
  expect(stderr).toContain('the key has white space in it; a key is one word\n');
  expect(rawModes).toEqual([true, false, true, false, true, false]);
  expect([await readFile(keyFile, 'utf8'), (await stat(keyFile)).mode & 0o777]).toEqual([
    'sk-the-key\n',
    0o600,
  ]);
  expect(`${stdout}${stderr}${await readFile(config, 'utf8')}`).not.toContain('sk-the-key');
  expect(await readdir(directory)).toContain('jobvault.cron');
  const file = join(directory, 'environment');
  const kept = [await readFile(file, 'utf8'), (await stat(file)).mode & 0o777];
  expect(kept).toEqual([
    '# Variables of the night, such as the credentials of a bucket; not needed where the machine has a role.\n' +
      'AWS_ACCESS_KEY_ID=AKIA-the-id\nAWS_SECRET_ACCESS_KEY=the-secret-itself\n',
    0o600,
  ]);
  expect(`${stdout}${stderr}`).not.toContain('the-secret-itself');
  expect(await written()).toMatchObject({
    's3-endpoint': 'https://store.example.com',
    's3-region': 'eu-central-1',
  });
  expect(stdout).toContain(`Then:\n  jobvault doctor`);
});

it('a nightly run whose key and scheduler are said is not asked for them', async () => {
  const words = ['--nightly', '--scheduler', 'systemd', '--base-url', URL, '--user', 'a'];
  const { exitCode, stderr, rawModes } = await answering(['', ''], [...words, '--out', 'o'], {
    JOBVAULT_API_KEY: 'sk-from-a-variable',
  });
  expect(exitCode, stderr).toBe(0);
  expect(stderr.match(/^[\w -]+ \[/gm)).toEqual(['format [']);
  expect(rawModes).toEqual([]);
  expect(await readFile(join(directory, 'api-key'), 'utf8')).toBe('sk-from-a-variable\n');
});
