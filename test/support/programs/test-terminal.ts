/** A terminal for tests: the test gives the input and reads the output. */
import { Readable } from 'node:stream';
import { type Clock, systemClock } from '../../../src/base/runtime.js';
import { TEST_TERMS } from '../base/short-terms.js';
import type { Terminal } from '../../../src/cli/output/terminal.js';

export interface TestTerminalOptions {
  readonly arguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** Of all three streams. */
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly clock?: Clock;
}

export interface TestTerminal extends Terminal {
  /** Everything written so far. */
  readonly told: { readonly stdout: string; readonly stderr: string };
}

export function testTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const told = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      told[name] += text;
    },
    isTTY: options.isTTY ?? false,
    columns: options.columns,
  });
  return {
    arguments: options.arguments ?? [],
    // for people, as on a terminal
    environment: { JOBVAULT_LOG_FORMAT: 'text', ...options.environment },
    stdin: Object.assign(Readable.from([Buffer.from(options.stdin ?? '')]), {
      isTTY: options.isTTY ?? false,
    }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    clock: options.clock ?? systemClock,
    terms: TEST_TERMS,
    interruption: { signal: new AbortController().signal, exitCode: undefined },
    told,
  };
}
