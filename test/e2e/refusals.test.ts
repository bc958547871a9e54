import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/runtime.js';
import { cli, type CliRun } from '../support/programs/cli-in-process.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { fault } from '../support/base/fault.js';

const key = { JOBVAULT_API_KEY: 'demo-key' };

/** One sentence on stderr, and what to do next; nothing on stdout. */
function expectOneSentence(end: CliRun, exitCode: number, sentence: string): void {
  expect(end).toMatchObject({ exitCode, stdout: '' });
  const told = end.stderr.split('\n').filter((line) => !line.startsWith('[')); // the log
  expect(told[0]).toContain(sentence);
  expect(told[0]).toMatch(/^jobvault: /);
  expect(told.slice(1).join('\n')).toMatch(
    exitCode === 2 ? /^Try jobvault \w+ --help\.\n$/ : /^Next: [^\n]+\.\n$/,
  );
}

describe('an export that cannot be', () => {
  let rig: CliRig;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
    await writeFile(join(rig.directory, 'plain'), '');
    await mkdir(join(rig.directory, 'holiday'));
    await writeFile(join(rig.directory, 'holiday', 'photo.jpg'), '');
  });
  afterEach(() => {
    expect(existsSync(rig.out)).toBe(false);
    rig.emulator.stats.reset();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const place = () => ['--base-url', rig.emulator.baseUrl, '--out', rig.out];

  it.each<[string, string[], string, Record<string, string>?]>([
    ['no user', [], 'no user is named; give --user or --users-file'],
    ['an unknown format', ['--user', 'a', '--format', 'parquet,xml'], '"parquet,xml"; allowed is'],
    ['a bad number', ['--user', 'a', '--page-size', '0'], '--page-size is "0"; allowed is a whole'],
    ['a bad duration', ['--user', 'a', '--settle-time', '1 week'], 'such as 200ms, 30s, 5m'],
    [
      'a bad variable',
      ['--user', 'a'],
      'JOBVAULT_CONCURRENCY is "many"; allowed is a whole number from 1 to 256',
      { JOBVAULT_CONCURRENCY: 'many' },
    ],
  ])(
    'ends with exit code 2 before a request is sent: %s',
    fault('F-41'),
    async (_what, words, told, more = {}) => {
      const end = await cli(['export', ...place(), ...words], { ...key, ...more });
      expectOneSentence(end, 2, told);
      expect(rig.emulator.stats.totalRequests).toBe(0);
    },
  );

  it(
    'ends with exit code 2 where the configuration file has a key that nobody knows',
    fault('F-41'),
    async () => {
      const config = join(rig.directory, 'mistyped.yaml');
      await writeFile(config, 'base-rul: http://127.0.0.1\n');
      const end = await cli(['export', ...place(), '--user', 'a', '--config', config]);
      expectOneSentence(end, 2, `${config}: unknown key "base-rul"; did you mean "base-url"?`);
      expect(rig.emulator.stats.totalRequests).toBe(0);
    },
  );

  it('ends with exit code 2 in a directory full of something else, and leaves it alone', async () => {
    const other = join(rig.directory, 'holiday');
    const end = await cli([...rig.exportWords(), '--out', other].filter(isNot(rig.out)));
    expectOneSentence(end, 2, 'is not empty and is not a jobvault archive');
    expect(await readdir(other)).toEqual(['photo.jpg']);
  });

  it.runIf(process.platform === 'linux').each(['plain', '/proc'])(
    'ends with exit code 9 where nothing can be written: %s',
    fault('F-27'),
    async (place) => {
      const out = resolve(rig.directory, place, 'archive');
      const end = await cli([...rig.exportWords(), '--out', out].filter(isNot(rig.out)));
      expectOneSentence(end, 9, 'cannot write');
    },
  );

  it('ends with exit code 6 and begins no archive when the key is wrong', async () => {
    const end = await cli(rig.exportWords(), { JOBVAULT_API_KEY: 'not-the-key' });
    expectOneSentence(end, 6, 'the API key is not accepted');
    expect(end.stderr).not.toContain('not-the-key');
  });

  it.each([
    ['http://no-such-host.invalid', 'no-such-host.invalid'],
    ['http://127.0.0.1:1', '127.0.0.1:1 refuses the connection'],
  ])('ends with exit code 5 where nothing answers: %s', async (url, told) => {
    // it tries again after up to half a minute; what takes longer is the time that an answer may take
    const slept = systemClock.sleep.bind(systemClock);
    const sleep = vi
      .spyOn(systemClock, 'sleep')
      .mockImplementation((ms, signal) => slept(ms <= 30_000 ? 1 : ms, signal));
    onTestFinished(() => {
      sleep.mockRestore();
    });
    const words = ['export', '--base-url', url, '--out', rig.out, '--user', 'a'];
    expectOneSentence(await cli(words), 5, told);
  });
});

it("another service's archive is refused with exit code 2, also by a dry run, and unchanged", async () => {
  await using rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
  await rig.export();
  const before = await rig.files();
  const other = rig.emulator.baseUrl.replace('127.0.0.1', 'localhost');
  const words = rig.exportWords().map((word) => (word === rig.emulator.baseUrl ? other : word));
  for (const more of [[], ['--dry-run']]) {
    expectOneSentence(
      await cli([...words, ...more]),
      2,
      `${rig.out} is the archive of ${rig.emulator.baseUrl}, not of ${other}`,
    );
  }
  expect(await rig.files()).toEqual(before);
});

/** Drops `--out PLACE` of the rig: the flag may be given once. */
function isNot(out: string) {
  return (word: string, index: number, words: readonly string[]) =>
    word !== out && words[index + 1] !== out;
}
