/**
 * One process at a time for one object: what a file system lacks to compare and write in one step. Whoever
 * wants it makes a file of its own beside the others' and then looks who else has one. Of two that come at
 * the same time at least one sees the other, so they are never both alone.
 */
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sha256Hex } from '../../base/digest.js';
import { codeOf } from '../../base/error.js';
import type { FileSystem } from './file-system.js';
import type { Processes } from '../../base/process-identity.js';
import { stagingOwnerOf } from './staging-names.js';
import { StorageError } from '../storage-error.js';

export interface ClaimOptions {
  readonly fileSystem: FileSystem;
  readonly processes: Processes;
  /** Absolute; it must be there. */
  readonly directory: string;
  /** As the staged files are named, and like no other: tells whose it is. */
  readonly name: string;
  /** What it is about. */
  readonly path: string;
}

const LOOK_MS = 3;
/** A claim is held for a few writes. One of another machine that is held so long will not be given back. */
const PATIENCE_MS = 30_000;

/** @throws {StorageError} another does not give it back. Throws what the file system and `work` throw. */
export async function withClaim<T>(options: ClaimOptions, work: () => Promise<T>): Promise<T> {
  const { fileSystem, directory, name, path } = options;
  const suffix = `.${sha256Hex(path)}`;
  const claim = join(directory, name + suffix);
  const until = performance.now() + PATIENCE_MS;
  try {
    for (;;) {
      await make(fileSystem, claim);
      // The first by name stays and waits; the others make way for it and come back.
      let others = await livingClaims(options, suffix);
      while (others.length > 0 && others.every((other) => basename(claim) < other)) {
        await waitBefore(until, path);
        others = await livingClaims(options, suffix);
      }
      if (others.length === 0) return await work();
      await fileSystem.unlink(claim);
      await waitBefore(until, path);
    }
  } finally {
    await fileSystem.unlink(claim).catch(unlessGone);
  }
}

async function make(fileSystem: FileSystem, claim: string): Promise<void> {
  await (await fileSystem.open(claim, 'wx')).close();
}

async function livingClaims(options: ClaimOptions, suffix: string): Promise<string[]> {
  const { fileSystem, processes, directory, name } = options;
  const entries = await fileSystem.readdir(directory, { withFileTypes: true });
  return entries
    .map((entry) => entry.name)
    .filter((other) => other.endsWith(suffix) && other !== name + suffix)
    .filter((other) => stagingOwnerOf(other, processes).life !== 'dead');
}

async function waitBefore(until: number, path: string): Promise<void> {
  if (performance.now() > until) {
    throw new StorageError(`cannot write ${path}: another process has been at it for long`);
  }
  await wait(LOOK_MS * (1 + Math.random()));
}

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
