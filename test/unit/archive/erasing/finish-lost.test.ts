/** What an erasure whose plan is lost deletes once its commits are redacted, and what it leaves. */
import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { lostErasures } from '../../../../src/archive/erasing/erasures.js';
import {
  artifactPath,
  commitPath,
  deltaObjectOf,
  isPart,
  manifestPath,
  partPath,
  planPath,
  runLeasePath,
  snapshotPath,
  statesPath,
} from '../../../../src/archive/paths.js';
import { encodeLeaseNote } from '../../../../src/archive/runs/lease.js';
import type { RowFormat } from '../../../../src/formats/format.js';
import { createParquetFormat } from '../../../../src/formats/parquet/parquet-format.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { finishErasure } from '../../../../src/archive/erasing/finish-erasure.js';
import {
  commitsOfLost,
  disregardLost,
  isNamedInLost,
} from '../../../../src/archive/erasing/finish-lost.js';
import { Removal } from '../../../../src/archive/erasing/removal.js';
import { ErasureTarget } from '../../../../src/archive/erasing/erasure-target.js';
import { artifactFor, draft, reopened, runOf } from '../../../support/store/archive-samples.js';
import {
  ANN,
  archiveOfThree,
  BegunErasure,
  processes,
} from '../../../support/store/begun-erasure.js';
import { copyOf, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs, jsonl } from '../../../support/store/written-jobs.js';
import { artifactsIn } from '../../../support/store/artifacts-in.js';

const id = runOf('E');
const RECEIPT = 4;

const paths = ({ place }: MemoryStorage) => [...place.objects.keys()].sort();
const sha = (digit: string) => digit.repeat(64);
const finishing = (archive: Archive) => ({ archive, run: runOf('F'), checkpoint: 3 });

type Three = Awaited<ReturnType<typeof archiveOfThree>>;

/** The receipt of Ann's erasure stands, her commits are redacted unless said otherwise, and its plan is lost. */
async function lost({
  before,
  redacted = true,
  formats = [jsonl],
}: {
  readonly before?: (three: Three) => Promise<unknown>;
  readonly redacted?: boolean;
  readonly formats?: readonly RowFormat[];
} = {}) {
  const three = await archiveOfThree(undefined, [...formats]);
  await before?.(three);
  const { archive, storage } = three;
  const receipt = await new BegunErasure(archive).begin();
  if (redacted) await redact(three);
  dropAside(storage);
  return { ...three, receipt };
}

/** The commits alone, as where the whole of the erasure was carried out elsewhere. */
async function redact({ archive, storage }: Pick<Three, 'archive' | 'storage'>) {
  const elsewhere = copyOf(storage);
  await finishErasure(finishing(reopened(archive, elsewhere)), id);
  for (const [path, bytes] of elsewhere.place.objects) {
    if (/^_commits\/0+[12]\./.test(path)) storage.place.objects.set(path, bytes);
  }
}

function dropAside(storage: MemoryStorage) {
  for (const path of paths(storage)) {
    if (path.startsWith('_erasures/')) storage.place.objects.delete(path);
  }
}

/** Finishes it as another process, with these around; says which of them are left. */
async function leftOf(
  { archive, storage }: Pick<Three, 'archive' | 'storage'>,
  around: readonly string[],
) {
  for (const path of around) await storage.put(path, Buffer.from('around'));
  await finishErasure(finishing(reopened(archive)), id);
  const there = paths(storage);
  return around.filter((path) => there.includes(path));
}

it('content that left goes where a commit up to the receipt removed it, whatever its grace', async () => {
  let earlier = '';
  const all = await lost({
    before: async ({ archive, commits }) => {
      earlier = commits[2].files[0]?.path ?? '';
      await archive.log.append(draft({ base: 3, run: runOf('C'), removed: [earlier] }));
      await archive.index.refresh();
    },
  });
  const gone = [earlier, ...all.receipt.removed];
  expect(gone.length).toBeGreaterThan(2);
  expect(paths(all.storage)).toEqual(expect.arrayContaining(gone));
  await leftOf(all, []);
  expect(paths(all.storage).filter((path) => gone.includes(path))).toEqual([]);
});

it('content that left stays where a commit after the receipt removed it: grace is not over', async () => {
  const all = await lost();
  const { archive, storage, commits } = all;
  const later = commits[2].files.map(({ path }) => path);
  await archive.index.refresh();
  await archive.log.append(draft({ base: RECEIPT, run: runOf('C'), removed: later }));
  await leftOf(all, []);
  expect(paths(storage)).toEqual(expect.arrayContaining(later));
});

