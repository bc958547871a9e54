/** Writes to an output with backpressure. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { Printable } from '../command.js';
import type { Terminal, TextOutput } from './terminal.js';

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

/** Whether anything was printed decides whether a failed command still has its line of JSON. */
export class Printer {
  readonly #output: TextOutput;
  readonly #signal: AbortSignal;
  #hasPrinted = false;

  constructor({ stdout, interruption }: Terminal) {
    this.#output = stdout;
    this.#signal = interruption.signal;
  }

  get hasPrinted(): boolean {
    return this.#hasPrinted;
  }

  readonly print = async (data: Printable): Promise<void> => {
    for await (const piece of typeof data === 'string' ? [data] : data) {
      this.#signal.throwIfAborted();
      if (piece.length > 0) this.#hasPrinted = true;
      if (!(await send(this.#output, piece, this.#signal))) return;
    }
  };
}
