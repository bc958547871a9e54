import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { wordsOf } from '../../src/cli/command.js';
import { COMMAND_FAMILIES } from '../../src/cli/command-families.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { commonSettings } from '../../src/config/common-settings.js';
import { cli } from '../support/programs/cli-in-process.js';
import { runCliProcess } from '../support/programs/cli-process.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const ALL = await Promise.all(COMMANDS.map(({ load }) => load()));
const NAMED = ALL.map((command) => [wordsOf(command).join(' '), command] as const);
/** In this process: there are many of them. */
async function helpOf(...words: string[]): Promise<string> {
  let printed = '';
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => {
    printed += `${text}\n`;
  });
  try {
    expect(await cli([...words, '--help'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  } finally {
    log.mockRestore();
  }
  return printed;
}

const flat = (text: string) => text.replace(/\s+/g, ' ');

it('the help names every command, the exit codes and where to begin', async () => {
  const end = await runCliProcess(['--help']);
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  const firstWords = new Set(NAMED.map(([name]) => name.split(' ', 1)[0]));
  for (const word of firstWords) {
    expect(end.stdout).toMatch(new RegExp(`^ +jobvault ${String(word)}\\b`, 'm'));
  }
  const codes = flat(end.stdout).split('Exit codes: ')[1];
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    expect(codes).toMatch(new RegExp(`(^|· )${code} [a-zA-Z]`));
  }
  expect(end.stdout).toContain('jobvault demo');
  expect(end.stdout).toContain('JOBVAULT_<FLAG>');
});

it('the help of the program loads nothing of what opens an archive', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-help-'));
  try {
    await runCliProcess(['--help'], { environment: { NODE_V8_COVERAGE: directory } });
    const [report = ''] = await readdir(directory);
    const { result } = JSON.parse(await readFile(join(directory, report), 'utf8')) as {
      result: readonly { url: string }[];
    };
    const chunks = result.flatMap(({ url }) => /\/dist\/bin\/(\w+)/.exec(url)?.slice(1) ?? []);
    expect(chunks).toContain('start');
    expect(chunks).not.toContain('commands');
  } finally {
    await rm(directory, { recursive: true });
  }
});

it.each(COMMAND_FAMILIES.map(({ word }) => word))(
  'the help of %s names its commands',
  async (family) => {
    const stdout = await helpOf(family);
    for (const [name] of NAMED.filter(([one]) => one.startsWith(`${family} `))) {
      expect(stdout).toMatch(new RegExp(`^ +jobvault ${name}\\b`, 'm'));
    }
  },
);

it.each(NAMED)(
  'the help of %s has every flag and argument, with examples',
  async (name, command) => {
    const usual = await helpOf(...name.split(' '));
    const printed = await helpOf(...name.split(' '), '--all');
    const settings = Object.values({ ...command.settings, ...commonSettings });
    const isOfS3 = (flag: string) => /^(target-)?s3-/.test(flag);
    for (const { name: flag, describe: about, isRare = false } of settings) {
      if (isOfS3(flag)) continue;
      expect([flag, new RegExp(`^ *(-o, )?--${flag} `, 'm').test(usual)]).toEqual([flag, !isRare]);
      expect(printed).toMatch(new RegExp(`^ *(-o, )?--${flag} `, 'm'));
      expect(flat(printed)).toContain(flat(about));
    }
    const rare = settings.filter(({ isRare }) => isRare).length;
    expect(usual).toContain(`More flags, rarely needed (${rare}): jobvault ${name} --help --all\n`);
    expect(printed).not.toMatch(/^ +--(target-)?s3-/m);
    const inOneLine = printed.split('\n').filter((line) => line === 'S3: jobvault help s3');
    expect(inOneLine.length).toBe(settings.some(({ name: flag }) => isOfS3(flag)) ? 1 : 0);
    for (const [argument, about] of Object.entries(command.positionals)) {
      expect(flat(printed)).toContain(`${argument} ${flat(about)}`);
    }
    expect(Object.keys(command.examples).length).toBeGreaterThan(0);
    const examples = printed.split('Examples:')[1] ?? '';
    for (const [example, meaning] of Object.entries(command.examples)) {
      // a long one is continued as a shell reads it
      const copied = examples.replaceAll(/ \\\n +/g, ' ');
      expect(flat(copied)).toContain(`${flat(example)} ${flat(meaning)}`);
    }
    expect(examples).toContain(`jobvault ${name}`);
    expect(examples).not.toMatch(/^ *\\$/m);
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  },
);

it.each([
  ['help', 's3'],
  ['s3', '--help'],
])('the help of S3 has every flag for buckets of every command (%s %s)', async (...words) => {
  const end = await runCliProcess(words);
  expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  const settings = ALL.flatMap((command) => Object.values(command.settings));
  const ofS3 = settings.filter(({ name }) => /^(target-)?s3-/.test(name));
  expect(ofS3.length).toBeGreaterThan(0);
  for (const { name: flag, describe: about } of ofS3) {
    expect(end.stdout).toMatch(new RegExp(`^ *--${flag} `, 'm'));
    expect(flat(end.stdout)).toContain(flat(about));
  }
  expect(flat(end.stdout)).toContain(
    'Every command that opens an archive has these flags. They are only for archives in a bucket.',
  );
  expect(Math.max(...end.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});

it.each(['--version', '-V'])('the help has the version of the package with %s', async (flag) => {
  expect(await runCliProcess([flag])).toEqual({
    exitCode: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});
