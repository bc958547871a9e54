/** Writes to an output with backpressure. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { type TextOutput, terminalWidth } from './terminal.js';
import type { Invocation } from '../command.js';
import { jsonLine } from '../json-line.js';
import { folded } from './folded.js';

/** Resolves when more can be written; false when the reader has gone, as with `| head`. */
export async function send(
  output: TextOutput,
  data: string | Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  const isTaken = output.write(data) !== false;
  if (!(output instanceof Writable)) return true;
  if (!isTaken && !output.destroyed) {
    // the pipe may break while waiting: then it is destroyed
    await once(output, 'drain', { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
  return !output.destroyed;
}

/** Prints the result of a command: one line of JSON, or text folded to the terminal. */

export function printAnswer(
  { settings, terminal: { stdout } }: Pick<Invocation, 'settings' | 'terminal'>,
  value: unknown,
  text: () => string,
): void {
  stdout.write(settings.json ? jsonLine(value) : folded(text(), terminalWidth(stdout)));
}
