/**
 * The code of a thread that hashes files. Blocking calls take a tenth of the time of asynchronous ones
 * (test/bench/README.md), and here they block no other work.
 *
 * A thread is started from the source text of `hashFiles`, so that a bundle needs no second file. Therefore
 * the function uses only types from outside itself.
 */
import type { ContentDigest } from '../storage.js';

export interface HashTask {
  readonly id: number;
  /** Absolute: the directories below the archive's root that lead to the file, and the file. */
  readonly paths: readonly string[];
}

export interface HashAnswer {
  readonly id: number;
  readonly digest?: ContentDigest;
  /** Index of the path that is a symbolic link. */
  readonly link?: number;
  /** What the file system threw. */
  readonly failure?: { readonly message: string; readonly code: string | undefined };
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

  parentPort?.on('message', ({ id, paths }: HashTask) => {
    parentPort.postMessage({ id, ...hashOf(paths) });
  });

  function hashOf(paths: readonly string[]): Omit<HashAnswer, 'id'> {
    const file = paths.at(-1) ?? '';
    try {
      const link = linkIn(paths);
      if (link >= 0) return { link };
      const descriptor = fs.openSync(file, flags);
      try {
        const stats = fs.fstatSync(descriptor);
        if (!stats.isFile()) return { failure: { message: 'not a regular file', code: 'EISDIR' } };
        // the digest counts only if no link has appeared since
        const late = linkIn(paths);
        return late >= 0 ? { link: late } : { digest: contentOf(descriptor, stats.size) };
      } finally {
        fs.closeSync(descriptor);
      }
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { failure: { message, code } };
    }
  }

  function linkIn(paths: readonly string[]): number {
    return paths.findIndex((path) =>
      fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink(),
    );
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
