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

/** @throws {StorageError} another process does not release its claim. Throws what the file system and `work` throw. */
export async function withClaim<T>(options: ClaimOptions, work: () => Promise<T>): Promise<T> {
  const { fileSystem, directory, name, path } = options;
  const suffix = `.${sha256Hex(path)}`;
  const claim = join(directory, name + suffix);
  const wait = waitFor(options);
  try {
    for (;;) {
      await make(fileSystem, claim);
      // the first by name keeps its claim and waits; the others withdraw theirs and claim again
      let others = await livingClaims(options, suffix);
      while (others.length > 0 && others.every((other) => basename(claim) < other)) {
        await wait();
        others = await livingClaims(options, suffix);
      }
      if (others.length === 0) return await work();
      await fileSystem.unlink(claim);
      await wait();
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

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
