/** An archive in another place: whole, proved, resumable, and never mistaken for one before it is. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decodeIdentity, ownIdOf, type ArchiveIdentity } from '../../../src/archive/identity.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { copyArchive as copyToStorage } from '../../../src/rewrite/copy-archive.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { stagingPrefix } from '../../../src/storage/local/staging-directory.js';
import type { Storage } from '../../../src/storage/storage.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import type { ExportRig } from '../../support/rigs/export-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { compactArchive, copyArchive, eraseFromArchive } from '../../support/http/one-call.js';
import { comparableBytes } from '../../support/store/comparable-bytes.js';
import { fault } from '../../support/base/fault.js';

let people: EraseRig;
let rig: ExportRig;
let target: string;
beforeEach(async () => {
  people = await EraseRig.start();
  rig = people.rig;
  target = join(rig.directory, 'copy');
});
afterEach(() => people[Symbol.asyncDispose]());

/** Path and digest of every file. */
async function digestsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const lines = files.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return `${path.slice(root.length)} ${sha256Hex(comparableBytes(path, await readFile(path)))}`;
  });
  return (await Promise.all(lines)).sort();
}

async function identityIn(root: string): Promise<ArchiveIdentity> {
  return decodeIdentity(root, await readFile(join(root, 'jobvault.json')));
}

/** A storage in which somebody loses patience after so many objects. */
function stoppingAfter(storage: Storage, objects: number, stop: AbortController): Storage {
  let staged = 0;
  return new Proxy(storage, {
    get(place, name: keyof Storage) {
      if (name === 'stage') {
        staged++;
        if (staged === objects) stop.abort(new Error('enough'));
      }
      const member: unknown = Reflect.get(place, name, place);
      return typeof member === 'function' ? (member.bind(place) as unknown) : member;
    },
  });
}

it(
  'a copy takes away what a killed one has staged: it may be of somebody erased since',
  fault('F-148'),
  async () => {
    await people.archived(['parquet']);
    await cliJson(['copy', rig.out, target]);
    const gone = { ...systemProcesses.self, pid: 2 ** 22 + 1, started: '1' };
    const staged = join(target, '_staging', `${stagingPrefix(gone, '0123456789abcdef')}-0`);
    await mkdir(join(target, '_staging'));
    await writeFile(staged, 'texts of ana');
    await cliJson(['copy', rig.out, target]);
    expect(await readdir(target)).not.toContain('_staging');
  },
);

