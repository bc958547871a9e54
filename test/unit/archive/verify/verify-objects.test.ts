/** What happens to objects while they are verified, and in which order what was found is told. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { artifactPath } from '../../../../src/archive/paths.js';
import { verifyArchive, type VerifyOptions } from '../../../../src/archive/verify/verify.js';
import {
  DamagedObjectError,
  ObjectNotFoundError,
  StorageError,
} from '../../../../src/storage/storage-errors.js';
import type { Storage } from '../../../../src/storage/storage.js';
import {
  draft,
  knowing,
  lineFormat,
  putArtifact,
  putNaming,
  reopened,
  runOf,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { makeSampleArchive } from '../../../support/store/sample-archive.js';
import { fault } from '../../../support/base/fault.js';

let storage: MemoryStorage;
let archive: Archive;

beforeEach(async () => {
  storage = createMemoryStorage();
  archive = await makeSampleArchive(storage);
});

const verify = (over: Partial<Storage> = {}, options: VerifyOptions = {}, known = {}) =>
  verifyArchive({ ...reopened(archive, { ...storage, ...over }), ...known }, options);
const pathOf = (prefix: string) =>
  [...storage.place.objects.keys()].find((path) => path.startsWith(prefix)) ?? '';

/** Reading this object fails. */
function failing(path: string, error: Error): Pick<Storage, 'read' | 'get'> {
  return {
    async *read(of, range) {
      await Promise.resolve();
      if (of === path) throw error;
      yield* storage.read(of, range);
    },
    get: (of) => (of === path ? Promise.reject(error) : storage.get(of)),
  };
}

describe('an object that is listed', () => {
  it.each(['artifacts/', 'tables/'])(
    'and is gone when it is read is missing: in %s',
    async (prefix) => {
      const path = pathOf(prefix);
      const { problems } = await verify(failing(path, new ObjectNotFoundError(path)));
      const detail = 'has disappeared while it was being verified';
      expect(problems).toEqual([{ path, problem: 'missing', detail }]);
    },
  );

  it('and whose bytes do not match the checksum of the storage is damaged', async () => {
    const path = pathOf('artifacts/');
    const { problems } = await verify(failing(path, new DamagedObjectError(path, 'memory')));
    const detail = "is damaged: its bytes do not match the storage's checksum";
    expect(problems).toEqual([{ path, problem: 'digest', detail }]);
  });

  it.each(['artifacts/', 'tables/', '_commits/000000000001.'])(
    'and lies in a bad place of the disk is named, and the rest is verified: in %s',
    fault('F-140'),
    async (prefix) => {
      const path = pathOf(prefix);
      const bad = failing(path, new StorageError('EIO', { trouble: 'device' }));
      const flipped = [...storage.place.objects.keys()]
        .filter((of) => of.startsWith('tables/'))
        .at(-1);
      await storage.put(flipped ?? '', Buffer.alloc((await storage.get(flipped ?? '')).length));
      const { problems } = await verify(bad);
      const detail = 'cannot be read: the device reports an input or output error';
      expect(problems).toEqual(
        expect.arrayContaining([
          { path, problem: 'unreadable', detail },
          expect.objectContaining({ path: flipped, problem: 'digest' }),
        ]),
      );
    },
  );

  it.each(['artifacts/', 'tables/', '_commits/000000000001.'])(
    'and cannot be read ends the check: in %s',
    async (prefix) => {
      const path = pathOf(prefix);
      const failed = verify(failing(path, new StorageError('no permission')));
      await expect(failed).rejects.toThrow('no permission');
    },
  );

  it('with one byte changed is damaged, and its other problems are not looked for', async () => {
    const path = pathOf('tables/blocks');
    const bytes = Buffer.from(await storage.get(path)).fill(10);
    await storage.put(path, bytes);
    const { problems } = await verify();
    expect(problems).toMatchObject([{ path, problem: 'digest' }]);
  });

  it('as a manifest that is damaged is one problem', async () => {
    const path = pathOf('_commits/000000000001.');
    const { length } = await storage.get(path);
    await storage.put(path, Buffer.alloc(length));
    const { problems } = await verify();
    expect(problems.map((one) => one.path)).toEqual([path]);
  });

  it('as a manifest of users is read as one, and is one problem where it is damaged', async () => {
    await archive.log.append(draft({ base: 5, users: [userEntry('u')] }));
    expect((await verify()).problems).toEqual([]);
    const path = pathOf('_commits/000000000006.');
    const { length } = await storage.get(path);
    await storage.put(path, Buffer.alloc(length));
    expect((await verify()).problems.map((one) => one.path)).toEqual([path]);
  });

  it.each(['artifacts/', 'tables/'])(
    'with another size is one problem, and is not read: in %s',
    async (prefix) => {
      const path = pathOf(prefix);
      const bytes = await storage.get(path);
      await storage.put(path, Buffer.concat([bytes, Buffer.from('\n')]));
      const read: string[] = [];
      const { problems } = await verify({
        read: (of, range) => {
          read.push(of);
          return storage.read(of, range);
        },
      });
      const detail = `has ${bytes.length + 1} bytes instead of ${bytes.length}`;
      expect(problems).toEqual([{ path, problem: 'size', detail }]);
      expect(read).not.toContain(path);
    },
  );

  it('is counted and not read where it is not chosen, although something in it is damaged', async () => {
    const paths = [pathOf('artifacts/'), pathOf('tables/')];
    for (const path of paths) {
      const { length } = await storage.get(path);
      await storage.put(path, Buffer.alloc(length));
    }
    const all = await verify();
    expect([all.problems.length, all.unread]).toEqual([2, 0]);
    const none = await verify({}, { choose: () => () => false });
    expect(none).toMatchObject({ problems: [], bytes: 0, unread: all.files + all.artifacts });
    const one = await verify({}, { choose: () => (object) => object.path === paths[1] });
    expect(one.problems).toMatchObject([{ path: paths[1], problem: 'digest' }]);
  });
});

