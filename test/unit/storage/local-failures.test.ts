import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/storage/storage-errors.js';
import { systemFileSystem, type FileSystem } from '../../../src/storage/local/file-system.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import type { Storage } from '../../../src/storage/storage.js';
import { fault } from '../../support/base/fault.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-failures-'));
});
afterEach(() => rm(directory, { recursive: true }));

/**
 * The real file system, whose `failing`-th change or sync fails; `calls()` tells how many there were. Above
 * the archive nothing is refused with EACCES: who may not read there has made nothing there.
 */
function failingFileSystem(
  code: string,
  failing: number,
  archive: string,
): { fs: FileSystem; calls: () => number } {
  const isPassedBy = (path: string) =>
    code === 'EACCES' && archive.startsWith(path.endsWith(sep) ? path : path + sep);
  let calls = 0;
  const step = (): void => {
    if (calls++ === failing) throw Object.assign(new Error(`${code}: made up`), { code });
  };
  const changing =
    <A extends unknown[], R>(operation: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      step();
      return operation(...args);
    };
  const fs = {
    ...systemFileSystem,
    link: changing(systemFileSystem.link),
    mkdir: changing(systemFileSystem.mkdir),
    rename: changing(systemFileSystem.rename),
    open: async (path: string, flags: string) => {
      if (isPassedBy(path)) return systemFileSystem.open(path, flags);
      step();
      const handle = await systemFileSystem.open(path, flags);
      const close = handle.close.bind(handle);
      return Object.assign(handle, {
        write: changing(handle.write.bind(handle) as (...args: unknown[]) => Promise<unknown>),
        sync: changing(handle.sync.bind(handle)),
        close: async () => {
          await close();
          step();
        },
      });
    },
  } as unknown as FileSystem;
  return { fs, calls: () => calls };
}

const writes: Record<string, (storage: Storage) => Promise<unknown>> = {
  put: (storage) => storage.put('tables/jobs/x', Buffer.from('new bytes')),
  'put if absent': (storage) => storage.putIfAbsent('_commits/1', Buffer.from('new bytes')),
  'a staged object': async (storage) => {
    const staged = await storage.stage();
    try {
      await staged.write(Buffer.from('new '));
      await staged.write(Buffer.from('bytes'));
      await staged.close();
      await staged.publish('artifacts/aa/x');
    } finally {
      await staged.discard();
    }
  },
  'a staged object that is synced ahead': async (storage) => {
    const staged = await storage.stage();
    try {
      await staged.write(Buffer.from('new bytes'));
      await staged.close();
      // who publishes it all the same is told the same
      await staged.sync?.().catch((error: unknown) => expect(error).toBeInstanceOf(StorageError));
      await staged.publish('artifacts/aa/x');
    } finally {
      await staged.discard();
    }
  },
};

describe.each(Object.entries(writes))('when the disk fails during %s', (_name, write) => {
  it.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO'])(
    'every step that fails with %s ends in one clear sentence and no temporary file',
    fault('F-27'),
    async (code) => {
      let failed = 0;
      for (let failing = 0; ; failing++) {
        const archive = join(directory, String(failing));
        const { fs, calls } = failingFileSystem(code, failing, archive);
        const storage = createLocalStorage({ directory: archive, fileSystem: fs });
        const thrown: unknown = await write(storage).then(
          () => undefined,
          (error: unknown) => error,
        );
        const staged = await readdir(join(archive, '_staging')).catch(() => []);
        expect(staged).toEqual([]);
        await storage.close();
        if (calls() <= failing) break;
        failed++;
        expect(thrown).toBeInstanceOf(StorageError);
        expect((thrown as StorageError).message).toMatch(
          new RegExp(
            `^cannot write ((tables|_commits|artifacts)/\\S+|a new file) in \\S+: .*\\(${code}\\)$`,
          ),
        );
        expect((thrown as StorageError).cause).toMatchObject({ code });
      }
      expect(failed).toBeGreaterThanOrEqual(8);
    },
  );
});

