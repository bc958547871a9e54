/** Makes directories and syncs them, so that their entries survive a power loss. */
import { dirname, sep } from 'node:path';
import { concurrently } from '../../base/concurrently.js';
import { codeOf } from '../../base/error.js';
import type { FileSystem } from './file-system.js';

/** Windows cannot open directories, and some network file systems refuse to sync them. */
const CANNOT_SYNC_DIRECTORIES = new Set(['EINVAL', 'ENOTSUP', 'EISDIR', 'EPERM']);

/** At a time. */
const SYNCS = 16;

export class DurableDirectories {
  /** Shared by concurrent writers: none may continue before the directory is synced. */
  readonly #made = new Map<string, Promise<void>>();
  /** Syncs by directory: running ones, and those that start afterwards. */
  readonly #underway = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Promise<void>>();
  /** To be synced by `settle`; undefined: each is synced when a caller asks for it. */
  readonly #due: Set<string> | undefined;
  readonly #fileSystem: FileSystem;
  /** Absolute; missing directories above it are made too. */
  readonly #root: string;

  /** @param isLate a sync waits for `settle`: nothing in the root counts before */
  constructor(fileSystem: FileSystem, root: string, isLate = false) {
    this.#fileSystem = fileSystem;
    this.#root = root;
    this.#due = isLate ? new Set() : undefined;
  }

  /** Syncs what is due. */
  async settle(): Promise<void> {
    const due = [...(this.#due ?? [])];
    this.#due?.clear();
    await concurrently(due, SYNCS, (directory) => this.#sync(directory));
  }

  /** Makes a directory (absolute, the root or below it) if it is missing. Durable when it resolves. */
  ensure(directory: string): Promise<void> {
    const known = this.#made.get(directory);
    if (known) return known;
    const making = directory === this.#root ? this.#makeRoot() : this.#make(directory);
    this.#made.set(directory, making);
    making.catch(() => this.#made.delete(directory));
    return making;
  }

  /** Another process has removed it: the next `ensure` makes it again. */
  forget(directory: string): void {
    for (const known of this.#made.keys()) {
      if (known === directory || known.startsWith(directory + sep)) this.#made.delete(known);
    }
  }

  /** Runs `work`, which writes into a directory; repeats it once if another process has removed a directory. */
  async inside<T>(directory: string, work: () => Promise<T>): Promise<T> {
    await this.ensure(directory);
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      this.forget(this.#root);
      await this.ensure(directory);
      return work();
    }
  }

  /**
   * Syncs a directory. Callers during a sync share the next one.
   */
  sync(directory: string): Promise<void> {
    if (this.#due) {
      this.#due.add(directory);
      return Promise.resolve();
    }
    const waiting = this.#waiting.get(directory);
    if (waiting) return waiting;
    const before = this.#underway.get(directory) ?? Promise.resolve();
    const syncing = before
      .catch(() => undefined)
      .then(async () => {
        this.#waiting.delete(directory);
        const now = this.#sync(directory);
        this.#underway.set(directory, now);
        await now.finally(() => this.#underway.delete(directory));
      });
    this.#waiting.set(directory, syncing);
    return syncing;
  }

  async #sync(directory: string): Promise<void> {
    try {
      const handle = await this.#fileSystem.open(directory, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!CANNOT_SYNC_DIRECTORIES.has(codeOf(error) ?? '')) throw error;
    }
  }

  async #make(directory: string): Promise<void> {
    const parent = dirname(directory);
    await this.ensure(parent);
    await this.#fileSystem.mkdir(directory).catch(unlessThere);
    if ((await this.#fileSystem.lstat(directory)).isSymbolicLink()) throw foundLink();
    // also if it existed before: another process may have made it and not synced it yet
    await this.sync(parent);
  }

  async #makeRoot(): Promise<void> {
    await this.#makeUp(this.#root);
    await this.#syncAbove(this.#root);
  }

  /**
   * Makes a directory and those above it. Node's recursive mkdir is not used: it never returns if
   * the file system answers ENOENT below an existing directory (as /proc does).
   */
  async #makeUp(directory: string): Promise<void> {
    const parent = dirname(directory);
    try {
      await this.#fileSystem.mkdir(directory);
    } catch (error) {
      if (await this.#isDirectory(directory)) return;
      if (codeOf(error) !== 'ENOENT') throw error;
      // another run may have made it since
      if (!(await this.#isDirectory(parent))) await this.#makeUp(parent);
      await this.#fileSystem.mkdir(directory).catch(unlessThere);
    }
  }

  /** Syncs directories that existed before, too: the process that made them may have been killed before the sync. */
  async #syncAbove(directory: string): Promise<void> {
    for (let at = directory; at !== dirname(at); at = dirname(at)) {
      try {
        await this.#sync(dirname(at));
      } catch (error) {
        // a directory that we cannot read is not one that we have written to
        if (codeOf(error) !== 'EACCES') throw error;
      }
    }
  }

  async #isDirectory(path: string): Promise<boolean> {
    try {
      return (await this.#fileSystem.stat(path)).isDirectory();
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      throw error;
    }
  }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function foundLink(): Error {
  return Object.assign(new Error('a symbolic link'), { code: 'ELOOP' });
}
