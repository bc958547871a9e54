import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { readApiKey } from '../../../src/cli/input/api-key.js';
import { createCliLogger } from '../../../src/cli/output/cli-logger.js';
import { runCli } from '../../../src/cli/run-cli.js';
import { normalizeSwitches } from '../../../src/cli/parser/normalize-switches.js';
import { wantsColour } from '../../../src/cli/output/terminal.js';
import { text, toggle } from '../../../src/config/setting.js';
import { testTerminal } from '../../support/programs/test-terminal.js';
import { ARCHIVE_FORMATS, NEEDS_ROWS } from '../../../src/formats/formats.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-cli-'));
});
afterAll(() => rm(directory, { recursive: true }));

describe('a command line that names a flag of another name', () => {
  const toldOf = async (...words: string[]) => {
    const terminal = testTerminal({ arguments: words });
    expect(await runCli(terminal)).toBe(2);
    return terminal.told.stderr.split('\n')[0];
  };

  it.each([
    [
      ['query', './a', 'SELECT 1', '--format', 'json'],
      'jobvault: unknown flag --format of query; did you mean --output?',
    ],
    [['export', '--output', 'x'], 'jobvault: unknown flag --output of export; did you mean --out?'],
    [
      ['export', '--api-key', 's3cret-k3y'],
      'jobvault: the API key cannot be a flag (--api-key): other users of the machine could see it; set JOBVAULT_API_KEY, or name a file that holds it with --api-key-file',
    ],
  ])('%j is answered with the flag that is meant', async (words, told) => {
    expect(await toldOf(...words)).toBe(told);
  });

  it('names an unknown flag of one letter in readable words', async () => {
    const words = ['sessions', 'list', '--user', 'ada', '--base-url', 'http://127.0.0.1:9'];
    const terminal = testTerminal({ arguments: words, environment: { JOBVAULT_API_KEY: 'e' } });
    expect(await runCli(terminal)).toBe(2);
    expect(terminal.told.stderr).toContain(
      'jobvault: the API key in JOBVAULT_API_KEY has a length of 1; at least 8 characters are needed, so that it can be removed from logs\n',
    );
  });
});

describe('a switch on the command line', () => {
  const settings = [
    toggle({ name: 'dry-run', describe: 'd' }),
    text({ name: 'search', describe: 'd' }),
  ];

  it.each([
    [['--dry-run'], ['--dry-run']],
    [['--dry-run=yes'], ['--dry-run=true']],
    [
      ['--dry-run=0', 'x'],
      ['--dry-run=false', 'x'],
    ],
    [
      ['--search=yes', '--no-dry-run'],
      ['--search=yes', '--no-dry-run'],
    ],
    [
      ['-dry-run=yes', 'dry-run=yes'],
      ['-dry-run=yes', 'dry-run=yes'],
    ],
  ])('%j reads as %j', (given, spelled) => {
    expect(normalizeSwitches(given, settings)).toEqual(spelled);
  });

  it.each(['banana', '', 'TRUE', 'a\nb'])('refuses the word %j', (word) => {
    expect(() => normalizeSwitches([`--dry-run=${word}`], settings)).toThrow(
      new UsageError(`--dry-run is ${JSON.stringify(word)}; allowed is true or false`),
    );
  });

  it('means what the same word means in a variable', async () => {
    for (const word of ['yes', 'no', 'banana']) {
      const flag = testTerminal({ arguments: ['export', `--full=${word}`] });
      const variable = testTerminal({
        arguments: ['export'],
        environment: { JOBVAULT_FULL: word },
      });
      expect([await runCli(flag), await runCli(variable)]).toEqual([2, 2]);
      expect(flag.told.stderr).toBe(variable.told.stderr.replace('JOBVAULT_FULL', '--full'));
    }
  });
});

