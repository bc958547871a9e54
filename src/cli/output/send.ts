/** Writes much to an output at the pace of whoever reads it. */
import { once } from 'node:events';
import { Writable } from 'node:stream';
import type { TextOutput } from '../terminal.js';

/** Resolves once more may be written; false when nobody reads any more, as after `| head`. */
export async function send(
  output: TextOutput,
  data: string | Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  const isTaken = output.write(data) !== false;
  if (!(output instanceof Writable)) return true;
  if (!isTaken && !output.destroyed) {
    // it may break while we wait: then it is destroyed
    await once(output, 'drain', { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
  return !output.destroyed;
}
