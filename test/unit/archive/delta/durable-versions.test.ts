/** What is built on a Delta version outlives a power loss no more surely than the version itself (I-60 in FORMAT.md). */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { partPath } from '../../../../src/archive/paths.js';
import { jobsTable } from '../../../../src/model/tables.js';
import type { FileSystem } from '../../../../src/storage/local/file-system.js';
import { createLocalStorage } from '../../../../src/storage/local/local-storage.js';
import { draft, makeArchive, reopened, runOf } from '../../../support/store/archive-samples.js';
import { ForgetfulDisk } from '../../../support/store/forgetful-disk.js';

const ROOT = '/mnt/archive';
const DELTA = 'tables/jobs/_delta_log';

let disk: ForgetfulDisk;
let archive: Archive;
beforeEach(async () => {
  disk = new ForgetfulDisk();
  archive = await makeArchive(on(disk.fileSystem));
});

const pathOf = (version: number) => `${DELTA}/${String(version).padStart(20, '0')}.json`;

/** A commit with one more part file. */
async function commitFile(n: number): Promise<void> {
  const path = partPath('jobs', '2026-11-05', runOf('A'), n, 'parquet');
  const schema = jobsTable.fingerprint;
  const file = { path, table: 'jobs', rows: n, bytes: 100 + n, sha256: 'ab'.repeat(32), schema };
  await archive.index.refresh();
  await archive.log.append(draft({ base: archive.index.through, files: [file] }));
}

it.each([
  ['before the next one is put', 0],
  ['before the next one is put, also by a run that had found none missing at first', 1],
])('a version that another run has put and not synced is durable %s', async (_when, looks) => {
  await commitFile(1);
  await publishAndStall();
  expect(disk.isDurable(`${ROOT}/${pathOf(0)}`)).toBe(false);
  const { fileSystem } = disk;
  const wasDurable: boolean[] = [];
  const link: FileSystem['link'] = async (from, to) => {
    if (String(to).endsWith(pathOf(1))) wasDurable.push(disk.isDurable(`${ROOT}/${pathOf(0)}`));
    await fileSystem.link(from, to);
  };
  const { delta } = reopened(archive, on({ ...fileSystem, link }));
  for (let look = 0; look < looks; look++) await delta.publish();
  await commitFile(2);
  await delta.publish();
  expect(wasDurable).toEqual([true]);
});

const on = (fileSystem: FileSystem) => createLocalStorage({ directory: ROOT, fileSystem });

/** A run that stops right before it syncs the directory of the Delta log for the first time. */
async function publishAndStall(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const { fileSystem } = disk;
    const open = async (path: string, flags: string): Promise<unknown> => {
      const handle = await fileSystem.open(path, flags);
      if (path !== `${ROOT}/${DELTA}`) return handle;
      resolve();
      return Object.assign(handle, { sync: () => new Promise(() => undefined) });
    };
    reopened(archive, on({ ...fileSystem, open: open as FileSystem['open'] }))
      .delta.publish({ begin: true })
      .then(() => reject(new Error('was not stopped')), reject);
  });
}
