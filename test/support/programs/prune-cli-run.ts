/** `jobvault prune` and `export --delete-archived` as a shell sees them: words in; exit code and lines out. */
import { expect } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.js';
import type { CliRun } from './cli-in-process.js';
import type { PruneRig } from '../rigs/prune-rig.js';
import { testTerminal } from './test-terminal.js';

export class PruneCli {
  constructor(readonly rig: PruneRig) {}

  get service(): string[] {
    return ['--base-url', this.rig.emulator.baseUrl, '--rate', '10000'];
  }

  /** Whatever is printed, the key is not. */
  async run(words: readonly string[], key = 'demo-key'): Promise<CliRun> {
    const terminal = testTerminal({
      arguments: [...words, '--log-level', 'warn'],
      environment: { JOBVAULT_API_KEY: key },
    });
    const exitCode = await runCli(terminal);
    expect(terminal.told.stdout + terminal.told.stderr).not.toContain(key);
    return { exitCode, ...terminal.told };
  }

  prune(...words: string[]): Promise<CliRun> {
    return this.run(['prune', this.rig.out, ...this.service, ...words]);
  }

  /** Of ann and bob. */
  export(...words: string[]): Promise<CliRun> {
    const users = ['--user', 'ann', '--user', 'bob'];
    return this.run(['export', '--out', this.rig.out, ...this.service, ...users, ...words]);
  }

  /** On a terminal where somebody types `stdin`. */
  async onTerminal(stdin: string, ...words: string[]): Promise<CliRun> {
    const terminal = testTerminal({
      arguments: ['prune', this.rig.out, ...this.service, '--log-level', 'error', ...words],
      environment: { JOBVAULT_API_KEY: 'demo-key', NO_COLOR: '1' },
      isTTY: true,
      columns: 80,
      stdin,
    });
    const exitCode = await runCli(terminal);
    return { exitCode, ...terminal.told };
  }
}

export function oneLine({ stdout }: Pick<CliRun, 'stdout'>): unknown {
  expect(stdout.split('\n')).toHaveLength(2);
  return JSON.parse(stdout);
}
