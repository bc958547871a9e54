/**
 * Hashes or reads the files of a local storage in a few threads, started with the first file: for those who compare many
 * objects with the log. The contract of storages knows nothing of it.
 */
import type { Stats } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ContentDigest, ListOptions, Storage } from '../storage.js';
import { systemFileSystem } from './file-system.js';
import { localFailure, readFailure } from './local-failure.js';
import { LocalPaths, READ_FLAGS } from './local-files.js';
import { listFiles, type HashedObject, type QuickLook } from './list-files.js';
import { STAGING } from './staging-directory.js';

/** With fewer objects, starting threads would take longer than they save. */
export const MIN_OBJECTS_FOR_THREADS = 200;
/** More threads would only wait for the disk. */
const MAX_THREADS = 4;
/** Larger files are hashed one by one: a message about many cannot be interrupted, and reports no progress. */
const MAX_BYTES_OF_MANY = 8 * 1024 * 1024;

type Answer = Omit<HashAnswer, 'id'>;

/** Undefined where objects are no files of this machine: a caller then reads them itself. */
export function hashThreadsOf({ directory, location }: Storage): HashThreads | undefined {
  return directory === undefined ? undefined : new HashThreads(directory, location);
}

/** The threads end when it is disposed of. */
export class HashThreads implements AsyncDisposable {
  #threads: HashThread[] | undefined;
  readonly #paths: LocalPaths;
  readonly #root: string;
  readonly #location: string;

  /**
   * @param root absolute
   * @param location for messages
   */
  constructor(root: string, location: string) {
    this.#paths = new LocalPaths(systemFileSystem, root, location);
    this.#root = root;
    this.#location = location;
  }

  /**
   * Length and SHA-256 of an object. Undefined if no thread can be started, or it has ended: then nothing was read.
   *
   * @throws {ObjectNotFoundError}
   * @throws {SymbolicLinkError} as `LocalPaths.fileOf`
   */
  async digest(path: string): Promise<ContentDigest | undefined> {
    try {
      return await this.#digest(path);
    } catch (error) {
      throw readFailure(path, this.#location, error);
    }
  }

  /** Lists as the storage does, in threads, and hashes on the way those that are wanted and not too large. */
  async *list(
    isWanted: (path: string) => boolean,
    { prefix = '', after }: ListOptions & { readonly prefix?: string } = {},
  ): AsyncGenerator<HashedObject> {
    try {
      await this.#paths.checkPrefix(prefix);
      const range = { prefix, after, skip: new Set([STAGING]) };
      yield* listFiles(systemFileSystem, this.#root, range, this.quickLook(isWanted));
    } catch (error) {
      throw localFailure('list', prefix === '' ? 'the files' : prefix, this.#location, error);
    }
  }

  /**
   * The bytes of objects of one directory. Undefined of one that is larger than so many, is not there, or could not be
   * read: whoever reads it from the storage is told why.
   */
  async contents(
    paths: readonly string[],
    most: number,
  ): Promise<readonly (Uint8Array | undefined)[]> {
    const maxBytes = paths.map(() => most);
    const answer = await this.#askMany(paths, { maxBytes, wantsBytes: true });
    return paths.map((_, index) => answer?.facts[index]?.content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all((this.#threads ?? []).map((thread) => thread.close()));
    this.#threads = undefined;
  }

  async #digest(path: string): Promise<ContentDigest | undefined> {
    const files = this.#paths.filesOf(path);
    const answer = await this.#ask({
      directories: files.slice(0, -1),
      files: files.slice(-1),
      maxBytes: [Infinity],
      wantsBytes: false,
    });
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
      const maxBytes = paths.map((path) => (isWanted(path) ? MAX_BYTES_OF_MANY : -1));
      const answer = await this.#askMany(paths, { maxBytes, wantsBytes: false });
      return paths.map((path, index) => {
        const { bytes, modifiedAtMs, sha256 } = answer?.facts[index] ?? {};
        if (bytes === undefined || modifiedAtMs === undefined) return undefined;
        return { path, bytes, modifiedAtMs, sha256 };
      });
    };
  }

  #askMany(
    paths: readonly string[],
    wanted: Pick<HashTask, 'maxBytes' | 'wantsBytes'>,
  ): Promise<Answer | undefined> {
    const [first = ''] = paths;
    const directories = this.#paths.filesOf(first).slice(0, -1);
    return this.#ask({
      directories,
      files: paths.map((path) => this.#paths.fullPath(path)),
      ...wanted,
    });
  }

