/** The artifacts that rows name, in memory and set aside on disk. */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import type { NamedObject } from '../../../../src/archive/objects/checked-objects.js';
import {
  NamedArtifacts,
  type NamedArtifact,
} from '../../../../src/archive/objects/named-artifacts.js';
import type { RowFormat } from '../../../../src/formats/format.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import {
  artifactFor,
  archiveSettings,
  draft,
  knowing,
  lineFormat,
  putNaming,
  putPart,
  runOf,
} from '../../../support/store/archive-samples.js';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';

const ENTRIES = Array.from({ length: 300 }, (_, n) => artifactFor(`file ${n}`).entry);
const IN_ORDER = ENTRIES.toSorted((a, b) => (a.path < b.path ? -1 : 1));
/** The other format of the archive. */
const second: RowFormat = { ...lineFormat, name: 'jsonl', extension: 'moreli' };

let storage: MemoryStorage;
let archive: Archive;

beforeEach(async () => {
  storage = createMemoryStorage();
  const formats = { formats: ['parquet', 'jsonl'] as const, ...knowing(lineFormat, second) };
  archive = await createOrOpenArchive(storage, archiveSettings(formats));
});

async function commitNaming(entries: readonly NamedObject[], letter = 'A'): Promise<string[]> {
  const run = runOf(letter);
  const files = [
    await putNaming(storage, entries, { run }),
    await putNaming(storage, entries, { run, extension: second.extension }),
    await putPart(storage, { run, n: 2, rows: 2 }),
  ];
  await archive.log.append(draft({ base: archive.index.through, run, files }));
  await archive.index.refresh();
  return files.map(({ path }) => path);
}

const read = (over = {}) =>
  NamedArtifacts.read(archive, { files: archive.index.contents.files.values(), ...over });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const shown = ({ path, bytes, sha256 }: NamedArtifact) => ({ path, bytes, sha256 });

it.each([
  ['in memory', 1000],
  ['on disk', 7],
])('artifacts come once each in the order of their paths, kept %s', async (_, mostInMemory) => {
  await commitNaming(ENTRIES);
  await commitNaming(ENTRIES.slice(100), 'B');
  await using named = await read({ mostInMemory });
  expect((await all(named)).map(shown)).toEqual(IN_ORDER);
  expect([(await named.counts()).count, named.isWhole, named.problems]).toEqual([300, true, []]);
});

it.each([1000, 7])('an artifact has the highest mark of its rows: %i in memory', async (most) => {
  await commitNaming(ENTRIES.slice(0, 3), 'B');
  await commitNaming(ENTRIES.slice(1, 2), 'C');
  await commitNaming(ENTRIES.slice(0, 1), 'A');
  const markOf = (row: { readonly run_id?: unknown }) => String(row.run_id).charCodeAt(0);
  await using named = await read({ markOf, marked: ['run_id'], mostInMemory: most });
  const marks = new Map((await all(named)).map(({ path, mark }) => [path, mark]));
  expect(ENTRIES.slice(0, 3).map(({ path }) => marks.get(path))).toEqual([66, 67, 66]);
});

it('where a part file is damaged, the other format has the rows', async () => {
  const [path = '', other = ''] = await commitNaming(ENTRIES);
  await storage.put(path, Buffer.from(await storage.get(path)).fill(65, 0, 1));
  await using named = await read();
  expect([named.isWhole, (await named.counts()).count]).toEqual([true, 300]);
  expect(named.problems).toMatchObject([{ path, problem: 'digest' }]);
  await storage.delete(other);
  await using parted = await read();
  expect([parted.isWhole, (await parted.counts()).count]).toEqual([false, 0]);
  expect(() => {
    parted.assertWhole();
  }).toThrow(path);
});

it('a part file in a format that nobody can read leaves it open what it names', async () => {
  await commitNaming(ENTRIES.slice(0, 1));
  const file = await putNaming(storage, ENTRIES, { run: runOf('X'), extension: 'unheard' });
  await archive.log.append(draft({ base: archive.index.through, files: [file] }));
  await archive.index.refresh();
  await using named = await read();
  expect([named.isWhole, (await named.counts()).count]).toEqual([false, 1]);
  expect(named.problems).toMatchObject([{ path: file.path, problem: 'unreadable' }]);
});

it('a row whose path has another SHA-256 is damage', async () => {
  const [one, other] = ENTRIES;
  if (!one || !other) throw new Error('no entries');
  const [path = ''] = await commitNaming([{ ...one, sha256: other.sha256 }]);
  await using named = await read();
  expect([named.isWhole, named.problems[0]?.detail]).toEqual([
    false,
    'is in a row that has another SHA-256',
  ]);
  expect(path).not.toBe('');
});

it('a storage that does not answer ends the reading', async () => {
  await commitNaming(ENTRIES);
  const failing = { ...storage, read: () => failed() };
  async function* failed(): AsyncGenerator<Uint8Array> {
    yield await Promise.reject(new StorageError('no answer'));
  }
  const reading = NamedArtifacts.read(
    { ...archive, storage: failing },
    { files: archive.index.contents.files.values() },
  );
  await expect(reading).rejects.toThrow('no answer');
});

it.each([1000, 7])('what is listed comes beside what is named: %i in memory', async (most) => {
  const there = IN_ORDER.filter((_, at) => at % 3 !== 0);
  await commitNaming(ENTRIES.filter((_, at) => at % 2 === 0));
  await using named = await read({ mostInMemory: most });
  const even = new Set(ENTRIES.filter((_, at) => at % 2 === 0).map(({ path }) => path));
  const listed = async function* () {
    yield await Promise.resolve({ path: '_commits/1.json' });
    yield* there;
    yield { path: 'tables/x' };
  };
  const pairs = await all(named.beside(listed()));
  const paths = (have: (pair: (typeof pairs)[number]) => boolean) =>
    pairs.filter(have).map(({ artifact, object }) => artifact?.path ?? object?.path);
  const isThere = new Set(there.map(({ path }) => path));
  const wanted = (artifact: boolean, object: boolean) =>
    IN_ORDER.map(({ path }) => path).filter(
      (path) => even.has(path) === artifact && isThere.has(path) === object,
    );
  expect(paths(({ artifact, object }) => !!artifact && !!object)).toEqual(wanted(true, true));
  expect(paths(({ artifact, object }) => !!artifact && !object)).toEqual(wanted(true, false));
  expect(paths(({ artifact, object }) => !artifact && !!object)).toEqual([
    '_commits/1.json',
    ...wanted(false, true),
    'tables/x',
  ]);
});
