/** What is built on a commit outlives a power loss no more surely than the commit itself (I-15 in FORMAT.md). */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import type { FileSystem } from '../../../../src/storage/local/file-system.js';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { draft, makeArchive, reopened, runOf } from '../../../support/store/archive-samples.js';
import { ForgetfulDisk } from '../../../support/store/forgetful-disk.js';

const ROOT = '/mnt/archive';
/** What was not synced is lost. */
const WORST_LUCK = (): number => 0.999;

let disk: ForgetfulDisk;
let archive: Archive;
beforeEach(async () => {
  disk = new ForgetfulDisk();
  archive = await makeArchive(on(disk.fileSystem));
});

/** The commits that are there after the power was lost at this moment. */
function survivors(): string[] {
  disk.losePower(WORST_LUCK);
  return [...disk.files(ROOT)].map(([path]) => path).filter((path) => path.startsWith('_commits/'));
}

it('a commit that another run has put and not synced is durable once the log was read', async () => {
  await putAndStall();
  expect(await archive.log.head()).toMatchObject({ number: 1 });
  expect(survivors()).toEqual(['_commits/000000000001.json']);
});

it('so is one that came after the log was read, once it is read again', async () => {
  await archive.index.refresh();
  await putAndStall();
  await archive.index.refresh();
  expect(archive.index.through).toBe(1);
  expect(survivors()).toEqual(['_commits/000000000001.json']);
});

it('a commit of which only the sync failed is durable when the append resolves', async () => {
  let failures = 1;
  const storage = on(
    syncingLog(() => {
      return failures-- > 0 ? Promise.reject(failure('EIO')) : Promise.resolve();
    }),
  );
  const { number } = await reopened(archive, storage).log.append(draft());
  expect([number, failures]).toEqual([1, -1]);
  expect(survivors()).toEqual(['_commits/000000000001.json']);
});

it('a log that cannot be synced is not read on, unless nothing can be written there', async () => {
  await archive.log.append(draft());
  const failing = (code: string) => on(syncingLog(() => Promise.reject(failure(code))));
  await expect(reopened(archive, failing('EIO')).log.head()).rejects.toThrow(StorageError);
  expect(await reopened(archive, failing('EROFS')).log.head()).toMatchObject({ number: 1 });
});

/** Another run, which stops right before it syncs the directory of the log. */
async function putAndStall(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stalled = syncingLog(() => {
      resolve();
      return new Promise(() => undefined);
    });
    const { log } = reopened(archive, on(stalled));
    log.append(draft({ run: runOf('B') })).then(() => reject(new Error('was not stopped')), reject);
  });
}

function on(fileSystem: FileSystem) {
  return createLocalStorage({ directory: ROOT, fileSystem });
}

/** The disk, but `before` is done before the directory of the log is synced. */
function syncingLog(before: () => Promise<void>): FileSystem {
  const { fileSystem } = disk;
  const open = async (path: string, flags: string): Promise<unknown> => {
    const handle = await fileSystem.open(path, flags);
    if (path !== `${ROOT}/_commits`) return handle;
    const sync = handle.sync.bind(handle);
    return Object.assign(handle, { sync: () => before().then(sync) });
  };
  return { ...fileSystem, open: open as FileSystem['open'] };
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: made up`), { code });
}
