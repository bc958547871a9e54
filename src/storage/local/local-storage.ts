/** An archive in a directory: files appear whole or not at all, and what is reported as written survives a power loss. */
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { codeOf, type JobvaultError } from '../../base/error.js';
import { DurableDirectories } from './durable-directories.js';
import { withClaim } from './local-claim.js';
import { linkFile, syncFile, systemFileSystem, type FileSystem } from './file-system.js';
import { localFailure, type LocalAction } from './local-failure.js';
import { listFiles } from './local-list.js';
import { LocalPaths, READ_FLAGS } from '../local-paths.js';
import { readFileRange } from './local-read.js';
import { LocalStagedObject } from './local-staged-object.js';
import { assertObjectPath } from '../object-path.js';
import { ObjectNotFoundError } from '../object-not-found-error.js';
import { systemProcesses, type Processes } from '../../base/process-identity.js';
import { stagingPrefix } from './staging-names.js';
import { sweepStaging } from './staging-sweep.js';
import type { ByteRange, ObjectInfo, StagedObject, StageOptions, Storage } from '../storage.js';

export interface LocalStorageOptions {
  /** Made on the first write; a missing one is an empty storage. */
  readonly directory: string;
  /** Default: the machine's own. */
  readonly fileSystem?: FileSystem;
  /** Default: those of this machine. */
  readonly processes?: Processes;
}

/** Inside the archive, so that a rename never crosses file systems; unseen by `list`. */
const STAGING = '_staging';
const NOT_FOUND = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);
/** Another process that closes may remove the empty staging directory just before we open a file in it. */
const STAGING_ATTEMPTS = 20;

export function createLocalStorage(options: LocalStorageOptions): Storage {
  const { fileSystem = systemFileSystem, processes = systemProcesses } = options;
  return new LocalStorage(options.directory, fileSystem, processes);
}

class LocalStorage implements Storage {
  readonly #root: string;
  readonly #staging: string;
  readonly #paths: LocalPaths;
  readonly #directories: DurableDirectories;
  /** Begins the names of what we stage, and of nothing else. */
  readonly #prefix: string;
  #stagedCount = 0;
  /** Neither published nor discarded yet: `close` forgets them. */
  readonly #unfinished = new Set<StagedObject>();
  readonly #fileSystem: FileSystem;
  readonly #processes: Processes;

  constructor(
    readonly location: string,
    fileSystem: FileSystem,
    processes: Processes,
  ) {
    this.#fileSystem = fileSystem;
    this.#processes = processes;

    this.#prefix = stagingPrefix(processes.self, randomBytes(8).toString('hex'));
    this.#root = resolve(location);
    this.#staging = join(this.#root, STAGING);
    this.#paths = new LocalPaths(fileSystem, this.#root, location);
    this.#directories = new DurableDirectories(fileSystem, this.#root);
  }

  get directory(): string {
    return this.#root;
  }

  async stage(options: StageOptions = {}): Promise<StagedObject> {
    const told = options.path ?? 'a new file';
    return this.#openStaged(told, (file, path) => this.#moveInto(file, path));
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    await this.#writeWhole(path, bytes, (file) => this.#moveInto(file, path));
  }

