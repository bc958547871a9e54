/** Reads a file that a flag names. */
import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileErrorReason, UsageError } from '../../base/error.js';
import type { Terminal } from '../output/terminal.js';

/**
 * @param flag for the error: `--signing-key`
 * @param terminal where `-` means stdin
 * @throws {UsageError} it cannot be read
 * @throws the interruption's reason
 */
export async function readGiven(
  flag: string,
  file: string,
  terminal?: Pick<Terminal, 'stdin' | 'interruption'>,
): Promise<Buffer> {
  const signal = terminal?.interruption.signal;
  try {
    if (terminal && signal && file === '-') {
      return await buffer(addAbortSignal(signal, terminal.stdin));
    }
    return await readFile(file);
  } catch (error) {
    signal?.throwIfAborted();
    const reason = fileErrorReason(error);
    throw new UsageError(`${flag} ${file} cannot be read: ${reason}`, { cause: error });
  }
}
