/** Storage in a directory: files appear whole or not at all, and finished writes survive a power loss. */
import { dirname, resolve } from 'node:path';
import { type Clock, systemClock } from '../../base/runtime.js';
import { codeOf, type JobvaultError } from '../../base/error.js';
import { DurableDirectories } from './durable-directories.js';
import { withClaim, type ClaimOptions } from './local-claim.js';
import { linkFile, syncFile, systemFileSystem, type FileSystem } from './file-system.js';
import { localFailure, readFailure, type LocalAction } from './local-failure.js';
import { LocalPaths } from './local-files.js';
import { readFileRange } from './read-file-range.js';
import { listFiles } from './list-files.js';
import { HashedStagedObject, mayWait, MemoryBudget, MemoryBuffer } from '../staged-object.js';
import { STAGING, StagingDirectory } from './staging-directory.js';
import { LocalStagedBody } from './local-staged-body.js';
import {
  type ByteRange,
  type ListOptions,
  type ObjectInfo,
  type StagedObject,
  type StageOptions,
  type Storage,
  type SweepChoice,
} from '../storage.js';
import { assertObjectPath } from '../object-path.js';
import { ObjectNotFoundError } from '../storage-errors.js';
import { systemProcesses, type Processes } from '../../base/process-identity.js';

export interface LocalStorageOptions {
  /** Made on the first write; a missing directory is an empty storage. */
  readonly directory: string;
  /**
   * Nobody else reads or writes it before it is closed: a name is durable only after `close`, and nobody can have put a
   * link in the way. Default false
   */
  readonly isOurs?: boolean;
  /** Default: the machine's own. */
  readonly fileSystem?: FileSystem;
  /** Default: those of this machine. */
  readonly processes?: Processes;
  /** Default: the machine's own. */
  readonly clock?: Clock;
}

/** The file is gone, has too many names, lies on another file system, or on one that has no links. */
const CANNOT_LINK = new Set(['ENOENT', 'EEXIST', 'EMLINK', 'EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS']);
type Publish = (file: string, path: string, isNameDurable: boolean) => Promise<void>;

export function createLocalStorage(options: LocalStorageOptions): Storage {
  return new LocalStorage(options);
}

class LocalStorage implements Storage {
  readonly #staging: StagingDirectory;
  readonly #root: string;
  readonly #paths: LocalPaths;
  readonly #directories: DurableDirectories;
  readonly #room = new MemoryBudget();
  /** Objects that are neither published nor discarded; `close` discards them. */
  readonly #unfinished = new Set<StagedObject>();
  readonly #fileSystem: FileSystem;
  readonly #claims: Omit<ClaimOptions, 'name' | 'path'>;
  readonly #isOurs: boolean;
  readonly location: string;
  /** Undefined if another file system was given: its files are not of this machine. */
  readonly directory?: string;

  constructor({
    directory: location,
    isOurs = false,
    fileSystem = systemFileSystem,
    processes = systemProcesses,
    clock = systemClock,
  }: LocalStorageOptions) {
    this.location = location;
    this.#fileSystem = fileSystem;
    const root = resolve(location);
    const paths = new LocalPaths(fileSystem, root, location);
    const directories = new DurableDirectories(fileSystem, root, isOurs);
    this.#isOurs = isOurs;
    if (fileSystem === systemFileSystem) this.directory = root;
    this.#root = root;
    this.#paths = paths;
    this.#directories = directories;
    this.#staging = new StagingDirectory({ root, fileSystem, processes, paths, directories });
    this.#claims = { fileSystem, processes, clock, directory: this.#staging.directory };
  }

  async stage({ expectedBytes }: StageOptions = {}): Promise<StagedObject> {
    const subject = 'a new file';
    try {
      // so that an unwritable place fails before anything is downloaded
      await this.#staging.ensure();
    } catch (error) {
      throw this.#failure('write', subject, error);
    }
    return this.#newStaged(subject, mayWait(expectedBytes), (file, target, isNameDurable) =>
      this.#moveInto(file, target, isNameDurable),
    );
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
    let won = false;
    await this.#writeWhole(path, bytes, async (file) => {
      const claim = { ...this.#claims, name: this.#staging.nextName(), path };
      won = await withClaim(claim, async () => {
        if (!(await this.#holds(path, seen))) return false;
        await this.#moveInto(file, path);
        return true;
      });
      if (!won) await this.#fileSystem.unlink(file);
    });
    return won;
  }

