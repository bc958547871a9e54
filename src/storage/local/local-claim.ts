/**
 * A lock on one object, held by one process at a time: a file system cannot compare and write in one step.
 * Each process makes its own claim file and then lists those of others. If two claim at the same time, at least
 * one sees the other's file, so they never both hold the lock.
 */
import { basename, join } from 'node:path';
import type { Clock } from '../../base/runtime.js';
import { sha256Hex } from '../../base/digest.js';
import { codeOf } from '../../base/error.js';
import type { FileSystem } from './file-system.js';
import type { Processes } from '../../base/process-identity.js';
import { stagingOwnerOf } from './staging-directory.js';
import { StorageError } from '../storage-errors.js';

export interface ClaimOptions {
  readonly fileSystem: FileSystem;
  readonly processes: Processes;
  readonly clock: Clock;
  /** Absolute; must exist. */
  readonly directory: string;
  /** Unique, and named like a staged file, so that it identifies the process. */
  readonly name: string;
  /** The locked object. */
  readonly path: string;
}

/** Each wait is longer than the previous one by this step, up to the longest. */
const WAIT_STEP_MS = 3;
const LONGEST_WAIT_MS = 60;
/** A claim is held for a few writes. If another machine holds it longer than this, it will not be released. */
const TIMEOUT_MS = 30_000;
/**
 * After that, a claim of a process of which nobody knows whether it lives is that of a machine that has lost its power. One
 * that was only suspended for so long may, when it wakes, replace what was written meanwhile.
 */
const FORGOTTEN_MS = 5 * 60_000;

/** @throws {StorageError} another process does not release its claim. Throws what the file system and `work` throw. */
export async function withClaim<T>(options: ClaimOptions, work: () => Promise<T>): Promise<T> {
  const { fileSystem, directory, name, path } = options;
  const suffix = `.${sha256Hex(path)}`;
  const claim = join(directory, name + suffix);
  const wait = waitFor(options);
  try {
    for (;;) {
      const madeAtMs = await make(fileSystem, claim);
      // the first by name keeps its claim and waits; the others withdraw theirs and claim again
      let others = await livingClaims(options, suffix, madeAtMs);
      while (others.length > 0 && others.every((other) => basename(claim) < other)) {
        await wait();
        others = await livingClaims(options, suffix, madeAtMs);
      }
      if (others.length === 0) return await work();
      await fileSystem.unlink(claim);
      await wait();
    }
  } finally {
    await fileSystem.unlink(claim).catch(unlessGone);
  }
}

/** @returns the time of the file system: a file server has its own clock */
async function make(fileSystem: FileSystem, claim: string): Promise<number> {
  const handle = await fileSystem.open(claim, 'wx');
  try {
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
  }
}

async function livingClaims(
  options: ClaimOptions,
  suffix: string,
  nowMs: number,
): Promise<string[]> {
  const { fileSystem, processes, directory, name } = options;
  const entries = await fileSystem.readdir(directory, { withFileTypes: true });
  const others = entries
    .map((entry) => entry.name)
    .filter((other) => other.endsWith(suffix) && other !== name + suffix);
  const living: string[] = [];
  for (const other of others) {
    const { life } = stagingOwnerOf(other, processes);
    if (life === 'dead') continue;
    if (life === 'unknown') {
      const stats = await fileSystem.stat(join(directory, other)).catch(unlessGone);
      if (!stats || stats.mtimeMs < nowMs - FORGOTTEN_MS) continue;
    }
    living.push(other);
  }
  return living;
}

/** Waits once. @throws {StorageError} the timeout is over */
function waitFor({ clock, path }: ClaimOptions): () => Promise<void> {
  const until = clock.monotonic() + TIMEOUT_MS;
  let waitMs = 0;
  return async () => {
    if (clock.monotonic() > until) {
      throw new StorageError(
        `cannot write ${path}: another process has locked it for ${TIMEOUT_MS / 1000} s`,
        { trouble: 'locked' },
      );
    }
    waitMs = Math.min(waitMs + WAIT_STEP_MS, LONGEST_WAIT_MS);
    await clock.sleep(waitMs);
  };
}

function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}
