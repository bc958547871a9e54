/** Removes the staged files that dead processes have left behind. */
import { join } from 'node:path';
import { codeOf } from '../../base/error.js';
import { groupBy } from '../../base/group-by.js';
import type { FileSystem } from './file-system.js';
import type { Processes } from '../../base/process-identity.js';
import { stagingOwnerOf } from './staging-names.js';

export interface SweepOptions {
  readonly fileSystem: FileSystem;
  /** Absolute; may be missing. */
  readonly staging: string;
  readonly processes: Processes;
  /** An unused name: a file is made there to read the time of the file system. */
  readonly probe: string;
}

/** For processes on other machines; longer than any checkpoint takes. */
const FORGOTTEN_MS = 24 * 3_600_000;

/** Returns how many files were removed. Throws what the file system throws. */
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
  const names = await stagedNames(options);
  const owners = new Map(
    names.map((name) => [name, stagingOwnerOf(name, options.processes)] as const),
  );
  const ofOwner = groupBy(names, (name) => owners.get(name)?.prefix);
  const all = [...ofOwner.values()];
  const lifeOf = ([first = '']: readonly string[]) => owners.get(first)?.life;
  const dead = all.filter((group) => lifeOf(group) === 'dead');
  const unknown = all.filter((group) => lifeOf(group) === 'unknown');
  if (unknown.length === 0) return dead;
  const before = (await presentOf(options)) - FORGOTTEN_MS;
  for (const group of unknown) {
    if ((await lastChangeOf(options, group)) < before) dead.push(group);
  }
  return dead;
}

async function stagedNames({ fileSystem, staging }: SweepOptions): Promise<string[]> {
  const entries = await fileSystem.readdir(staging, { withFileTypes: true }).catch(unlessGone);
  return (entries ?? []).filter((entry) => entry.isFile()).map(({ name }) => name);
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