const counting = (error: Error) =>
  verify({}, {}, knowing({ ...lineFormat, countRows: () => Promise.reject(error) }));

it('a part file whose rows cannot be counted, because the storage fails, ends the check', async () => {
  await expect(counting(new StorageError('no answer'))).rejects.toThrow('no answer');
});

it('a part file that is gone when its rows are counted is missing', async () => {
  const { problems } = await counting(new ObjectNotFoundError('tables/x'));
  expect(new Set(problems.map(({ problem }) => problem))).toEqual(new Set(['missing']));
  expect(problems).toHaveLength(5);
});

it('a part file whose rows are no rows of its format is a problem of that file', async () => {
  const { problems } = await counting(new SyntaxError('no row'));
  const detail = `is not valid ${lineFormat.name}: no row`;
  expect(problems).toHaveLength(5);
  expect(problems).toMatchObject(problems.map(() => ({ problem: 'unreadable', detail })));
});

it('a part file is counted by the format of its extension', async () => {
  const other = { ...lineFormat, extension: 'ines', countRows: () => Promise.resolve(0) };
  const { problems } = await verify({}, {}, knowing(other, lineFormat));
  expect(problems).toEqual([]);
});

it('what was found is in order', async () => {
  const orphans = ['c', 'a', 'b'].map((letter) => artifactPath(letter.repeat(64), 'csv', 0));
  const foreign = ['z.txt', 'b.txt', 'notes.txt'];
  for (const path of [...orphans, ...foreign]) await storage.put(path, Buffer.from('x'));
  const report = await verify();
  expect(report.orphans).toEqual(orphans.toSorted());
  expect(report.foreign).toEqual(foreign.toSorted());
});

it('a storage that lists out of order is refused: named objects would count as left over', async () => {
  const list: Storage['list'] = async function* (prefix, options) {
    const all = [];
    for await (const one of storage.list(prefix, options)) all.push(one);
    yield* prefix === '' ? all.reverse() : all;
  };
  await expect(verify({ list })).rejects.toThrow('not listed in the order of their paths');
});

it('what was found is told as it goes on, with the bytes that were read', async () => {
  const told: number[] = [];
  const report = await verify({}, { onProgress: ({ bytes }) => told.push(bytes) });
  expect(told.at(-1)).toBe(report.bytes);
  expect(told.toSorted((a, b) => a - b)).toEqual(told);
  expect(told[0]).toBeLessThan(report.bytes);
});

it('verifying stops in the middle of a large object', async () => {
  const large = await putArtifact(storage, 'large '.repeat(50_000));
  const files = [await putNaming(storage, [large], { n: 9 })];
  await archive.log.append(draft({ base: 5, files }));
  const stop = new AbortController();
  let chunks = 0;
  const stopping = verify(
    {
      async *read(path, range) {
        for await (const chunk of storage.read(path, range)) {
          if (path === large.path && ++chunks === 2) stop.abort(new Error('enough'));
          yield chunk;
        }
      },
    },
    { signal: stop.signal },
  );
  await expect(stopping).rejects.toThrow('enough');
  expect(chunks).toBe(2);
});

it('verifying again after a finding reads only that and what is new', async () => {
  const path = pathOf('artifacts/');
  const sound = await storage.get(path);
  await storage.put(path, Buffer.alloc(sound.length));
  const read: string[] = [];
  let isFirst = true;
  const report = await verify({
    async *read(of, range) {
      read.push(of);
      if (of === path && isFirst) {
        isFirst = false;
        const artifacts = [await putArtifact(storage, 'new')];
        const run = runOf('N');
        const files = [await putNaming(storage, artifacts, { run })];
        await reopened(archive).log.append(draft({ base: 5, run, files }));
      }
      yield* storage.read(of, range);
    },
  });
  expect(report.problems).toMatchObject([{ path, problem: 'digest' }]);
  const artifacts = read.filter((of) => of.startsWith('artifacts/'));
  expect(artifacts.filter((of) => of === path).length).toBeGreaterThan(1);
  expect(new Set(artifacts).size).toBe(3);
  const others = artifacts.filter((of) => of !== path);
  expect(others).toHaveLength(2);
});