describe('a command line that makes no sense', () => {
  it.each([
    [[], 'no command is named'],
    [['exprot'], 'unknown command "exprot"; did you mean export?'],
    [['verify', './a', '--no-wait'], 'unknown flag --no-wait of verify'],
    [['export', '--usr', 'ada'], 'unknown flag --usr of export; did you mean --user?'],
    [
      ['export', '--user'],
      '--user needs a value; allowed is one user each time (repeat it for several; an id that holds a comma can stand in a --users-file)',
    ],
    [
      ['workbook', './a', '--match', '-draft revenue'],
      '"-draft revenue" was read as a flag; write --match="-draft revenue"',
    ],
    [
      ['worker', '--exit-when-idle'],
      '--exit-when-idle needs a value; allowed is a duration above 0 such as 200ms, 30s, 5m, 2h, 30d or 7y',
    ],
    [
      ['export', '--user', 'a', 'b'],
      'unexpected word "b"; allowed is jobvault export, and --user b for another value of --user',
    ],
    [['export', '--out', 'a', 'b'], 'unexpected word "b"; allowed is jobvault export'],
    [['export', '--rate', '1e3'], '--rate is "1e3"; allowed is a number above 0'],
    [['export', '--out', 'a', '--out', 'b'], '--out is given twice, as "a" and "b"; give it once'],
    [
      ['export', '--format', 'csv'],
      `--format is "csv"; allowed is ${ARCHIVE_FORMATS.join(', ')}, several separated by commas; ${NEEDS_ROWS}`,
    ],
    [
      ['export', '--out', 'x'],
      '--base-url is missing; give it, or set JOBVAULT_BASE_URL (the address of the service: https://host[/prefix])',
    ],
    [
      ['hold', 'add', '--user', 'ada', '--reason', 'x'],
      'too few words; allowed is jobvault hold add <archive>. What changes or deletes is told its archive each time; out of the configuration or JOBVAULT_OUT counts only for commands that read',
    ],
    [['sessions', 'get'], 'too few words; allowed is jobvault sessions get <session>'],
    [
      ['verify'],
      'no archive is named: jobvault verify ARCHIVE, a directory or s3://bucket/prefix; or set out in the configuration, or JOBVAULT_OUT',
    ],
  ])('%j ends with one clear sentence and exit code 2', async (given, sentence) => {
    const terminal = testTerminal({ arguments: given });
    expect(await runCli(terminal)).toBe(2);
    expect(terminal.told.stdout).toBe('');
    expect(terminal.told.stderr).toMatch(/^jobvault: [^\n]+\nTry jobvault [a-z ]*--help\.\n$/);
    expect(terminal.told.stderr.split('\n')[0]).toBe(`jobvault: ${sentence}`);
  });

  it('is distinguished from an invalid configuration file', async () => {
    const path = join(directory, 'typo.yaml');
    await writeFile(path, 'page_size: 5\n');
    const terminal = testTerminal({ arguments: ['export', '--config', path] });
    expect(await runCli(terminal)).toBe(2);
    expect(terminal.told.stderr).toContain(
      `${path}: unknown key "page_size"; did you mean "page-size"?`,
    );
  });
});

describe('with --json', () => {
  it.each([
    [['verify', '/no/such/place', '--json'], 2, 'is not a jobvault archive'],
    [['nonsense', '--json'], 2, 'unknown command "nonsense"'],
    [['files', '--json'], 2, 'no archive is named: jobvault files ARCHIVE'],
    [['export', '--json', '--rate', 'fast'], 2, '--rate is "fast"'],
    [['sessions', 'list', '--json', '--config', '/no/such/file'], 2, 'cannot be read'],
  ])('%j prints one line that says what failed', async (given, exitCode, told) => {
    const terminal = testTerminal({ arguments: given });
    expect(await runCli(terminal)).toBe(exitCode);
    const [line = '', ...rest] = terminal.told.stdout.split('\n');
    expect(rest).toEqual(['']);
    expect(JSON.parse(line)).toEqual({
      status: 'failed',
      exit_code: exitCode,
      error: expect.stringContaining(told) as string,
    });
    expect(terminal.told.stderr).toContain(told);
  });

  it('adds nothing to what a command has printed', async () => {
    const terminal = testTerminal({ arguments: ['doctor'], environment: { JOBVAULT_JSON: 'yes' } });
    expect(await runCli(terminal)).toBe(2);
    expect(JSON.parse(terminal.told.stdout)).toMatchObject({ ok: false });
  });
});

