/**
 * The directory of staged files. It is inside the archive, so that a rename never crosses file systems; `list` leaves it out.
 * The name of a file identifies its owner, so what dead processes have left can be removed.
 */
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import type { Processes, ProcessIdentity } from '../../base/process-identity.js';
import type { LocalPaths } from './local-files.js';
import type { DurableDirectories } from './durable-directories.js';
import { type FileSystem } from './file-system.js';
import { sha256Hex } from '../../base/digest.js';
import { groupBy } from '../../base/group-by.js';
import type { SweepChoice } from '../storage.js';

/** One storage instance of one process. */
interface StagingOwner {
  /** The prefix of all its names. */
  readonly prefix: string;
  /** Unknown: of another machine, or from before the last boot. */
  readonly life: 'alive' | 'dead' | 'unknown';
}

const NAME =
  /^(?<prefix>(?<machine>[0-9a-f]{16})-(?<pid>\d+)-(?<started>\w+)-[0-9a-f]{16})-\d+(?:\.[0-9a-f]{64})?$/;

/** @param instance 16 hexadecimal digits, so that two storages of a process never pick the same name */
export function stagingPrefix(self: ProcessIdentity, instance: string): string {
  return `${machineOf(self)}-${self.pid}-${self.started}-${instance}`;
}

/** A name in another form is its own owner. */
export function stagingOwnerOf(name: string, processes: Processes): StagingOwner {
  const { self } = processes;
  const { prefix = name, machine, pid, started = '' } = NAME.exec(name)?.groups ?? {};
  if (machine !== machineOf(self)) return { prefix, life: 'unknown' };
  const isDead = processes.isDead({ ...self, pid: Number(pid), started });
  return { prefix, life: isDead ? 'dead' : 'alive' };
}

function machineOf({ host, boot }: ProcessIdentity): string {
  return sha256Hex(JSON.stringify([host, boot])).slice(0, 16);
}

export interface SweepOptions {
  readonly fileSystem: FileSystem;
  /** Absolute; may be missing. */
  readonly staging: string;
  readonly processes: Processes;
  /** An unused name: a file is made there to read the time of the file system. */
  readonly probe: string;
  /** The place is not jobvault's own: what is named in another way is somebody else's. Default false */
  readonly isShared?: boolean | undefined;
}

/** For processes on other machines; longer than any checkpoint takes. */
const FORGOTTEN_MS = 24 * 3_600_000;

/** Removes the staged files that dead processes have left behind. @returns how many. Throws what the file system throws. */
export async function sweepStaging(options: SweepOptions): Promise<number> {
  const { fileSystem, staging } = options;
  let removed = 0;
  for (const names of await abandonedNames(options)) {
    for (const name of names) {
      await fileSystem.unlink(join(staging, name)).catch(unlessGone);
      removed++;
    }
  }
  return removed;
}

async function abandonedNames(options: SweepOptions): Promise<(readonly string[])[]> {
  return (await standingOf(options)).dead;
}

/** Counts the staged files that a sweep leaves because nobody knows whether their writers live. Throws what the file system throws. */
export async function countUnknown(options: SweepOptions): Promise<number> {
  return (await standingOf(options)).unknown.flat().length;
}

/** The names of the writers that are dead, and of those of whom nobody knows, a group for each. */
async function standingOf(options: SweepOptions) {
  const names = await stagedNames(options);
  const owners = new Map(
    names.map((name) => [name, stagingOwnerOf(name, options.processes)] as const),
  );
  const ofOwner = groupBy(names, (name) => owners.get(name)?.prefix);
  const all = [...ofOwner.values()];
  const lifeOf = ([first = '']: readonly string[]) => owners.get(first)?.life;
  const dead: (readonly string[])[] = all.filter((group) => lifeOf(group) === 'dead');
  const elsewhere = all.filter((group) => lifeOf(group) === 'unknown');
  const unknown: (readonly string[])[] = [];
  if (elsewhere.length === 0) return { dead, unknown };
  const before = (await presentOf(options)) - FORGOTTEN_MS;
  for (const group of elsewhere) {
    if ((await lastChangeOf(options, group)) < before) dead.push(group);
    else unknown.push(group);
  }
  return { dead, unknown };
}

