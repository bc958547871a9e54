import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sha256Hex } from '../../../../src/base/digest.js';
import { systemFileSystem } from '../../../../src/storage/local/file-system.js';
import { HashThreads, hashThreadsOf } from '../../../../src/storage/local/hash-threads.js';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { fault } from '../../../support/base/fault.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-threads-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

it('a thread that ends before its answer leaves the file to others, and is replaced', async () => {
  const threads = new HashThreads(directory, directory);
  await writeFile(join(directory, 'a'), 'abc');
  const asked = threads.digest('a');
  await threads[Symbol.asyncDispose]();
  expect(await asked).toBeUndefined();
  expect(await threads.digest('a')).toEqual({ bytes: 3, sha256: sha256Hex('abc') });
  await threads[Symbol.asyncDispose]();
});

it(
  'a thread keeps the program running until it has ended, though its last answer comes before',
  fault('F-84'),
  async () => {
    const released = vi.spyOn(Worker.prototype, 'unref');
    const ended = vi.spyOn(Worker.prototype, 'terminate');
    const threads = new HashThreads(directory, directory);
    await writeFile(join(directory, 'a'), 'abc');
    const asked = threads.digest('a');
    await threads[Symbol.asyncDispose]();
    await asked;
    const [end = 0] = ended.mock.invocationCallOrder;
    expect(end).toBeGreaterThan(0);
    expect(released.mock.invocationCallOrder.filter((call) => call > end)).toEqual([]);
  },
);

it('an error of a thread is the same as if the file had been read in the main thread', async () => {
  await using threads = new HashThreads(directory, directory);
  const path = 'long'.repeat(100);
  await expect(threads.digest(path)).rejects.toThrow(
    `cannot read ${path} in ${directory}: the path is too long for the file system (ENAMETOOLONG)`,
  );
});

it('a listing has the digests of those objects that it is asked for, in order', async () => {
  const storage = createLocalStorage({ directory });
  const contents = { 'a/b': 'abc', 'a/c/d': '', 'a/c/e': 'not asked for', f: 'xyz' };
  for (const [path, text] of Object.entries(contents)) await storage.put(path, Buffer.from(text));
  const listed: unknown[] = [];
  const isWanted = (path: string) => path !== 'a/c/e';
  await using threads = new HashThreads(directory, directory);
  for await (const { path, bytes, sha256 } of threads.list(isWanted)) {
    listed.push({ path, bytes, sha256 });
  }
  const expected = Object.entries(contents).map(([path, text]) => {
    return { path, bytes: text.length, sha256: isWanted(path) ? sha256Hex(text) : undefined };
  });
  expect(listed).toEqual(expected);
  await storage.close();
});

it('a listing has every object, also those that its threads have not hashed when they end', async () => {
  const threads = new HashThreads(directory, directory);
  await writeFile(join(directory, 'a'), 'abc');
  const look = threads.quickLook(() => true);
  const asked = look(['a', 'gone']);
  await threads[Symbol.asyncDispose]();
  expect(await asked).toEqual([undefined, undefined]);
  expect(await look(['a', 'gone'])).toMatchObject([
    { path: 'a', sha256: sha256Hex('abc') },
    undefined,
  ]);
  await threads[Symbol.asyncDispose]();
});

it('a listing hashes nothing behind a link, and no file above 8 MiB', async () => {
  const threads = new HashThreads(directory, directory);
  await mkdir(join(directory, 'own'));
  await writeFile(join(directory, 'own', 'a'), 'abc');
  await symlink('own', join(directory, 'other'));
  await symlink('a', join(directory, 'own', 'b'));
  await writeFile(join(directory, 'own', 'large'), '');
  await truncate(join(directory, 'own', 'large'), 8 * 1024 * 1024 + 1);
  const look = threads.quickLook(() => true);
  expect(await look(['other/a'])).toEqual([undefined]);
  expect(await look(['own/b', 'own/large', 'own/a'])).toMatchObject([
    undefined,
    { bytes: 8 * 1024 * 1024 + 1, sha256: undefined },
    { bytes: 3, sha256: sha256Hex('abc') },
  ]);
  await threads[Symbol.asyncDispose]();
});

it('a storage with a file system of its own leaves no file to threads', async () => {
  const storage = createLocalStorage({ directory, fileSystem: { ...systemFileSystem } });
  await writeFile(join(directory, 'a'), 'abc');
  expect(hashThreadsOf(storage)).toBeUndefined();
  await storage.close();
});

it('objects of a directory are read together, but for links, and what is too large or missing', async () => {
  await using threads = new HashThreads(directory, directory);
  await mkdir(join(directory, 'own'));
  await symlink('own', join(directory, 'other'));
  for (const [name, text] of Object.entries({ a: 'abc', empty: '', large: 'large' })) {
    await writeFile(join(directory, 'own', name), text);
  }
  await symlink('a', join(directory, 'own', 'link'));
  const names = ['a', 'empty', 'large', 'link', 'not there'];
  const contents = await threads.contents(
    names.map((name) => `own/${name}`),
    4,
  );
  expect(contents.map((bytes) => bytes && Buffer.from(bytes).toString())).toEqual([
    'abc',
    '',
    undefined,
    undefined,
    undefined,
  ]);
  expect(await threads.contents(['other/a'], 4)).toEqual([undefined]);
});

it('a listing of a folder begins after a path', async () => {
  await using threads = new HashThreads(directory, directory);
  for (const folder of ['a', 'b']) {
    await mkdir(join(directory, folder));
    for (const name of ['1', '2', '3']) await writeFile(join(directory, folder, name), name);
  }
  const listed: string[] = [];
  const range = { prefix: 'b/', after: 'b/1' };
  for await (const { path } of threads.list(() => false, range)) listed.push(path);
  expect(listed).toEqual(['b/2', 'b/3']);
});