it('content that left takes along nothing that the archive has or another run put there', async () => {
  const all = await lost();
  const { archive, storage } = all;
  const others = [
    partPath('jobs', '2026-11-04', runOf('X'), 1, 'jsonl.gz'),
    'tables/notes.txt',
    'workbooks/mine.xlsx',
  ];
  expect(await leftOf(all, others)).toEqual(others);
  const after = reopened(archive);
  await after.index.refresh();
  const { files } = after.index.contents;
  const artifacts = await artifactsIn(after);
  expect(files.size).toBeGreaterThan(5);
  expect(paths(storage)).toEqual(expect.arrayContaining([...files.keys(), ...artifacts.keys()]));
  const { problems } = await verifyArchive(after);
  expect(problems).toEqual([]);
});

it("readers of Delta find the receipt's version before an earlier one's file goes", async () => {
  const formats = [createParquetFormat()];
  const begin = ({ archive }: Three) => archive.delta.publish({ begin: true });
  const { archive, storage } = await lost({ formats, before: begin });
  const versions = () => paths(storage).filter((path) => deltaObjectOf(path)?.table === 'jobs');
  const before = versions();
  expect(before.length).toBeGreaterThan(0);
  const atDelete: string[][] = [];
  const watched: Storage = {
    ...storage,
    delete: (path) => {
      if (isPart(path)) atDelete.push(versions());
      return storage.delete(path);
    },
  };
  await finishErasure(finishing(reopened(archive, watched)), id);
  const [first = []] = atDelete;
  expect(first.filter((path) => !before.includes(path))).not.toEqual([]);
  expect(first).toEqual(versions());
});

describe('finish lost', () => {
  const unnamed = (digit: string, erasure: number) => artifactPath(sha(digit), 'csv', erasure);

  it('artifacts go where no commit names them and they are from before the receipt', async () => {
    const all = await lost();
    const own = artifactFor('of ann').path;
    expect(paths(all.storage)).toContain(own);
    expect(await leftOf(all, [unnamed('1', 0), unnamed('2', RECEIPT - 1), own])).toEqual([]);
  });

  it('artifacts stay where they are from after the receipt: a run may be about to name them', async () => {
    const later = [unnamed('1', RECEIPT), unnamed('2', RECEIPT + 1)];
    expect(await leftOf(await lost(), later)).toEqual(later);
  });

  it('artifacts stay where a commit names them, from before the receipt or after it', async () => {
    const all = await lost();
    const { archive, storage } = all;
    const dees = { user: 'dee', session: 'd1', job: 'm1', files: ['of dee'] };
    await commitJobs(reopened(archive), [dees], { run: 'D' });
    await leftOf(all, []);
    const named = ['shared', 'of cyd', 'of dee'].map((text) => artifactFor(text).path);
    expect(paths(storage)).toEqual(expect.arrayContaining(named));
  });

  it('artifacts of the erased go though this process has read the log before it was redacted', async () => {
    const { archive, storage } = await archiveOfThree();
    await new BegunErasure(archive).begin();
    const early = reopened(archive);
    await early.index.refresh();
    await redact({ archive, storage });
    dropAside(storage);
    await finishErasure(finishing(early), id);
    expect(paths(storage)).not.toContain(artifactFor('of ann').path);
  });

  it('artifacts do not take along a file of somebody else beside them', async () => {
    const foreign = ['artifacts/notes.txt', `artifacts/11/${sha('2')}.csv`, 'artifacts/11/x.csv'];
    expect(await leftOf(await lost(), foreign)).toEqual(foreign);
  });
});

it('what was derived from the log goes: snapshots with their states', async () => {
  const derived = [
    snapshotPath(2, runOf('S')),
    snapshotPath(RECEIPT, runOf('S')),
    statesPath(2, runOf('S'), 1),
    statesPath(RECEIPT, runOf('T'), 2),
  ];
  expect(await leftOf(await lost(), derived)).toEqual([]);
});

it('what was derived from the log does not take along a file of somebody else beside it', async () => {
  const foreign = ['_snapshots/notes.txt', '_snapshots/1.jsonl.gz'];
  expect(await leftOf(await lost(), foreign)).toEqual(foreign);
});

const stray = (number: number) => [
  manifestPath('jobs', number, sha('a')),
  manifestPath('users', number, sha('b')),
];

it('finish lost lists of jobs and of users go where a commit of the receipt does not name them', async () => {
  const all = await lost();
  const { storage, commits } = all;
  const old = commits.slice(0, 2).flatMap(({ jobs, users }) => [jobs?.path, users?.path]);
  const hers = old.flatMap((path) => path ?? []);
  expect(hers).toHaveLength(3);
  expect(await leftOf(all, [...stray(1), ...stray(2)])).toEqual([]);
  expect(paths(storage).filter((path) => hers.includes(path))).toEqual([]);
});

it('finish lost lists of jobs and of users stay where the commit names them now', async () => {
  const all = await lost();
  const now = await reopened(all.archive).log.read(1);
  const named = [now.jobs?.path, now.users?.path];
  await leftOf(all, []);
  expect(named).not.toContain(undefined);
  expect(paths(all.storage)).toEqual(expect.arrayContaining(named));
});

