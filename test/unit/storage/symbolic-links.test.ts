import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemFileSystem, type FileSystem } from '../../../src/storage/local/file-system.js';
import { hashThreadsOf } from '../../../src/storage/local/hash-threads.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { SymbolicLinkError } from '../../../src/storage/storage-errors.js';
import type { Storage } from '../../../src/storage/storage.js';
import { pathsOf } from '../../conformance/storage-bytes.js';
import { fault } from '../../support/base/fault.js';

let parent: string;
let directory: string;
let storage: Storage;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'jobvault-links-'));
  directory = join(parent, 'archive');
  storage = createLocalStorage({ directory });
  await storage.put('own/x', Buffer.from('own'));
  await mkdir(join(parent, 'outside', 'b'), { recursive: true });
  await writeFile(join(parent, 'outside', 'secret'), 'secret');
  await writeFile(join(parent, 'outside', 'b', 'c'), 'secret');
});
afterEach(async () => {
  await storage.close();
  await rm(parent, { recursive: true });
});

const bytes = Buffer.from('new');

/** Everything that a storage can do with a path. */
const operations: Record<string, (path: string) => Promise<unknown>> = {
  get: (path) => storage.get(path),
  read: async (path) => {
    for await (const chunk of storage.read(path)) return chunk;
    return undefined;
  },
  'read a range': async (path) => {
    for await (const chunk of storage.read(path, { start: 1, end: 3 })) return chunk;
    return undefined;
  },
  'hash in a thread': async (path) => {
    await using threads = hashThreadsOf(storage);
    await threads?.digest(path);
  },
  stat: (path) => storage.stat(path),
  put: (path) => storage.put(path, bytes),
  'put if absent': (path) => storage.putIfAbsent(path, bytes),
  'replace if unchanged': (path) => storage.compareAndSwap(path, Buffer.from('secret'), bytes),
  publish: async (path) => {
    const staged = await storage.stage();
    await staged.write(bytes);
    await staged.close();
    await staged.publish(path);
  },
  delete: (path) => storage.delete(path),
  'list below': (path) => pathsOf(storage, `${path}/`),
};

/** Every file and link below a directory, with what it holds. Node 26 follows links where it lists recursively. */
async function contentOf(directoryPath: string, below = ''): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const entry of await readdir(directoryPath, { withFileTypes: true })) {
    const path = join(directoryPath, entry.name);
    const name = join(below, entry.name);
    if (entry.isSymbolicLink()) content[name] = `-> ${await readlink(path)}`;
    else if (entry.isFile()) content[name] = await readFile(path, 'utf8');
    else if (entry.isDirectory()) Object.assign(content, await contentOf(path, name));
  }
  return content;
}

async function link(at: string, to: string): Promise<void> {
  await mkdir(dirname(join(directory, at)), { recursive: true });
  await symlink(to, join(directory, at));
}

describe.each(Object.entries(operations))('a storage on disk asked to %s', (_name, operate) => {
  it.each([
    ['a file outside', 'a/link', '../../outside/secret', 'a/link'],
    ['a file inside', 'a/link', '../own/x', 'a/link'],
    ['nothing', 'a/link', '../../outside/nothing', 'a/link'],
    ['a directory outside, at the top', 'a', '../outside', 'a/b/c'],
    ['a directory outside, further down', 'a/b', '../../outside/b', 'a/b/c'],
    ['its parent', 'a/b', '..', 'a/b/own/x'],
    ['an absolute path', 'a', '/', `a${tmpdir()}/x`],
  ])('the storage follows no link to %s', fault('F-62'), async (_what, at, to, path) => {
    await link(at, to);
    const before = await contentOf(parent);
    const asked = operate(path);
    await expect(asked).rejects.toThrow(SymbolicLinkError);
    await expect(asked).rejects.toThrow(`${at} in ${directory} is a symbolic link`);
    await storage.close();
    expect(await contentOf(parent)).toEqual(before);
  });
});

it('stages nothing and sweeps nothing through a link', async () => {
  await storage.close();
  await link('_staging', '../outside');
  const long = new Date(Date.now() - 100 * 3_600_000);
  await utimes(join(parent, 'outside', 'secret'), long, long);
  const before = await contentOf(parent);
  await expect(storage.sweep()).rejects.toThrow('_staging in');
  await expect(storage.stage()).rejects.toThrow(SymbolicLinkError);
  await expect(storage.put('z', bytes)).rejects.toThrow(SymbolicLinkError);
  expect(await contentOf(parent)).toEqual(before);
});

it('lists what is there itself, and no links', async () => {
  await link('a/file', '../../outside/secret');
  await link('a/directory', '../../outside');
  await link('a/up', '..');
  expect(await pathsOf(storage, '')).toEqual(['own/x']);
  expect(await pathsOf(storage, 'a/')).toEqual([]);
});

it('works where the directory itself is a link, or lies behind one', async () => {
  await symlink('archive', join(parent, 'alias'));
  await symlink('.', join(parent, 'here'));
  for (const place of ['alias', 'here/archive', 'here/alias']) {
    const other = createLocalStorage({ directory: join(parent, place) });
    await other.put('own/x', Buffer.from(place));
    expect(Buffer.from(await other.get('own/x')).toString()).toBe(place);
    expect(await pathsOf(other, '')).toEqual(['own/x']);
    await other.close();
  }
  expect((await lstat(join(parent, 'alias'))).isSymbolicLink()).toBe(true);
});

/** Somebody swaps a directory for a link right before it is used. */
function swapping(before: keyof FileSystem): FileSystem {
  let isSwapped = false;
  const operation = systemFileSystem[before] as (...args: unknown[]) => Promise<unknown>;
  return {
    ...systemFileSystem,
    [before]: async (...args: unknown[]) => {
      if (!isSwapped && String(args[0]).includes(`own`)) {
        isSwapped = true;
        await rename(join(directory, 'own'), join(directory, 'gone'));
        await symlink('../outside', join(directory, 'own'));
      }
      return operation(...args);
    },
  };
}

it('hands out nothing of a file that was opened through a link which came meanwhile', async () => {
  await storage.put('own/secret', Buffer.from('own'));
  for (const [before, operate] of [
    ['open', operations['get']],
    ['open', operations['read']],
  ] as const) {
    storage = createLocalStorage({ directory, fileSystem: swapping(before) });
    await expect(operate?.('own/secret')).rejects.toThrow(SymbolicLinkError);
    await rm(join(directory, 'own'));
    await rename(join(directory, 'gone'), join(directory, 'own'));
  }
});

it('reads nothing where a link has taken the place of a directory that it has read from', async () => {
  expect(Buffer.from(await storage.get('own/x')).toString()).toBe('own');
  await storage.put('own/secret', Buffer.from('own'));
  await rename(join(directory, 'own'), join(directory, 'gone'));
  await symlink('../outside', join(directory, 'own'));
  for (const read of ['get', 'read', 'stat']) {
    await expect(operations[read]?.('own/secret')).rejects.toThrow(SymbolicLinkError);
  }
});

it('opens no file that a link has taken the place of meanwhile', async () => {
  const fileSystem: FileSystem = {
    ...systemFileSystem,
    open: async (path, flags) => {
      await rm(path);
      await symlink(join(parent, 'outside', 'secret'), path);
      return systemFileSystem.open(path, flags);
    },
  };
  const other = createLocalStorage({ directory, fileSystem });
  await expect(other.get('own/x')).rejects.toThrow(SymbolicLinkError);
});