it('keeps the old bytes when an object cannot be replaced', async () => {
  await createLocalStorage({ directory }).put('x', Buffer.from('old'));
  const fileSystem: FileSystem = {
    ...systemFileSystem,
    rename: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
  };
  const storage = createLocalStorage({ directory, fileSystem });
  await expect(storage.put('x', Buffer.from('new'))).rejects.toThrow(
    `cannot write x in ${directory}: no space is left on the device (ENOSPC)`,
  );
  expect(Buffer.from(await storage.get('x')).toString()).toBe('old');
});

it('goes on when a nearly full disk takes a chunk bit by bit', async () => {
  const fileSystem = {
    ...systemFileSystem,
    open: async (path: string, flags: string) => {
      const handle = await systemFileSystem.open(path, flags);
      const write = handle.write.bind(handle);
      return Object.assign(handle, {
        write: (bytes: Uint8Array, offset: number) =>
          write(bytes, offset, Math.min(7, bytes.length - offset)),
      });
    },
  } as unknown as FileSystem;
  const storage = createLocalStorage({ directory, fileSystem });
  await storage.put('x', Buffer.from('a sentence of more than seven bytes'));
  expect(Buffer.from(await storage.get('x')).toString()).toBe(
    'a sentence of more than seven bytes',
  );
});

it('says what it could not read, list or delete', async () => {
  const refuse = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));
  const fileSystem = {
    ...systemFileSystem,
    open: refuse,
    lstat: refuse,
    readdir: refuse,
    unlink: refuse,
  } as FileSystem;
  const storage = createLocalStorage({ directory, fileSystem });
  const denied = (action: string): string =>
    `cannot ${action} in ${directory}: permission is denied (EACCES)`;
  await expect(storage.get('a/b')).rejects.toThrow(denied('read a/b'));
  await expect(storage.stat('a/b')).rejects.toThrow(denied('read a/b'));
  await expect(storage.delete('a/b')).rejects.toThrow(denied('delete a/b'));
  await expect(first(storage.read('a/b'))).rejects.toThrow(denied('read a/b'));
  await expect(first(storage.list('a/'))).rejects.toThrow(denied('list a/'));
  await expect(first(storage.list(''))).rejects.toThrow(denied('list the files'));
});

it('says so when a file stands where the archive should be', async () => {
  const file = join(directory, 'file');
  await writeFile(file, 'x');
  const storage = createLocalStorage({ directory: file });
  await expect(storage.put('a', Buffer.from('x'))).rejects.toThrow(
    /^cannot write a in \S+: a file stands where a directory is needed \(EEXIST\)$/,
  );
});

it('takes a link whose answer got lost for its own', async () => {
  const fileSystem: FileSystem = {
    ...systemFileSystem,
    link: async (from, to) => {
      await systemFileSystem.link(from, to);
      throw Object.assign(new Error('repeated'), { code: 'EEXIST' });
    },
  };
  const storage = createLocalStorage({ directory, fileSystem });
  expect(await storage.putIfAbsent('x', Buffer.from('x'))).toBe(true);
});

it('stages on when another process has removed the empty staging directory', async () => {
  const one = createLocalStorage({ directory });
  const other = createLocalStorage({ directory });
  for (let round = 0; round < 20; round++) {
    await Promise.all([one.put(`one/${round}`, Buffer.from('1')), other.close()]);
    await Promise.all([other.put(`other/${round}`, Buffer.from('2')), one.close()]);
  }
  await one.close();
  await other.close();
  expect((await readdir(directory)).sort()).toEqual(['one', 'other']);
});

it('writes on when a directory that it had made is gone', async () => {
  const storage = createLocalStorage({ directory });
  await storage.put('a/b/c', Buffer.from('1'));
  await rm(join(directory, 'a'), { recursive: true });
  await storage.put('a/b/c', Buffer.from('2'));
  expect(Buffer.from(await storage.get('a/b/c')).toString()).toBe('2');
});

it('refuses a step out of order', async () => {
  const storage = createLocalStorage({ directory });
  const staged = await storage.stage();
  await expect(staged.publish('x')).rejects.toThrow('must be closed');
  await staged.close();
  await expect(staged.write(Buffer.from('x'))).rejects.toThrow('must be writing');
  await staged.publish('x');
  await expect(staged.publish('y')).rejects.toThrow('but it is published');
});

async function first<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}