  #ask(files: Omit<HashTask, 'id'>): Promise<Answer | undefined> {
    const threads = (this.#threads ??= startThreads());
    const idlest = threads.reduce((one, other) => (other.waiting < one.waiting ? other : one));
    return idlest.ask(files);
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

/*
 * The code of a thread. Blocking calls take a tenth of the time of asynchronous ones (test/bench/README.md), and here they
 * block no other work. A thread is started from the source text of `hashFiles`, so that a bundle needs no second file.
 * Therefore the function uses only types from outside itself.
 */

/** Files of one directory: one message for many, and the directories above them are looked at once. */
interface HashTask {
  readonly id: number;
  /** Absolute: the directories below the archive's root that lead to the files. */
  readonly directories: readonly string[];
  /** Absolute. */
  readonly files: readonly string[];
  /** For each file: one with more bytes is not read; below 0 it is not opened either. */
  readonly maxBytes: readonly number[];
  /** The bytes of each file in place of its digest. */
  readonly wantsBytes: boolean;
}

/** What is known of a regular file; or why nothing is. */
interface HashedFile {
  /** What was hashed, or else the size. */
  readonly bytes?: number;
  readonly modifiedAtMs?: number;
  /** Lower-case hexadecimal; absent if the file is too large, or its bytes are wanted. */
  readonly sha256?: string;
  readonly content?: Uint8Array;
  readonly isLink?: boolean;
  /** What the file system threw. */
  readonly failure?: { readonly message: string; readonly code: string | undefined };
}

interface HashAnswer {
  readonly id: number;
  /** In the order of the task's files. */
  readonly facts: readonly HashedFile[];
  /** Index of the directory that is a symbolic link: then there are no facts. */
  readonly link?: number;
}

interface HashThreadData {
  /** Flags for opening a file. */
  readonly flags: number;
}

function hashFiles(): void {
  const { parentPort, ...thread } = process.getBuiltinModule('node:worker_threads');
  const { createHash } = process.getBuiltinModule('node:crypto');
  const fs = process.getBuiltinModule('node:fs');
  const { flags } = thread.workerData as HashThreadData;
  const buffer = Buffer.allocUnsafeSlow(512 * 1024);

  parentPort?.on('message', (task: HashTask) => {
    parentPort.postMessage({ id: task.id, ...answerOf(task) });
  });

  function answerOf({
    directories,
    files,
    maxBytes,
    wantsBytes,
  }: HashTask): Omit<HashAnswer, 'id'> {
    const link = directories.findIndex(isLink);
    if (link >= 0) return { facts: [], link };
    const facts = files.map((file, at) => factsOf(file, maxBytes[at] ?? -1, wantsBytes));
    // the facts count only if no link has appeared since
    const late = directories.findIndex(isLink);
    return late < 0 ? { facts } : { facts: [], link: late };
  }

  function factsOf(file: string, maxBytes: number, wantsBytes: boolean): HashedFile {
    if (maxBytes < 0) return listedFacts(file);
    const facts = readFacts(file, maxBytes, wantsBytes);
    return isLink(file) ? { isLink: true } : facts;
  }

  function listedFacts(file: string): HashedFile {
    try {
      const stats = fs.lstatSync(file);
      return stats.isFile() ? { bytes: stats.size, modifiedAtMs: stats.mtimeMs } : {};
    } catch (error) {
      return failureOf(error);
    }
  }

  function isLink(path: string): boolean {
    try {
      return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    } catch {
      return false; // opening the file tells why
    }
  }

  function readFacts(file: string, maxBytes: number, wantsBytes: boolean): HashedFile {
    try {
      const descriptor = fs.openSync(file, flags);
      try {
        return factsOfOpened(descriptor, fs.fstatSync(descriptor), maxBytes, wantsBytes);
      } finally {
        fs.closeSync(descriptor);
      }
    } catch (error) {
      return failureOf(error);
    }
  }

  function failureOf(error: unknown): HashedFile {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: { message, code } };
  }

  function factsOfOpened(
    descriptor: number,
    stats: Stats,
    maxBytes: number,
    wantsBytes: boolean,
  ): HashedFile {
    if (!stats.isFile()) return { failure: { message: 'not a regular file', code: 'EISDIR' } };
    const { size, mtimeMs: modifiedAtMs } = stats;
    if (size > maxBytes) return { bytes: size, modifiedAtMs };
    if (wantsBytes) return { content: bytesOf(descriptor, size) };
    const { bytes, sha256 } = digestOf(descriptor, size);
    return { bytes, modifiedAtMs, sha256 };
  }

  function bytesOf(descriptor: number, size: number): Uint8Array {
    const content = new Uint8Array(size);
    let bytes = 0;
    while (bytes < size) {
      const read = fs.readSync(descriptor, content, bytes, size - bytes, bytes);
      if (read === 0) break;
      bytes += read;
    }
    return content.subarray(0, bytes);
  }

  function digestOf(descriptor: number, size: number): ContentDigest {
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
