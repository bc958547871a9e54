/** Runs a command line in this process and returns its output. */
import { runCli } from '../../../src/cli/run-cli.js';
import { testTerminal, type TestTerminalOptions } from './test-terminal.js';

export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param environment default: the emulator's key */
export async function cli(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = { JOBVAULT_API_KEY: 'demo-key' },
  stdin = '',
): Promise<CliRun> {
  const terminal = testTerminal({ arguments: words, environment, stdin });
  const exitCode = await runCli(terminal);
  return { exitCode, ...terminal.told };
}

/** As on a terminal of 80 columns, where somebody types `stdin`. */
export async function cliOnTerminal(
  words: readonly string[],
  options: TestTerminalOptions = {},
): Promise<CliRun> {
  const environment = { JOBVAULT_API_KEY: 'demo-key' };
  const terminal = testTerminal({
    environment,
    isTTY: true,
    columns: 80,
    ...options,
    arguments: words,
  });
  const exitCode = await runCli(terminal);
  return { exitCode, ...terminal.told };
}

/** What it prints with `--json`: exactly one line. */
export async function cliJson<T>(
  words: readonly string[],
  exitCode = 0,
  environment?: Readonly<Record<string, string>>,
): Promise<T> {
  const run = await cli([...words, '--json'], environment);
  if (run.exitCode !== exitCode) throw new Error(`exit code ${run.exitCode}: ${run.stderr}`);
  const [line = '', ...rest] = run.stdout.split('\n');
  if (rest.join('') !== '') throw new Error(`more than one line: ${run.stdout}`);
  return JSON.parse(line) as T;
}
