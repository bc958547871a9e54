/** What a storage with object lock and delete markers tells of the objects that the log names. */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { HIDDEN } from '../../../../src/archive/log/commit-log.js';
import { artifactPath, commitPath, IDENTITY_PATH } from '../../../../src/archive/paths.js';
import { verifyArchive, type VerifyOptions } from '../../../../src/archive/verify/verify.js';
import type { ObjectRetention } from '../../../../src/storage/storage.js';
import { reopened } from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { makeSampleArchive } from '../../../support/store/sample-archive.js';

let storage: MemoryStorage;
let archive: Archive;
let hidden: string[];
let asked: string[];
let retentionOf: (path: string) => ObjectRetention | undefined;
let canRetain: boolean;

beforeEach(async () => {
  storage = createMemoryStorage();
  archive = await makeSampleArchive(storage);
  [hidden, asked, canRetain] = [[], [], true];
  retentionOf = () => undefined;
});

function verify(options: VerifyOptions = {}) {
  const guards = {
    canRetain: () => Promise.resolve(canRetain),
    retentionOf: (path: string) => {
      asked.push(path);
      return Promise.resolve(retentionOf(path));
    },
    async *hidden(prefix: string) {
      await Promise.resolve();
      yield* hidden.filter((path) => path.startsWith(prefix)).map((path) => ({ path, atMs: 0 }));
    },
  };
  const guarded = { ...storage, guards } as never;
  return verifyArchive(reopened(archive, guarded), options);
}

/** Of the sample: all that the log names, and the log itself. */
function namedPaths(): string[] {
  return [...storage.place.objects.keys()].filter((path) => !path.startsWith('_leases/')).sort();
}

it('a hidden object is a problem where the log names it, and every hidden commit is', async () => {
  const named = [...storage.place.objects.keys()].find((path) => path.startsWith('artifacts/'));
  hidden = [named ?? '', commitPath(7), artifactPath('a'.repeat(64), 'csv', 0)];
  const { problems } = await verify();
  expect(problems).toEqual([
    { path: commitPath(7), problem: 'hidden', detail: HIDDEN },
    { path: named, problem: 'hidden', detail: HIDDEN },
  ]);
});

it('hidden objects are looked for in every folder that the log names objects in', async () => {
  hidden = namedPaths().filter((path) => path !== IDENTITY_PATH);
  const { problems } = await verify();
  const found = problems.filter(({ problem }) => problem === 'hidden');
  expect(found.map(({ path }) => path)).toEqual(hidden);
});

it('an object that is hidden by a delete marker is not looked for once the check is stopped', async () => {
  const stop = new AbortController();
  hidden = [commitPath(7)];
  const stopping = verify({
    signal: stop.signal,
    onProgress: ({ checked, total }) => {
      if (checked === total) stop.abort(new Error('enough'));
    },
  });
  await expect(stopping).rejects.toThrow('enough');
  expect(asked).toEqual([]);
});

it('retention is counted with its modes and its first end, beside objects without it', async () => {
  const bare = namedPaths().slice(1, 3);
  const times = new Map(namedPaths().map((path, at) => [path, 5000 - at]));
  retentionOf = (path) =>
    bare.includes(path)
      ? undefined
      : {
          mode: path.startsWith('_commits/') ? 'GOVERNANCE' : 'COMPLIANCE',
          untilMs: times.get(path) ?? 0,
        };
  const { retention, problems } = await verify();
  const all = namedPaths();
  expect(retention).toEqual({
    retained: all.length - 2,
    earliestEndMs: 5000 - (all.length - 1),
    modes: ['COMPLIANCE', 'GOVERNANCE'],
    unprotected: bare,
  });
  expect(asked.toSorted()).toEqual(all);
  expect(problems).toEqual([]);
});

it("retention tells its end, modes and what lacks it in order, whatever the objects' order", async () => {
  const [first = '', ...others] = namedPaths();
  retentionOf = (path) => (path === first ? { mode: 'GOVERNANCE', untilMs: 7 } : undefined);
  const { retention } = await verify();
  expect(retention).toMatchObject({ retained: 1, earliestEndMs: 7, unprotected: others });
  const isLog = (path: string) => path === IDENTITY_PATH || path.startsWith('_commits/');
  retentionOf = (path) => ({ mode: isLog(path) ? 'GOVERNANCE' : 'COMPLIANCE', untilMs: 7 });
  expect((await verify()).retention?.modes).toEqual(['COMPLIANCE', 'GOVERNANCE']);
});

it('retention is nothing to tell of where no object has it, or nobody may see it', async () => {
  expect((await verify()).retention).toBeNull();
  expect(asked).not.toEqual([]);
  asked = [];
  canRetain = false;
  retentionOf = () => ({ mode: 'GOVERNANCE', untilMs: 7 });
  expect((await verify()).retention).toBeNull();
  expect(asked).toEqual([]);
});

it('retention is asked for of the objects of a slice, and of the whole log', async () => {
  const ofLog = (path: string) => path === IDENTITY_PATH || path.startsWith('_commits/');
  const parts: string[] = [];
  for (const nth of [1, 2, 3]) {
    asked = [];
    await verify({ slice: { nth, of: 3 } });
    expect(asked.filter(ofLog).toSorted()).toEqual(namedPaths().filter(ofLog));
    parts.push(...asked.filter((path) => !ofLog(path)));
  }
  expect(parts.toSorted()).toEqual(namedPaths().filter((path) => !ofLog(path)));
});

it('retention that cannot be asked for ends the check', async () => {
  retentionOf = () => {
    throw new Error('not now');
  };
  await expect(verify()).rejects.toThrow('not now');
});