it('is the same in every byte but for its own name, and goes on from there as an archive', async () => {
  await people.archived(['parquet', 'jsonl']);
  const summary = await cliJson<{ status: string; copied: { objects: number }; present: number }>([
    'copy',
    rig.out,
    target,
  ]);
  expect(summary.status).toBe('complete');
  expect(await digestsIn(target)).toEqual(await digestsIn(rig.out));
  const [original, copied] = [await identityIn(rig.out), await identityIn(target)];
  // otherwise a fleet of the one would take the users of the other
  expect(ownIdOf(copied)).not.toBe(ownIdOf(original));
  // what it makes of the log itself: the identity, and the Delta tables
  const made = (await rig.files()).filter((path) => !path.includes('/_delta_log/'));
  expect(summary.copied.objects).toBe(made.length - 1);
  const again = await cliJson<typeof summary>(['copy', rig.out, target]);
  expect(again.copied.objects + again.present).toBe(made.length - 1);
  people.talk('ben', 'ben-second');
  expect((await rig.export({ out: target })).jobs.archived).toBe(1);
  const refused = await cli(['copy', rig.out, target]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('it is not a copy of it any more');
});

it('leaves out workbooks, and removes those of the copy, which may have somebody erased since', async () => {
  await people.archived(['parquet', 'xlsx']);
  expect(await rig.files('workbooks')).toHaveLength(3);
  await copyArchive({ archive: rig.out, target });
  const books = async () =>
    (await digestsIn(target)).filter((line) => line.startsWith('/workbooks/'));
  expect(await books()).toEqual([]);
  const repaired = await cliJson<{ status: string; notes: unknown[] }>([
    'verify',
    target,
    '--repair',
  ]);
  expect(repaired).toMatchObject({ status: 'intact', notes: [] });
  expect(await books()).toHaveLength(3);
  expect(await cliJson(['copy', rig.out, target])).toMatchObject({
    status: 'complete',
    removed: 3,
  });
  expect(await books()).toEqual([]);
});

it('brings an earlier copy up to date, compacted and erased as the archive is', async () => {
  const traces = await people.archived(['parquet']);
  await copyArchive({ archive: rig.out, target });
  people.talk('ben', 'ben-third');
  await rig.export();
  await compactArchive({ archive: rig.out });
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  const summary = await copyArchive({ archive: rig.out, target });
  expect(summary.removed).toBeGreaterThan(10);
  expect(await digestsIn(target)).toEqual(await digestsIn(rig.out));
  expect(await grepArchive(target, traces['ann']!)).toEqual([]);
  expect((await copyArchive({ archive: rig.out, target })).removed).toBe(0);
});

it('says so where the target may keep what was erased, also when an earlier attempt removed it', async () => {
  await people.archived(['parquet']);
  const { signal } = new AbortController();
  const keeping = Object.assign(createLocalStorage({ directory: target }), {
    keepsDeleted: () => Promise.resolve({ by: 'versioned', why: 'old versions stay' } as const),
  });
  const copied = async (storage: Storage) =>
    (await copyToStorage(await rig.open(), storage, { signal })).kept;
  expect(await copied(keeping)).toBeNull();
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  for (let round = 0; round < 2; round++) expect(await copied(keeping)).toBe('old versions stay');
  expect(await copied(createLocalStorage({ directory: target }))).toBeNull();
});

it('keeps nothing that lies aside in the copy: an erasure of the archive does not know of it', async () => {
  await people.archived(['parquet']);
  await copyArchive({ archive: rig.out, target });
  const copy = createLocalStorage({ directory: target });
  const artifact = `artifacts/${sha256Hex('x').slice(0, 2)}/${sha256Hex('x')}.csv`;
  const aside = [`_quarantine/01ARZ3NDEKTSV4RRFFQ69G5FAV/${artifact}`, artifact];
  for (const path of aside) await copy.put(path, Buffer.from('x'));
  await copy.put('_quarantine/notes.txt', Buffer.from('of somebody else'));
  expect((await copyArchive({ archive: rig.out, target })).removed).toBe(2);
  for (const path of aside) expect(await copy.stat(path)).toBeUndefined();
  expect(await copy.stat('_quarantine/notes.txt')).toBeDefined();
  await copy.close();
});

// I-47 in FORMAT.md
it('goes on where it was broken off, and is no archive until then', async () => {
  await people.archived(['parquet']);
  const quarter = Math.floor((await rig.files('artifacts')).length / 4);
  expect(quarter).toBeGreaterThan(0);
  for (let round = 0; round < 3; round++) {
    const stop = new AbortController();
    const copy = stoppingAfter(createLocalStorage({ directory: target }), quarter, stop);
    const options = { signal: stop.signal, concurrency: 1 };
    const copying = copyToStorage(await rig.open(), copy, options);
    await expect(copying).rejects.toThrow('enough');
    await copy.close();
    expect((await cli(['status', target])).exitCode).toBe(2);
  }
  await copyArchive({ archive: rig.out, target });
  expect(await digestsIn(target)).toEqual(await digestsIn(rig.out));
});

it('mends what has been damaged in the copy, and refuses a damaged archive or another place', async () => {
  await people.archived(['parquet']);
  await copyArchive({ archive: rig.out, target });
  const [path = ''] = (await rig.files('artifacts')).sort();
  const storage = (await rig.open()).storage;
  const bytes = Buffer.from(await storage.get(path));
  bytes[0]! ^= 1;
  await createLocalStorage({ directory: target }).put(path, bytes);
  await copyArchive({ archive: rig.out, target });
  expect(await digestsIn(target)).toEqual(await digestsIn(rig.out));
  await storage.put(path, bytes);
  await rm(target, { recursive: true });
  const damaged = await cli(['copy', rig.out, target]);
  expect([damaged.exitCode, damaged.stderr]).toEqual([4, expect.stringContaining(path)]);
  const elsewhere = await cli(['copy', rig.out, rig.directory]);
  expect(elsewhere.stderr).toContain('is not empty');
});
