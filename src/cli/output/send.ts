/** Writes to an output with backpressure. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { TextOutput } from '../terminal.js';

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
