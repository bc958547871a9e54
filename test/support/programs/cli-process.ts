/** Runs the built program as a child process: input, output and exit code. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SHORT_LIVED_FLAGS } from './v8-flags.js';

/** What `npm run build` has made. */
export const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** The command line that starts it. */
export const PROGRAM: readonly string[] = [process.execPath, ...SHORT_LIVED_FLAGS, MAIN];

export interface CliOptions {
  /** Beside PATH and HOME: nothing else of this process's environment is passed on. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: a directory without a configuration file. */
  readonly directory?: string;
  /** Default: nothing. Null leaves it open. */
  readonly stdin?: string | null;
  /** Default: what `npm run build` has made. */
  readonly program?: string;
}

export interface CliEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class CliProcess {
  readonly ended: Promise<CliEnd>;
  #stdout = '';
  #stderr = '';
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(words: readonly string[], options: CliOptions = {}) {
    const { environment = {}, directory = tmpdir(), stdin = '', program = MAIN } = options;
    this.#child = spawn(process.execPath, [...SHORT_LIVED_FLAGS, program, ...words], {
      cwd: directory,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        JOBVAULT_LOG_FORMAT: 'text', // for people, as on a terminal
        ...environment,
      },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.#child.stdin.on('error', () => undefined); // it need not read what it is given
    if (stdin !== null) this.#child.stdin.end(stdin);
    this.ended = once(this.#child, 'close').then(([exitCode]: (number | null)[]) => ({
      exitCode: exitCode ?? null,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }));
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** To its stdin, which stays open. */
  write(text: string): void {
    this.#child.stdin.write(text);
  }

  /** As `| head` does it. */
  closeStdout(): void {
    this.#child.stdout.destroy();
  }

  /** Resolves with stdout once the pattern is in it; rejects when the process ends without it. */
  async untilStdout(pattern: RegExp): Promise<string> {
    await this.#until(this.#child.stdout, () => pattern.test(this.#stdout));
    return this.#stdout;
  }

  async untilStderr(pattern: RegExp): Promise<string> {
    await this.#until(this.#child.stderr, () => pattern.test(this.#stderr));
    return this.#stderr;
  }

  async #until(output: NodeJS.ReadableStream, isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      const end = await Promise.race([once(output, 'data'), this.ended]);
      if ('stderr' in end && !isThere()) throw new Error(`ended too early: ${end.stderr}`);
    }
  }
}

/** Runs to the end. */
export function runCliProcess(words: readonly string[], options?: CliOptions): Promise<CliEnd> {
  return new CliProcess(words, options).ended;
}
