/** The scripts of `jobvault completion`, in real shells. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_FAMILIES } from '../../../src/cli/command-families.js';
import { COMMANDS } from '../../../src/cli/commands.js';
import { wordsOf } from '../../../src/cli/command.js';
import { cli } from '../../support/programs/cli-in-process.js';

const SHELLS = ['bash', 'zsh'] as const;

function isThere(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true']);
    return true;
  } catch {
    return false;
  }
}

let directory: string;
const scriptOf = (shell: string): string => join(directory, `jobvault.${shell}`);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'jobvault-completion-'));
  for (const shell of SHELLS) {
    const { exitCode, stdout } = await cli(['completion', shell]);
    expect(exitCode).toBe(0);
    writeFileSync(scriptOf(shell), stdout);
  }
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** What is offered for a line whose last word is not finished. */
type Completer = (...words: string[]) => string[];

const inBash: Completer = (...words) => {
  const line = ['jobvault', ...words].map((word) => `'${word}'`).join(' ');
  const script = `source '${scriptOf('bash')}'; COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _jobvault; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf(execFileSync('bash', ['--norc', '-c', script]));
};

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

const firstWords = [
  ...COMMANDS.map(wordsOf)
    .filter((words) => words.length === 1)
    .flat(),
  ...COMMAND_FAMILIES.map(({ word }) => word),
].sort();

describe.skipIf(!isThere('bash'))('completion', () => {
  it('offers every command', () => {
    const offered = inBash('').filter((word) => !word.startsWith('-'));
    expect(offered.sort()).toEqual(firstWords);
    expect(inBash('ver')).toEqual(['verify']);
  });

  it('offers the commands of a family', () => {
    const lists = COMMANDS.map(wordsOf).filter(([family]) => family === 'sessions');
    expect(
      inBash('sessions', '')
        .filter((word) => !word.startsWith('-'))
        .sort(),
    ).toEqual(lists.map(([, word]) => word).sort());
  });

  it('offers the flags of the command that stands before, of no other', () => {
    expect(inBash('export', '--user')).toEqual(expect.arrayContaining(['--user', '--users-file']));
    expect(inBash('export', '--free')).toEqual(['--free-slots']);
    expect(inBash('sessions', 'list', '--free')).toEqual([]);
  });

  it('goes on behind the comma of a list', () => {
    expect(inBash('export', '--format', 'parquet,js')).toEqual(['parquet,jsonl']);
    expect(inBash('search', 'a', '--in', 'code,table,an')).toEqual(['code,table,answer']);
    expect(inBash('export', '--parquet-codec', 'zstd,sn')).toEqual([]);
  });

  it('offers the values of a flag, and of a word that is one of a few', () => {
    expect(inBash('export', '--format', '').sort()).toEqual(['jsonl', 'parquet', 'xlsx']);
    expect(inBash('export', '--parquet-codec', 'sn')).toEqual(['snappy']);
    expect(inBash('completion', 'z')).toEqual(['zsh']);
    expect(inBash('completion', '').sort()).toEqual(['bash', 'zsh']);
  });

  it('takes no flag and no value of a flag for the command', () => {
    expect(inBash('--config', 'x', 'expo')).toEqual(['export']);
    expect(inBash('--json', 'expo')).toEqual(['export']);
    expect(inBash('--config', 'verify', 'sessions', 'li')).toEqual(['list']);
    expect(inBash('--config', 'x', 'export', '--free')).toEqual(['--free-slots']);
    expect(inBash('verify', 'expo')).toEqual([]);
  });
});

describe.skipIf(!isThere('bash'))('completion in bash', () => {
  it('leaves room for files where no flag is begun', () => {
    expect(inBash('verify', '')).toEqual([]);
    expect(inBash('verify', '-')).toContain('--sample');
  });

  it('offers the values of a flag behind an equals sign, which bash takes for a word', () => {
    expect(inBash('export', '--format', '=', 'par')).toEqual(['parquet']);
    expect(inBash('export', '--format', '=').sort()).toEqual(['jsonl', 'parquet', 'xlsx']);
    expect(inBash('--config', '=', 'verify', 'expo')).toEqual(['export']);
    expect(inBash('--config', '=', 'expo')).toEqual([]);
    expect(inBash('--config', 'sessions', 'li')).toEqual([]);
    expect(inBash('--config', 'expo')).toEqual([]);
  });
});

it.skipIf(!isThere('zsh'))('completion at a prompt of zsh reads --flag=value as one word', () => {
  writeFileSync(join(directory, 'users.csv'), '');
  const lines = {
    'jobvault export --format=par': 'jobvault export --format=parquet',
    'jobvault export --format par': 'jobvault export --format parquet',
    'jobvault export --users-file use': 'jobvault export --users-file users.csv',
    'jobvault export --format=parquet,js': 'jobvault export --format=parquet,jsonl',
    'jobvault search a --in code,qu': 'jobvault search a --in code,question',
    'jobvault sess': 'jobvault sessions',
  };
  expect(atZshPrompt(Object.keys(lines))).toEqual(Object.values(lines));
});

it.skipIf(!isThere('zsh'))(
  'completion at a prompt of zsh takes no flag and no value of a flag for the command',
  () => {
    writeFileSync(join(directory, 'exported.yaml'), '');
    const lines = {
      'jobvault --config x sess': 'jobvault --config x sessions',
      'jobvault --config=x sess': 'jobvault --config=x sessions',
      'jobvault --json sess': 'jobvault --json sessions',
      'jobvault --config x export --free': 'jobvault --config x export --free-slots',
      'jobvault --config expo': 'jobvault --config exported.yaml',
    };
    expect(atZshPrompt(Object.keys(lines))).toEqual(Object.values(lines));
  },
);

/** Each line after TAB, in one interactive zsh on a terminal of its own: it takes most of a second to start. */
function atZshPrompt(lines: readonly string[]): string[] {
  const setUp = [
    `PS1=; cd '${directory}'`,
    'autoload -Uz compinit; compinit -u -D',
    `source '${scriptOf('zsh')}'`,
    // ^G begins no other key: zsh waits for the next key after one that does
    'show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey "^G" show; bindkey "^U" kill-whole-line',
    'print ready',
  ].join('; ');
  const typed = lines.map(
    (line) =>
      `zpty -n -w z ${quoted(`\x15${line}\t\x07`)}; zpty -r z told '*<*>*'; print -r -- "$told"`,
  );
  const script = `zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z ${quoted(setUp)}; zpty -r z told '*ready*ready*'
${typed.join('\n')}
zpty -d z`;
  const told = execFileSync('zsh', ['-f', '-c', script], { timeout: 30_000 }).toString();
  return Array.from(told.matchAll(/<(.*?) *>/g), ([, line = '']) => line);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

it('completion of another shell is refused with those that there are', async () => {
  const { exitCode, stderr } = await cli(['completion', 'tcsh']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('no completion is known for "tcsh"; allowed is bash, zsh');
});
