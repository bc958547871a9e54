/** Reads a file that a flag names, or looks whether it is there. */
import { closeSync, openSync, readSync } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ErrorDetails, fileErrorReason, UsageError } from '../../base/error.js';
import type { Terminal } from '../output/terminal.js';

/** A file of users or with the API key is at fault, and not the command line that names it. */
export class GivenFileError extends UsageError {
  constructor(
    message: string,
    /** `--users-file` */
    readonly flag: string,
    /** An absolute path. */
    readonly path: string,
    details: ErrorDetails,
  ) {
    super(message, details);
  }
}

/** @throws {GivenFileError} instead of what `read` throws of a file that `doctor` can try: of none on stdin */
export async function blamingFile<T>(
  flag: string,
  file: string | undefined,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UsageError) || file === undefined || file === '-') throw error;
    throw new GivenFileError(error.message, flag, resolve(file), { cause: error });
  }
}

const CHUNK_BYTES = 256 * 1024;

/**
 * @param flag for the error: `--signing-key`
 * @param terminal where `-` means stdin
 * @throws {UsageError} it cannot be read
 * @throws the interruption's reason
 */
export async function readGiven(flag: string, file: string, terminal?: Terminal): Promise<Buffer> {
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

/**
 * As `readGiven`, chunk by chunk: a list of a million users is not held in memory. Only of what is a file; a pipe may
 * keep who reads it waiting.
 *
 * @throws {UsageError} it cannot be read, also later
 */
export async function chunksOfGiven(
  flag: string,
  file: string,
  terminal: Terminal,
): Promise<Iterable<Uint8Array>> {
  const isFile = file !== '-' && (await stat(file).catch(() => undefined))?.isFile() === true;
  return isFile ? chunksOf(flag, file) : [await readGiven(flag, file, terminal)];
}

function* chunksOf(flag: string, file: string): Generator<Uint8Array> {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytes = readSync(handle, chunk, 0, CHUNK_BYTES, null);
      if (bytes === 0) return;
      yield chunk.subarray(0, bytes);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = fileErrorReason(error);
    throw new UsageError(`${flag} ${file} cannot be read: ${reason}`, { cause: error });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
