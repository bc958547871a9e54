import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/cli/command.js';
import { COMMANDS, COMMAND_FAMILIES } from '../../src/cli/commands.js';
import { commonSettings } from '../../src/config/settings.js';
import { runCliProcess } from '../support/cli-process.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

const NAMED = COMMANDS.map((command) => [wordsOf(command).join(' '), command] as const);
const flat = (text: string) => text.replace(/\s+/g, ' ');

describe('the help', () => {
  it('names every command, the exit codes and where to begin', async () => {
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

  it.each(COMMAND_FAMILIES.map(({ word }) => word))('of %s names its commands', async (family) => {
    const { stdout } = await runCliProcess([family, '--help']);
    for (const [name] of NAMED.filter(([one]) => one.startsWith(`${family} `))) {
      expect(stdout).toMatch(new RegExp(`^ +jobvault ${name}\\b`, 'm'));
    }
  });

  it.each(NAMED)('of %s has every flag and argument, with examples', async (name, command) => {
    const end = await runCliProcess([...name.split(' '), '--help']);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
    const settings = Object.values({ ...command.settings, ...commonSettings });
    for (const { name: flag, describe: about } of settings) {
      expect(end.stdout).toMatch(new RegExp(`^ *--${flag} `, 'm'));
      expect(flat(end.stdout)).toContain(flat(about));
    }
    for (const [argument, about] of Object.entries(command.positionals ?? {})) {
      expect(flat(end.stdout)).toContain(`${argument} ${flat(about)}`);
    }
    expect(command.examples.length).toBeGreaterThan(0);
    // the two columns of an example are wrapped beside each other
    expect(end.stdout.split('Examples:')[1]).toContain(`jobvault ${name}`);
    expect(Math.max(...end.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('has the version of the package', async () => {
    expect(await runCliProcess(['--version'])).toEqual({
      ...{ exitCode: 0, stdout: `${version}\n`, stderr: '' },
    });
  });
});
