/** The process as a command sees it, so that tests can run commands without one. */
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.js';

export interface Terminal {
  /** Without `node` and the script. */
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly interruption: Interruption;
  /** For how long a person may think. */
  readonly clock: Clock;
}

export interface TextOutput {
  /** Bytes where a command prints a file. */
  write(data: string | Uint8Array): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface Interruption {
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** 130 or 143 once interrupted, 1 after a crash. */
  readonly exitCode: number | undefined;
  /**
   * Ends the process with `exitCode` where the command has not ended so long after the interruption; called before it
   * begins. `onInt`: also after SIGINT, where a person may rather wait.
   */
  readonly endWithin?: (limit: { readonly ms: number; readonly onInt: boolean }) => void;
  /** An uncaught error: the command saves what it has and ends. */
  readonly crash?: { readonly error: unknown } | undefined;
}

/** Colours are for terminals, unless NO_COLOR is set. */
export function wantsColour(output: TextOutput, environment: Terminal['environment']): boolean {
  return output.isTTY === true && !environment['NO_COLOR'];
}

/** Undefined where lines may have any length. A pseudo-terminal without a size reports 0. */
export function terminalWidth({ columns, isTTY }: TextOutput): number | undefined {
  return columns === 0 && isTTY === true ? 80 : columns || undefined;
}