it('lists of jobs and users of a commit up to the receipt go, if it does not name them', async () => {
  const all = await lost();
  const { jobs } = all.commits[2];
  expect(await leftOf(all, [...stray(3), ...stray(RECEIPT)])).toEqual([]);
  expect(paths(all.storage)).toContain(jobs?.path);
});

it('lists of jobs and users stay where a run may name them in a commit after the receipt', async () => {
  expect(await leftOf(await lost(), stray(RECEIPT + 1))).toEqual(stray(RECEIPT + 1));
});

it('the end of an erasure takes along no file of somebody else beside lists of its commits', async () => {
  const foreign = [
    '_commits/notes.txt',
    `_commits/1.${sha('a')}.jobs.jsonl.gz`,
    `_commits/000000000001.${sha('a')}.other.jsonl.gz`,
  ];
  const all = await lost();
  expect(await leftOf(all, foreign)).toEqual(foreign);
  expect(paths(all.storage)).toEqual(expect.arrayContaining([1, 2, 3, 4, 5].map(commitPath)));
});

describe('finish lost', () => {
  const asked = (...users: string[]) => new ErasureTarget({ users, sessions: [] });

  it('who asks for a lost erasure gets its commits once, and all others, as they are now', async () => {
    const { archive } = await lost({ redacted: false });
    const fresh = { ...reopened(archive), processes };
    await fresh.index.refresh();
    const erasures = await disregardLost(fresh);
    expect(erasures).toEqual([{ id, receipt: RECEIPT }]);
    const numbers: number[] = [];
    for await (const { number } of commitsOfLost(fresh, [...erasures, ...erasures])) {
      numbers.push(number);
    }
    expect(numbers).toEqual([1, 2]);
  });

  it('who asks for a lost erasure learns whether one of them has the id itself', async () => {
    const { archive } = await lost({ redacted: false });
    const fresh = { ...reopened(archive), processes };
    await fresh.index.refresh();
    const erasures = await disregardLost(fresh);
    const isNamed = (target: ErasureTarget) => isNamedInLost(fresh, erasures, target);
    expect(await isNamed(new ErasureTarget(ANN))).toBe(true);
    expect(await isNamed(asked('nobody', 'ann'))).toBe(true);
    expect(await isNamed(new ErasureTarget({ users: [], sessions: ['a2'] }))).toBe(true);
    expect(await isNamed(asked('an'))).toBe(false);
    expect(await isNamed(asked('cyd'))).toBe(false);
    expect(await isNamedInLost(fresh, [], new ErasureTarget(ANN))).toBe(false);
  });

  it('who asks for a lost erasure hears of none that redacted them: nobody is named any more', async () => {
    const { archive } = await lost();
    const fresh = { ...reopened(archive), processes };
    await fresh.index.refresh();
    const erasures = await disregardLost(fresh);
    expect(await isNamedInLost(fresh, erasures, new ErasureTarget(ANN))).toBe(false);
  });

  it('who asks for a lost erasure reads the log as it is, though its substitutes lie aside', async () => {
    const { archive, storage } = await archiveOfThree();
    await new BegunErasure(archive).begin();
    await storage.delete(planPath(id));
    const fresh = { ...reopened(archive), processes };
    const inLog = async () => {
      await fresh.index.refresh();
      const { sessions } = await fresh.log.read(1);
      return [sessions.map(({ user }) => user), [...fresh.index.users]];
    };
    expect(await inLog()).toEqual([['ben'], ['ben', 'cyd']]);
    const erasures = await disregardLost(fresh);
    expect(erasures).toEqual([{ id, receipt: RECEIPT }]);
    expect(await inLog()).toEqual([
      ['ann', 'ben'],
      ['ann', 'ben', 'cyd'],
    ]);
    expect(await isNamedInLost(fresh, erasures, new ErasureTarget(ANN))).toBe(true);
  });

  it('who asks for a lost erasure does not read past what a living run has put aside', async () => {
    const { archive, storage } = await lost({ redacted: false });
    const note = { run: id, ...processes.self, beat: 0 };
    await storage.put(runLeasePath(id), encodeLeaseNote(note));
    const fresh = { ...reopened(archive), processes };
    await fresh.index.refresh();
    expect(await lostErasures(fresh)).toEqual([{ id, receipt: RECEIPT }]);
    expect(await disregardLost(fresh)).toEqual([]);
    await storage.put(runLeasePath(id), encodeLeaseNote({ ...note, pid: 7 }));
    expect(await disregardLost(fresh)).toEqual([{ id, receipt: RECEIPT }]);
  });
});

it.each([
  [['a'], 'a is still in memory, which has said'],
  [['c', 'a', 'b'], 'a is still in memory, with 2 more, which has said'],
])('objects %j that a store keeps, though it says otherwise, are told', async (paths, told) => {
  const storage = createMemoryStorage();
  const removal = new Removal({ ...storage, delete: () => Promise.resolve() });
  for (const path of paths) {
    await storage.put(path, Buffer.from('x'));
    await removal.delete(path);
  }
  await expect(removal.assertGone()).rejects.toThrow(told);
});