it('init says what is left to fill in, and names the file that it wrote', async () => {
  const config = join(directory, 'nightly.yaml');
  const terminal = testTerminal({ arguments: ['init', '--user', 'ada', '--config', config] });
  expect(await runCli(terminal)).toBe(0);
  expect(terminal.told.stdout).toContain('Fill in base-url, out. Set JOBVAULT_API_KEY, then:');
  expect(terminal.told.stdout).toContain(`  jobvault export --config ${config}\n`);
});

it('init prints a configuration file whose name has a space as a shell takes it', async () => {
  const config = join(directory, 'my night.yaml');
  const terminal = testTerminal({ arguments: ['init', '--user', 'ada', '--config', config] });
  expect(await runCli(terminal)).toBe(0);
  expect(terminal.told.stdout).toContain(
    `then:\n  jobvault doctor --config '${config}'\n  jobvault export --config '${config}'\n`,
  );
  expect((await stat(config)).mode & 0o022).toBe(0);
});

it('doctor leaves stdin to the export, and says so', async () => {
  const terminal = testTerminal({ arguments: ['doctor', '--users-file', '-'] });
  expect(await runCli(terminal)).toBe(2);
  expect(terminal.told.stdout).toContain('doctor does not read users from stdin');
});

it('the API key comes from its variable, or from a file, which wins, and becomes a secret', async () => {
  const path = join(directory, 'key');
  await writeFile(path, ' from-file \n');
  const terminal = testTerminal({ environment: { JOBVAULT_API_KEY: 'from-variable' } });
  const secrets: string[] = [];
  expect(await readApiKey(undefined, { terminal, secrets })).toBe('from-variable');
  expect(await readApiKey(path, { terminal, secrets })).toBe('from-file');
  expect(secrets).toEqual(['from-variable', 'from-file']);
});

it('the API key must be somewhere', async () => {
  const context = {
    terminal: testTerminal({ environment: { JOBVAULT_API_KEY: '' } }),
    secrets: [],
  };
  await expect(readApiKey(undefined, context)).rejects.toThrow(
    new UsageError('there is no API key; set JOBVAULT_API_KEY or give --api-key-file'),
  );
  const path = join(directory, 'empty');
  await writeFile(path, '\n');
  await expect(readApiKey(path, context)).rejects.toThrow(
    `--api-key-file ${path} is empty; put the API key into it`,
  );
  await expect(readApiKey(join(directory, 'absent'), context)).rejects.toThrow(
    /^--api-key-file \S+ cannot be read: there is no such file or directory \(ENOENT\)/,
  );
});

describe('the log', () => {
  const secrets = ['canary"key'];
  const logged = async (format: 'text' | 'json' | undefined, isTTY: boolean) => {
    const terminal = testTerminal({ isTTY, environment: { NO_COLOR: '1' } });
    const logger = await createCliLogger(terminal, { level: 'info', format, secrets });
    const err = new Error('GET https://h/a?X-Amz-Signature=canary failed with canary"key');
    logger.debug({}, 'unseen');
    logger.warn({ err, key: 'canary"key' }, 'it broke');
    return terminal.told;
  };

  it.each([
    ['json', false],
    ['text', true],
  ] as const)('holds neither key nor signature, as %s', async (format, isTTY) => {
    const { stdout, stderr } = await logged(format, isTTY);
    expect(stdout).toBe('');
    expect(stderr).toContain('it broke');
    expect(stderr).not.toContain('canary');
    expect(stderr).not.toContain('unseen');
  });

  it('is a line of JSON each where no terminal is, and stays JSON without its secrets', async () => {
    const lines = (await logged(undefined, false)).stderr.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ msg: 'it broke' }]);
  });

  it('is coloured for a terminal whose owner has not said no', () => {
    const seen = [true, false].map((isTTY) => wantsColour({ write: () => true, isTTY }, {}));
    expect(seen).toEqual([true, false]);
    expect(wantsColour({ write: () => true, isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  });
});
