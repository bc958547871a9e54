/**
 * The code of a thread that hashes files. Blocking calls take a tenth of the time of asynchronous ones
 * (test/bench/README.md), and here they block no other work.
 *
 * A thread is started from the source text of `hashFiles`, so that a bundle needs no second file. Therefore
 * the function uses only types from outside itself.
 */
import type { Stats } from 'node:fs';
import type { ContentDigest } from '../storage.js';

/** Files of one directory: one message for many, and the directories above them are looked at once. */
export interface HashTask {
  readonly id: number;
  /** Absolute: the directories below the archive's root that lead to the files. */
  readonly directories: readonly string[];
  /** Absolute. */
  readonly files: readonly string[];
  /** Larger files are not hashed. */
  readonly maxBytes: number;
}

/** Of a regular file; or why nothing is known of it. */
export interface HashedFile {
  /** What was hashed, or else the size. */
  readonly bytes?: number;
  readonly modifiedAtMs?: number;
  /** Lower-case hexadecimal; absent if the file is too large. */
  readonly sha256?: string;
  readonly isLink?: boolean;
  /** What the file system threw. */
  readonly failure?: { readonly message: string; readonly code: string | undefined };
}

export interface HashAnswer {
  readonly id: number;
  /** In the order of the task's files. */
  readonly facts: readonly HashedFile[];
  /** Index of the directory that is a symbolic link: then there are no facts. */
  readonly link?: number;
}

export interface HashThreadData {
  /** Flags for opening a file. */
  readonly flags: number;
}

export function hashFiles(): void {
  const { parentPort, ...thread } = process.getBuiltinModule('node:worker_threads');
  const { createHash } = process.getBuiltinModule('node:crypto');
  const fs = process.getBuiltinModule('node:fs');
  const { flags } = thread.workerData as HashThreadData;
  const buffer = Buffer.allocUnsafeSlow(512 * 1024);

  parentPort?.on('message', (task: HashTask) => {
    parentPort.postMessage({ id: task.id, ...answerOf(task) });
  });

  function answerOf({ directories, files, maxBytes }: HashTask): Omit<HashAnswer, 'id'> {
    const link = directories.findIndex(isLink);
    if (link >= 0) return { facts: [], link };
    const facts = files.map((file) => factsOf(file, maxBytes));
    // the facts count only if no link has appeared since
    const late = directories.findIndex(isLink);
    return late < 0 ? { facts } : { facts: [], link: late };
  }

  function factsOf(file: string, maxBytes: number): HashedFile {
    const facts = readFacts(file, maxBytes);
    return isLink(file) ? { isLink: true } : facts;
  }

  function isLink(path: string): boolean {
    try {
      return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    } catch {
      return false; // opening the file tells why
    }
  }

  function readFacts(file: string, maxBytes: number): HashedFile {
    try {
      const descriptor = fs.openSync(file, flags);
      try {
        return factsOfOpened(descriptor, fs.fstatSync(descriptor), maxBytes);
      } finally {
        fs.closeSync(descriptor);
      }
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { failure: { message, code } };
    }
  }

  function factsOfOpened(descriptor: number, stats: Stats, maxBytes: number): HashedFile {
    if (!stats.isFile()) return { failure: { message: 'not a regular file', code: 'EISDIR' } };
    const { size, mtimeMs: modifiedAtMs } = stats;
    if (size > maxBytes) return { bytes: size, modifiedAtMs };
    const { bytes, sha256 } = contentOf(descriptor, size);
    return { bytes, modifiedAtMs, sha256 };
  }

  function contentOf(descriptor: number, size: number): ContentDigest {
    const hash = createHash('sha256');
    let bytes = 0;
    while (bytes < size) {
      const wanted = Math.min(buffer.byteLength, size - bytes);
      const read = fs.readSync(descriptor, buffer, 0, wanted, bytes);
      if (read === 0) break;
      hash.update(buffer.subarray(0, read));
      bytes += read;
    }
    return { bytes, sha256: hash.digest('hex') };
  }
}
