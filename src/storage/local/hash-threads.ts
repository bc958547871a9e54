/** A few threads that hash files, started with the first file. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { READ_FLAGS, type LocalPaths, type QuickLook } from './local-files.js';
import type { ContentDigest, ObjectInfo } from '../storage.js';
import { hashFiles, type HashAnswer, type HashTask, type HashThreadData } from './hash-thread.js';

/** More threads would only wait for the disk. */
const MAX_THREADS = 4;
/** Larger files are hashed one by one: a message about many cannot be interrupted, and reports no progress. */
const MAX_BYTES_OF_MANY = 8 * 1024 * 1024;

type Answer = Omit<HashAnswer, 'id'>;

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
    const files = this.#paths.filesOf(path);
    const answer = await this.#ask(files.slice(0, -1), files.slice(-1), Infinity);
    const facts = answer?.facts[0];
    const link = facts?.isLink ? files.length - 1 : answer?.link;
    if (link !== undefined) throw this.#paths.linkError(path, link);
    if (facts?.failure) throw Object.assign(new Error(facts.failure.message), facts.failure);
    const { bytes, sha256 } = facts ?? {};
    return bytes === undefined || sha256 === undefined ? undefined : { bytes, sha256 };
  }

  /** Hashes, of the files that it is asked about, those that are wanted and not too large. */
  quickLook(isWanted: (path: string) => boolean): QuickLook {
    return async (paths) => {
      const wanted = paths.filter(isWanted);
      const known = new Map(wanted.length === 0 ? [] : await this.#look(wanted));
      return paths.map((path) => known.get(path));
    };
  }

  async #look(paths: readonly string[]): Promise<[string, ObjectInfo | undefined][]> {
    const [first = ''] = paths;
    const directories = this.#paths.filesOf(first).slice(0, -1);
    const files = paths.map((path) => this.#paths.fullPath(path));
    const answer = await this.#ask(directories, files, MAX_BYTES_OF_MANY);
    return paths.map((path, index) => {
      const { bytes, modifiedAtMs, sha256 } = answer?.facts[index] ?? {};
      const isKnown = bytes !== undefined && modifiedAtMs !== undefined;
      return [path, isKnown ? { path, bytes, modifiedAtMs, sha256 } : undefined];
    });
  }

  async close(): Promise<void> {
    await Promise.all((this.#threads ?? []).map((thread) => thread.close()));
    this.#threads = undefined;
  }

  #ask(
    directories: readonly string[],
    files: readonly string[],
    maxBytes: number,
  ): Promise<Answer | undefined> {
    const threads = (this.#threads ??= startThreads());
    const idlest = threads.reduce((one, other) => (other.waiting < one.waiting ? other : one));
    return idlest.ask({ directories, files, maxBytes });
  }
}

function startThreads(): HashThread[] {
  const count = Math.min(MAX_THREADS, availableParallelism());
  return Array.from({ length: count }, () => new HashThread());
}

class HashThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #count = 0;
  #hasEnded = false;
  #isClosing = false;

  constructor() {
    const workerData: HashThreadData = { flags: READ_FLAGS };
    // no options of this process's Node: a loader, for example, would slow the start of a thread
    const options = { eval: true, workerData, execArgv: [] };
    this.#worker = new Worker(`(${hashFiles.toString()})()`, options)
      .on('message', (answer: HashAnswer) => {
        this.#settle(answer.id, answer);
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
  ask(files: Omit<HashTask, 'id'>): Promise<Answer | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    const task: HashTask = { ...files, id: this.#count++ };
    if (this.#waiting.size === 0) this.#worker.ref();
    return new Promise((resolve) => {
      this.#waiting.set(task.id, resolve);
      this.#worker.postMessage(task);
    });
  }

  async close(): Promise<void> {
    // the program waits for its end: an answer that comes meanwhile must not let go of the thread
    this.#isClosing = true;
    await this.#worker.terminate();
  }

  #settle(id: number, answer: Answer | undefined): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
    // an idle thread does not keep the program running
    if (this.#waiting.size === 0 && !this.#isClosing) this.#worker.unref();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const id of this.#waiting.keys()) this.#settle(id, undefined);
  }
}
