import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256Hex } from '../../../../src/base/digest.js';
import { systemFileSystem } from '../../../../src/storage/local/file-system.js';
import { HashThreads } from '../../../../src/storage/local/hash-threads.js';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { LocalPaths } from '../../../../src/storage/local-paths.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-threads-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

it('a thread that ends before it has answered leaves the file to others, and the next has a new one', async () => {
  const threads = new HashThreads(new LocalPaths(systemFileSystem, directory, directory));
  await writeFile(join(directory, 'a'), 'abc');
  const asked = threads.digest('a');
  await threads.close();
  expect(await asked).toBeUndefined();
  expect(await threads.digest('a')).toEqual({ bytes: 3, sha256: sha256Hex('abc') });
  await threads.close();
});

it('why a thread could not read a file is told as if it had been read here', async () => {
  const storage = createLocalStorage({ directory });
  const path = 'long'.repeat(100);
  await expect(storage.digest?.(path)).rejects.toThrow(
    `cannot read ${path} in ${directory}: the path is too long for the file system (ENAMETOOLONG)`,
  );
  await storage.close();
});

it('a storage with a file system of its own leaves no file to threads', async () => {
  const storage = createLocalStorage({ directory, fileSystem: { ...systemFileSystem } });
  await writeFile(join(directory, 'a'), 'abc');
  expect(await storage.digest?.('a')).toBeUndefined();
  await storage.close();
});
