/** Colours words on a terminal, unless NO_COLOR is set. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/runtime.js';
import type { Terms } from '../../base/terms.js';

export interface Paint {
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

const asItIs = (text: string): string => text;

export const plain: Paint = { good: asItIs, warn: asItIs, bad: asItIs };

const coloured: Paint = { good: inColour(32), warn: inColour(33), bad: inColour(31) };

/** For what goes to stdout. */
export function paintOf({ stdout, environment }: Terminal): Paint {
  return wantsColour(stdout, environment) ? coloured : plain;
}

/** Placeholder for the start of an escape sequence. It is random, so no other text can contain it. */
const MARK = randomUUID();

function inColour(code: number): (text: string) => string {
  return (text) => `${MARK}${code}m${text}${MARK}39m`;
}

/** Turns placeholders into colours, after everything else was escaped. */
export function withColours(text: string): string {
  return text.replaceAll(MARK, '\u001B[');
}

/** The process as a command sees it, so that tests can run commands without one. */
export interface Terminal {
  /** Without `node` and the script. */
  readonly arguments: readonly string[];
  /** The variables of the process itself: libraries read what is added here. */
  readonly environment: Record<string, string | undefined>;
  readonly stdin: Readable & {
    readonly isTTY?: boolean | undefined;
    /** Sets whether a terminal hands on every key, and echoes none. */
    setRawMode?(isRaw: boolean): unknown;
  };
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly interruption: Interruption;
  /** For how long a person may think. */
  readonly clock: Clock;
  /** For how long commands wait. */
  readonly terms: Terms;
}

export interface TextOutput {
  /** Bytes where a command prints a file. */
  write(data: string | Uint8Array): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface EndLimit {
  readonly ms: number;
  readonly onInt: boolean;
  /** Writes the last line of the log, and tells the monitors; the process ends after `graceMs` all the same. */
  readonly report: () => Promise<void>;
  readonly graceMs: number;
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
  readonly endWithin?: (limit: EndLimit) => void;
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