  async get(path: string): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.read(path)) chunks.push(chunk);
    const [whole] = chunks;
    return whole && chunks.length === 1 ? whole : Buffer.concat(chunks);
  }

  async *read(path: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    try {
      const file = this.#isOurs ? this.#paths.fullPath(path) : await this.#paths.fileToOpen(path);
      const check = () => this.#fileOf(path);
      yield* readFileRange(this.#fileSystem, file, { ...range, check });
    } catch (error) {
      if (codeOf(error) === 'ELOOP') await this.#fileOf(path); // says which link it is
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

  async *list(prefix: string, { after }: ListOptions = {}): AsyncGenerator<ObjectInfo> {
    try {
      await this.#paths.checkPrefix(prefix);
      const range = { prefix, after, skip: new Set([STAGING]) };
      yield* listFiles(this.#fileSystem, this.#root, range);
    } catch (error) {
      throw this.#failure('list', prefix === '' ? 'the files' : prefix, error);
    }
  }

  /** The writer has synced the file; its name may not be durable yet. */
  async makeDurable(path: string): Promise<void> {
    try {
      await this.#directories.sync(dirname(await this.#paths.fileOf(path)));
    } catch (error) {
      // on a read-only file system nothing needs it
      if (codeOf(error) !== 'EROFS') throw this.#failure('write', path, error);
    }
  }

  async adopt(file: string, path: string): Promise<number | undefined> {
    try {
      const stats = await this.#fileSystem.lstat(file);
      if (!stats.isFile()) return undefined;
      const target = await this.#fileOf(path);
      await this.#directories.inside(dirname(target), () => this.#fileSystem.link(file, target));
      await this.#directories.sync(dirname(target));
      return stats.size;
    } catch (error) {
      if (CANNOT_LINK.has(codeOf(error) ?? '')) return undefined;
      throw this.#failure('write', path, error);
    }
  }

  async delete(path: string): Promise<void> {
    await this.deleteAll([path]);
  }

  async deleteAll(paths: readonly string[]): Promise<void> {
    const changed = new Map<string, { readonly path: string; readonly wasThere: boolean }>();
    for (const path of paths) {
      try {
        const file = await this.#paths.fileOf(path);
        const isGone = await this.#unlink(file);
        const directory = dirname(file);
        const wasThere = !isGone || changed.get(directory)?.wasThere === true;
        changed.set(directory, { path, wasThere });
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw this.#failure('delete', path, error);
      }
    }
    for (const [directory, { path, wasThere }] of changed) {
      await this.#directories.sync(directory).catch((error: unknown) => {
        // on a read-only file system there is nothing to make durable, and in no directory neither
        const code = codeOf(error);
        if (code === 'ENOENT' || (code === 'EROFS' && !wasThere)) return;
        throw this.#failure('delete', path, error);
      });
    }
  }

  async sweep(choice?: SweepChoice): Promise<number> {
    try {
      return await this.#staging.sweep(choice);
    } catch (error) {
      throw this.#failure('delete', 'files staged by interrupted runs', error);
    }
  }

  async stagedElsewhere(): Promise<number> {
    try {
      return await this.#staging.countElsewhere();
    } catch (error) {
      throw this.#failure('list', 'files staged by other runs', error);
    }
  }

  async close(): Promise<void> {
    for (const staged of this.#unfinished) await staged.discard();
    await this.#staging.removeIfEmpty();
    await this.#directories.settle().catch((error: unknown) => {
      throw this.#failure('write', 'the new files', error);
    });
  }

  /** @throws {SymbolicLinkError} */
  async #fileOf(path: string): Promise<string> {
    return this.#isOurs ? this.#paths.fullPath(path) : this.#paths.fileOf(path);
  }

  /** @param subject what is being written, for messages */
  #newStaged(subject: string, mayWaitInMemory: boolean, publish: Publish): StagedObject {
    const name = this.#staging.nextName();
    const file = this.#staging.fileOf(name);
    const waiting = mayWaitInMemory ? new MemoryBuffer(this.#room) : undefined;
    const body = new LocalStagedBody(waiting, {
      subject,
      open: () => this.#staging.create(name),
      sync: () => syncFile(this.#fileSystem, file),
      publish: (target, how) => publish(file, target, how),
      read: (range) => this.read(`${STAGING}/${name}`, range),
      remove: () => this.#fileSystem.unlink(file),
      failure: (target, thrown) => this.#failure('write', target, thrown),
    });
    const staged = new HashedStagedObject(body, (object) => this.#unfinished.delete(object));
    this.#unfinished.add(staged);
    return staged;
  }

  async #writeWhole(
    path: string,
    bytes: Uint8Array,
    publish: (file: string) => Promise<void>,
  ): Promise<void> {
    assertObjectPath(path);
    const staged = this.#newStaged(path, true, publish);
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

  /** Replaces the object at the path. */
  async #moveInto(file: string, path: string, isNameDurable = true): Promise<void> {
    const target = await this.#fileOf(path);
    await this.#directories.inside(dirname(target), () => this.#fileSystem.rename(file, target));
    if (isNameDurable) await this.#directories.sync(dirname(target));
  }

  /** A link fails if there is a file; a rename would replace it. */
  async #linkInto(file: string, path: string): Promise<boolean> {
    const target = await this.#fileOf(path);
    const won = await this.#directories.inside(dirname(target), () =>
      linkFile(this.#fileSystem, file, target),
    );
    await this.#fileSystem.unlink(file);
    await this.#directories.sync(dirname(target));
    return won;
  }

  /** @returns whether it was gone: then another process may have removed it and not synced that yet */
  async #unlink(file: string): Promise<boolean> {
    try {
      await this.#fileSystem.unlink(file);
      return false;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      return true;
    }
  }

  #readFailure(path: string, error: unknown): JobvaultError {
    return readFailure(path, this.location, error);
  }

  #failure(action: LocalAction, path: string, error: unknown): JobvaultError {
    return localFailure(action, path, this.location, error);
  }
}
