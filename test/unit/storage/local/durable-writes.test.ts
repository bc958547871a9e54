import { beforeEach, expect, it } from 'vitest';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { type StagedObject, type Storage } from '../../../../src/storage/storage.js';
import { deleteObjects } from '../../../../src/storage/small-objects.js';
import { PublishBatch } from '../../../../src/storage/publish-batch.js';
import { ForgetfulDisk } from '../../../support/store/forgetful-disk.js';

/** What was not synced is lost: a file's bytes, and the names in a directory. */
const WORST_LUCK = (): number => 0.999;
const OLD = Buffer.from('old');
const NEW = Buffer.from('new');

let disk: ForgetfulDisk;
let storage: Storage;
beforeEach(() => {
  disk = new ForgetfulDisk();
  storage = createLocalStorage({ directory: '/mnt/archive', fileSystem: disk.fileSystem });
});

/** The files of the archive after the power was lost at this moment. */
function survivors(): Record<string, string> {
  disk.losePower(WORST_LUCK);
  const files = [...disk.files('/mnt/archive')].filter(([path]) => !path.startsWith('_staging/'));
  return Object.fromEntries(files.map(([path, bytes]) => [path, bytes.toString()]));
}

async function publishAll(
  publications: readonly { readonly staged: StagedObject; readonly path: string }[],
): Promise<void> {
  const batch = new PublishBatch(storage);
  await Promise.all(publications.map(({ staged, path }) => batch.publish(staged, path)));
  await batch.makeDurable();
}

it('a put into new directories survives a power loss right after it is done', async () => {
  await storage.put('a/b/c', NEW);
  expect(survivors()).toEqual({ 'a/b/c': 'new' });
});

it('a put into a directory that was there survives a power loss right after it is done', async () => {
  await storage.put('a/one', OLD);
  await storage.put('a/two', NEW);
  expect(survivors()).toEqual({ 'a/one': 'old', 'a/two': 'new' });
});

it('a put that replaces survives a power loss right after it is reported as done', async () => {
  await storage.put('a/one', OLD);
  await storage.put('a/one', NEW);
  expect(survivors()).toEqual({ 'a/one': 'new' });
});

it('puts over nothing and over something survive a power loss right after they are done', async () => {
  expect(await storage.putIfAbsent('a/one', OLD)).toBe(true);
  expect(await storage.putIfAbsent('a/one', NEW)).toBe(false);
  expect(survivors()).toEqual({ 'a/one': 'old' });
});

it('a replacement of what was seen survives a power loss right after it is reported as done', async () => {
  await storage.put('a/one', OLD);
  expect(await storage.compareAndSwap('a/one', OLD, NEW)).toBe(true);
  expect(survivors()).toEqual({ 'a/one': 'new' });
});

it('a file staged and published survives a power loss right after it is done', async () => {
  const staged = await storage.stage();
  await staged.write(NEW);
  await staged.close();
  await staged.publish('a/b/one');
  expect(survivors()).toEqual({ 'a/b/one': 'new' });
});

it('a file synced ahead of its publication survives a power loss right after it is done', async () => {
  const staged = await storage.stage();
  await staged.write(NEW);
  await staged.close();
  await staged.sync?.();
  await staged.publish('a/b/one');
  expect(survivors()).toEqual({ 'a/b/one': 'new' });
});

it('a deletion survives a power loss right after it is reported as done', async () => {
  await storage.put('a/one', OLD);
  await storage.delete('a/one');
  expect(survivors()).toEqual({});
});

it('a deletion that another process made and did not sync survives a power loss', async () => {
  await storage.put('a/one', OLD);
  await disk.fileSystem.unlink('/mnt/archive/a/one');
  await storage.delete('a/one');
  expect(survivors()).toEqual({});
});

