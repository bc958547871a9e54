/** Archives that lie on no disk of this machine: what is copied here, checked, and refused. */
import { afterAll, beforeEach, beforeAll, expect, it } from 'vitest';
import { archiveOf, filesOfTable, type Archive } from '../../../src/archive/archive.js';
import { partPath } from '../../../src/archive/paths.js';
import { systemRandom, systemClock } from '../../../src/base/runtime.js';
import { ulid } from '../../../src/base/ulid.js';
import { asRunId } from '../../../src/model/ids.js';
import type { Storage } from '../../../src/storage/storage.js';
import { draft } from '../../support/store/archive-samples.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { piecedExport, pieceOf } from '../../support/programs/pieced-export.js';
import { askOne } from '../../support/rigs/query-rig.js';

const COUNT = 'SELECT count(*) FROM jobs';

let rig: ExportRig;
let storage: Storage;
let archive: Archive;
/** Paths read below `tables/`. */
let read: string[];

beforeAll(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 3 });
});
afterAll(() => rig[Symbol.asyncDispose]());

beforeEach(async () => {
  const memory = createMemoryStorage();
  await piecedExport({ emulator: rig.emulator, storage: memory, users: rig.state.userIds() });
  read = [];
  storage = Object.assign(Object.create(memory) as Storage, {
    read: (path: string) => {
      if (path.startsWith('tables/')) read.push(path);
      return memory.read(path);
    },
  });
  archive = await pieceOf(storage, rig.emulator);
});

it('brings here only the tables that the query names', async () => {
  await askOne({ archive, sql: 'SELECT count(*) FROM current_sources' });
  expect([...new Set(read.map((path) => path.split('/')[1]))].sort()).toEqual(['jobs', 'sources']);
});

it('asks for nothing where the copies would be larger than allowed', async () => {
  const refused = askOne({ archive, sql: COUNT, maxFetchBytes: 10 });
  await expect(refused).rejects.toThrow(/the query needs .* allowed is --max-fetch 10 B/);
  await expect(refused).rejects.toMatchObject({ failure: 'usage' });
  expect(read).toEqual([]);
});

it('takes no file that is not what the log says', async () => {
  const [file] = await filesOfTable(archive, 'jobs');
  const path = file?.path ?? '';
  const bytes = Uint8Array.from(await storage.get(path));
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await storage.put(path, bytes);
  await expect(askOne({ archive, sql: COUNT })).rejects.toMatchObject({
    failure: 'integrity',
    path,
  });
});

it('begins again where files leave the archive before they are copied', async () => {
  const before = await askOne({ archive, sql: COUNT });
  const own = await pieceOf(storage, rig.emulator);
  const unsteady = archiveOf(storage, own.identity, { clock: systemClock, random: systemRandom });
  const commits = unsteady.log.commits.bind(unsteady.log);
  let rewrites = 2;
  unsteady.log.commits = async function* (first, last) {
    yield* commits(first, last);
    if (rewrites-- <= 0) return;
    const files = await filesOfTable(own, 'jobs');
    const run = asRunId(ulid(systemClock, systemRandom));
    const moved = files.map((file, index) => ({
      ...file,
      path: partPath('jobs', '2026-11-05', run, index + 1, 'jsonl.gz'),
    }));
    for (const [index, { path }] of files.entries()) {
      await storage.put(moved[index]?.path ?? '', await storage.get(path));
    }
    const base = (await own.log.head())?.number ?? 0;
    await own.log.append(draft({ run, base, files: moved, removed: files.map((f) => f.path) }));
    for (const { path } of files) await storage.delete(path);
  };
  expect(await askOne({ archive: unsteady, sql: COUNT })).toBe(before);
  expect(rewrites).toBeLessThanOrEqual(0);
});
