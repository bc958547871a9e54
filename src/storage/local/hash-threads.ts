/** A few threads that hash files, started with the first file. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { READ_FLAGS, type LocalPaths } from '../local-paths.js';
import type { ContentDigest } from '../storage.js';
import { hashFiles, type HashAnswer, type HashTask, type HashThreadData } from './hash-thread.js';

/** More threads would only wait for the disk. */
const MAX_THREADS = 4;

type FileHash = Omit<HashAnswer, 'id'>;

export class HashThreads {
  #threads: HashThread[] | undefined;
  readonly #paths: LocalPaths;

  constructor(paths: LocalPaths) {
    this.#paths = paths;
  }

  /**
   * Undefined if no thread can be started, or it has ended.
   *
   * @throws {SymbolicLinkError} as `LocalPaths.fileOf`. Throws what the file system throws.
   */
  async digest(path: string): Promise<ContentDigest | undefined> {
    const hash = await this.#idlest().hash(this.#paths.filesOf(path));
    if (hash?.link !== undefined) throw this.#paths.linkError(path, hash.link);
    if (hash?.failure) throw Object.assign(new Error(hash.failure.message), hash.failure);
    return hash?.digest;
  }

  async close(): Promise<void> {
    await Promise.all((this.#threads ?? []).map((thread) => thread.close()));
    this.#threads = undefined;
  }

  #idlest(): HashThread {
    const count = Math.min(MAX_THREADS, availableParallelism());
    this.#threads ??= Array.from({ length: count }, () => new HashThread());
    return this.#threads.reduce((one, other) => (other.waiting < one.waiting ? other : one));
  }
}

class HashThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (hash: FileHash | undefined) => void>();
  #count = 0;
  #hasEnded = false;

  constructor() {
    const workerData: HashThreadData = { flags: READ_FLAGS };
    // no options of this process's Node: a loader, for example, would slow the start of a thread
    const options = { eval: true, workerData, execArgv: [] };
    this.#worker = new Worker(`(${hashFiles.toString()})()`, options)
      .on('message', ({ id, ...hash }: HashAnswer) => {
        this.#settle(id, hash);
      })
      .on('error', () => {
        this.#end();
      })
      .on('exit', () => {
        this.#end();
      });
    this.#worker.unref();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Undefined: the thread has ended. */
  hash(paths: readonly string[]): Promise<FileHash | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const task: HashTask = { id: this.#count++, paths };
    if (this.#waiting.size === 0) this.#worker.ref();
    return new Promise((resolve) => {
      this.#waiting.set(task.id, resolve);
      this.#worker.postMessage(task);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(id: number, hash: FileHash | undefined): void {
    this.#waiting.get(id)?.(hash);
    this.#waiting.delete(id);
    // an idle thread does not keep the program running
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const id of this.#waiting.keys()) this.#settle(id, undefined);
  }
}