async function stagedNames({ fileSystem, staging, isShared }: SweepOptions): Promise<string[]> {
  const entries = await fileSystem.readdir(staging, { withFileTypes: true }).catch(unlessGone);
  const names = (entries ?? []).filter((entry) => entry.isFile()).map(({ name }) => name);
  return isShared === true ? names.filter((name) => NAME.test(name)) : names;
}

/** The time of the file system in milliseconds since 1970 UTC; a file server has its own clock. */
async function presentOf({ fileSystem, staging, probe }: SweepOptions): Promise<number> {
  const path = join(staging, probe);
  const handle = await fileSystem.open(path, 'wx');
  try {
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
    await fileSystem.unlink(path);
  }
}

/** The age of an owner is that of its newest file: files that wait for a checkpoint do not change. */
async function lastChangeOf(
  { fileSystem, staging }: SweepOptions,
  names: readonly string[],
): Promise<number> {
  const changes = names.map((name) => fileSystem.stat(join(staging, name)).catch(unlessGone));
  return Math.max(...(await Promise.all(changes)).map((stats) => stats?.mtimeMs ?? 0));
}

function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

export const STAGING = '_staging';

/** Attempts: another process that closes may remove the empty directory before we open a file in it. */
const ATTEMPTS = 20;

interface StagingDirectoryParts {
  readonly root: string;
  readonly fileSystem: FileSystem;
  readonly processes: Processes;
  readonly paths: LocalPaths;
  readonly directories: DurableDirectories;
}

/** Every method throws what the file system throws. */
export class StagingDirectory {
  /** Absolute. */
  readonly directory: string;
  /** Prefix of the names of our own staged files. */
  readonly #prefix: string;
  #count = 0;
  readonly #parts: StagingDirectoryParts;

  constructor(parts: StagingDirectoryParts) {
    this.#parts = parts;
    this.directory = join(parts.root, STAGING);
    this.#prefix = stagingPrefix(parts.processes.self, randomBytes(8).toString('hex'));
  }

  /** A unique name. */
  nextName(): string {
    return `${this.#prefix}-${this.#count++}`;
  }

  fileOf(name: string): string {
    return join(this.directory, name);
  }

  /** @throws {SymbolicLinkError} a link stands in its place */
  async ensure(): Promise<void> {
    await this.#inside(() => Promise.resolve());
  }

  /** Makes a new file. @throws as `ensure` */
  async create(name: string): Promise<FileHandle> {
    return this.#inside(() => this.#parts.fileSystem.open(this.fileOf(name), 'wx'));
  }

  /** Removes the staged files of dead writers. @returns how many files */
  async sweep({ isShared }: SweepChoice = {}): Promise<number> {
    return sweepStaging({ ...(await this.#sweeping()), isShared });
  }

  /** Counts the staged files of writers of whom nobody knows whether they live. */
  async countElsewhere(): Promise<number> {
    return countUnknown(await this.#sweeping());
  }

  async #sweeping(): Promise<SweepOptions> {
    const { fileSystem, processes, paths } = this.#parts;
    await paths.fileOf(STAGING);
    return { fileSystem, processes, staging: this.directory, probe: this.nextName() };
  }

  /** Removes the directory if it is empty. */
  async removeIfEmpty(): Promise<void> {
    const { fileSystem, directories } = this.#parts;
    directories.forget(this.directory);
    await fileSystem.rmdir(this.directory).catch(() => undefined);
  }

  async #inside<T>(work: () => Promise<T>): Promise<T> {
    const { directories, paths, root } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      try {
        await directories.ensure(this.directory);
        return await work();
      } catch (error) {
        await paths.fileOf(STAGING);
        if (codeOf(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
        directories.forget(root);
      }
    }
  }
}