it('many files published together survive a power loss right after they are done', async () => {
  const publications = await Promise.all(
    ['a/b/one', 'a/b/two', 'a/c/three'].map(async (path) => {
      const staged = await storage.stage();
      await staged.write(NEW);
      await staged.close();
      return { staged, path };
    }),
  );
  await publishAll(publications);
  expect(survivors()).toEqual({ 'a/b/one': 'new', 'a/b/two': 'new', 'a/c/three': 'new' });
});

it('files of new directories made at once survive a power loss right after they are done', async () => {
  const paths = Array.from({ length: 20 }, (_, n) => `a/${n}/x`);
  await Promise.all(paths.map((path) => storage.put(path, NEW)));
  expect(survivors()).toEqual(Object.fromEntries(paths.map((path) => [path, 'new'])));
});

it('makes the names in a directory of our own durable once, when it is closed', async () => {
  const ours = createLocalStorage({
    directory: '/mnt/archive',
    isOurs: true,
    fileSystem: disk.fileSystem,
  });
  for (const path of ['a/one', 'a/two', 'b/c/three']) await ours.put(path, NEW);
  await ours.close();
  expect(survivors()).toEqual({ 'a/one': 'new', 'a/two': 'new', 'b/c/three': 'new' });
});

it('says what failed where the names in a directory of our own cannot be made durable', async () => {
  const open: typeof disk.fileSystem.open = (path, ...rest) =>
    path === '/mnt/archive/a'
      ? Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' }))
      : disk.fileSystem.open(path, ...rest);
  const fileSystem = { ...disk.fileSystem, open };
  const ours = createLocalStorage({ directory: '/mnt/archive', isOurs: true, fileSystem });
  await ours.put('a/one', NEW);
  await expect(ours.close()).rejects.toThrow('cannot write the new files in /mnt/archive');
});

it('syncs a directory once for many files that are published together', async () => {
  const publications = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const staged = await storage.stage();
      await staged.write(NEW);
      await staged.close();
      return { staged, path: `a/b/${n}` };
    }),
  );
  await storage.put('a/b/first', NEW);
  const before = disk.steps;
  await publishAll(publications);
  const ofAFile = ['open', 'write', 'sync', 'rename'].length;
  const ofADirectory = ['open', 'sync'].length;
  expect(disk.steps - before).toBe(100 * ofAFile + ofADirectory);
});

it('opens and writes no file again that was synced ahead of its publication', async () => {
  await storage.put('a/first', NEW);
  const staged = await storage.stage();
  await staged.write(NEW);
  await staged.close();
  await staged.sync?.();
  const before = disk.steps;
  await staged.publish('a/one', { isUnsynced: true });
  expect(disk.steps - before).toBe(['rename'].length);
});

it('the same bytes renamed over durable ones are complete, whether the rename survives or not', async () => {
  await storage.put('a/one', OLD);
  for (const [name, bytes] of [
    ['same', OLD],
    ['other', NEW],
  ] as const) {
    await storage.put(name, bytes);
    await disk.fileSystem.rename(`/mnt/archive/${name}`, '/mnt/archive/a/one'); // not synced
    expect(disk.isDurable('/mnt/archive/a/one')).toBe(name === 'same');
  }
  expect(survivors()['a/one']).toBe('old');
});

it('deletions of several objects survive a power loss, and sync each directory once', async () => {
  const paths = ['a/one', 'a/two', 'b/three', 'a/four'];
  for (const path of [...paths, 'a/kept']) await storage.put(path, OLD);
  const synced: string[] = [];
  const { open } = disk.fileSystem;
  disk.fileSystem.open = async (path, flags, mode) => {
    if (flags === 'r') synced.push(String(path));
    return open.call(disk.fileSystem, path, flags, mode);
  };
  await deleteObjects(storage, [...paths, 'a/never', 'nowhere/at/all']);
  expect(synced.sort()).toEqual(['/mnt/archive/a', '/mnt/archive/b', '/mnt/archive/nowhere/at']);
  expect(survivors()).toEqual({ 'a/kept': 'old' });
});