  async putIfAbsent(path: string, bytes: Uint8Array): Promise<boolean> {
    let won = false;
    await this.#writeWhole(path, bytes, async (file) => {
      won = await this.#linkInto(file, path);
    });
    return won;
  }

  async compareAndSwap(path: string, seen: Uint8Array, bytes: Uint8Array): Promise<boolean> {
    const fileSystem = this.#fileSystem;
    const processes = this.#processes;
    const directory = this.#staging;
    let won = false;
    await this.#writeWhole(path, bytes, async (file) => {
      const claim = { fileSystem, processes, directory, name: this.#nextName(), path };
      won = await withClaim(claim, async () => {
        if (!(await this.#holds(path, seen))) return false;
        await this.#moveInto(file, path);
        return true;
      });
      if (!won) await fileSystem.unlink(file);
    });
    return won;
  }

  async get(path: string): Promise<Uint8Array> {
    try {
      const file = await this.#paths.fileOf(path);
      const bytes = await this.#fileSystem.readFile(file, { flag: READ_FLAGS });
      await this.#paths.fileOf(path);
      return bytes;
    } catch (error) {
      throw this.#readFailure(path, error);
    }
  }

  async *read(path: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    try {
      const file = await this.#paths.fileOf(path);
      const check = () => this.#paths.fileOf(path);
      yield* readFileRange(this.#fileSystem, file, { ...range, check });
    } catch (error) {
      throw this.#readFailure(path, error);
    }
  }

  async stat(path: string): Promise<ObjectInfo | undefined> {
    try {
      const stats = await this.#paths.statOf(path);
      if (!stats?.isFile()) return undefined;
      return { path, bytes: stats.size, modifiedAtMs: stats.mtimeMs };
    } catch (error) {
      throw this.#failure('read', path, error);
    }
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    try {
      await this.#paths.checkPrefix(prefix);
      yield* listFiles(this.#fileSystem, this.#root, prefix, new Set([STAGING]));
    } catch (error) {
      throw this.#failure('list', prefix === '' ? 'the files' : prefix, error);
    }
  }

  async move(from: string, to: string): Promise<void> {
    try {
      const [file, target] = [await this.#paths.fileOf(from), await this.#paths.fileOf(to)];
      await this.#inDirectoryOf(target, () => this.#fileSystem.rename(file, target));
      await this.#directories.sync(dirname(target));
      await this.#directories.sync(dirname(file));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new ObjectNotFoundError(from);
      throw this.#failure('write', to, error);
    }
  }

  /** Whoever put it there has synced the file before; its name may be as new as can be. */
  async makeDurable(path: string): Promise<void> {
    try {
      await this.#directories.sync(dirname(await this.#paths.fileOf(path)));
    } catch (error) {
      // who cannot write here does nothing that rests on it
      if (codeOf(error) !== 'EROFS') throw this.#failure('write', path, error);
    }
  }

  async delete(path: string): Promise<void> {
    try {
      const file = await this.#paths.fileOf(path);
      await this.#fileSystem.unlink(file);
      await this.#directories.sync(dirname(file));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw this.#failure('delete', path, error);
    }
  }

  async sweep(): Promise<number> {
    const fileSystem = this.#fileSystem;
    const processes = this.#processes;
    const staging = this.#staging;
    try {
      await this.#paths.fileOf(STAGING);
      return await sweepStaging({ fileSystem, processes, staging, probe: this.#nextName() });
    } catch (error) {
      throw this.#failure('delete', 'what is left of broken-off runs', error);
    }
  }

  async close(): Promise<void> {
    for (const staged of this.#unfinished) await staged.discard();
    this.#directories.forget(this.#staging);
    // Another process may be staging, or nothing ever was: then it stays, or is not there.
    await this.#fileSystem.rmdir(this.#staging).catch(() => undefined);
  }

  /** @param told what is being written, for messages: nobody knows a temporary file by its name */
  async #openStaged(
    told: string,
    publish: (file: string, path: string) => Promise<void>,
  ): Promise<StagedObject> {
    const path = `${STAGING}/${this.#nextName()}`;
    const file = join(this.#root, path);
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#paths.fileOf(path);
        await this.#directories.ensure(this.#staging);
        const staged: StagedObject = new LocalStagedObject(
          await this.#fileSystem.open(file, 'wx'),
          {
            told,
            publish: (target) => publish(file, target),
            read: (range) => this.read(path, range),
            remove: () => this.#fileSystem.unlink(file),
            finished: () => this.#unfinished.delete(staged),
            failure: (target, thrown) => this.#failure('write', target, thrown),
          },
        );
        this.#unfinished.add(staged);
        return staged;
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || attempt === STAGING_ATTEMPTS) {
          throw this.#failure('write', told, error);
        }
        this.#directories.forget(this.#root);
      }
    }
  }

  #nextName(): string {
    return `${this.#prefix}-${this.#stagedCount++}`;
  }

  async #writeWhole(
    path: string,
    bytes: Uint8Array,
    publish: (file: string) => Promise<void>,
  ): Promise<void> {
    assertObjectPath(path);
    const staged = await this.#openStaged(path, publish);
    await staged.write(bytes);
    await staged.close();
    await staged.publish(path);
  }

  async #holds(path: string, bytes: Uint8Array): Promise<boolean> {
    try {
      return Buffer.compare(await this.get(path), bytes) === 0;
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return false;
      throw error;
    }
  }

  /** Replaces what stands at the path. */
  async #moveInto(file: string, path: string): Promise<void> {
    const target = await this.#paths.fileOf(path);
    await syncFile(this.#fileSystem, file);
    await this.#inDirectoryOf(target, () => this.#fileSystem.rename(file, target));
    await this.#directories.sync(dirname(target));
  }

  /** A link fails where something stands; a rename would replace it. */
  async #linkInto(file: string, path: string): Promise<boolean> {
    const target = await this.#paths.fileOf(path);
    await syncFile(this.#fileSystem, file);
    const won = await this.#inDirectoryOf(target, () => linkFile(this.#fileSystem, file, target));
    await this.#fileSystem.unlink(file);
    await this.#directories.sync(dirname(target));
    return won;
  }

  /** Runs once more where a directory that we had made has been removed since. */
  async #inDirectoryOf<T>(target: string, place: () => Promise<T>): Promise<T> {
    await this.#directories.ensure(dirname(target));
    try {
      return await place();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      this.#directories.forget(this.#root);
      await this.#directories.ensure(dirname(target));
      return place();
    }
  }

  #readFailure(path: string, error: unknown): JobvaultError {
    if (NOT_FOUND.has(codeOf(error) ?? '')) return new ObjectNotFoundError(path);
    return this.#failure('read', path, error);
  }

  #failure(action: LocalAction, path: string, error: unknown): JobvaultError {
    return localFailure(action, path, this.location, error);
  }
}
