import { expect, it } from 'vitest';
import { sha256Hex } from '../../../../src/base/digest.js';
import { type Archive, filesOfTable } from '../../../../src/archive/archive.js';
import { sealCommit } from '../../../../src/archive/log/commit-reader.js';
import type { Commit, Unsealed } from '../../../../src/archive/log/commit.js';
import { artifactPath, commitPath, manifestPath } from '../../../../src/archive/paths.js';
import { verifyArchive, type VerifyReport } from '../../../../src/archive/verify/verify.js';
import {
  draft,
  knowing,
  lineFormat,
  putPart,
  reopened,
  runOf,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { makeSampleArchive } from '../../../support/store/sample-archive.js';
import { newestSnapshot, snapshotOf } from '../../../support/store/snapshots.js';
import { fault } from '../../../support/base/fault.js';

async function sample(): Promise<{ storage: MemoryStorage; archive: Archive }> {
  const storage = createMemoryStorage();
  return { storage, archive: await makeSampleArchive(storage) };
}

function verify(archive: Archive): Promise<VerifyReport> {
  return verifyArchive(reopened(archive));
}

async function problemsOf(archive: Archive): Promise<string[]> {
  const { problems } = await verify(archive);
  return problems.map(({ path, problem }) => `${problem}: ${path}`);
}

/** What a forger starts from. */
function withoutDigest(commit: Commit): Unsealed {
  const { digest, signature, signed_by: signedBy, ...body } = commit;
  expect([digest.length, signature, signedBy]).toEqual([64, null, null]);
  return body;
}

it('verifying a sound archive finds nothing, and counts what there is', async () => {
  const { storage, archive } = await sample();
  const report = await verify(archive);
  const named = [...storage.place.objects].filter(([path]) => !path.startsWith('_'));
  const bytes = named
    .filter(([path]) => path !== 'jobvault.json')
    .reduce((sum, [, content]) => sum + content.length, 0);
  expect(report).toEqual({
    location: 'memory',
    commits: 5,
    files: 5,
    artifacts: 2,
    replaced: { files: 0, bytes: 0 },
    bytes,
    snapshots: 0,
    retention: null,
    signatures: expect.objectContaining({ checked: false, signed: 0, unsigned: 5 }),
    timestamps: { checked: false, tokens: 0, newest: null },
    rewrites: {
      erasures: [],
      compactions: [{ commit: 4, at: '2026-11-05T12:00:00.000Z', merged: 1, written: 0 }],
    },
    tableRows: { jobs: 12, blocks: 2, artifacts: 3 },
    problems: [],
    notes: [],
    orphans: [],
    unread: 0,
    leftOut: { manifests: 0, snapshots: 0 },
    foreign: [],
    head: await archive.log.head(),
  });
});

it('a sound archive has each named object read once, but for part files: their rows are', async () => {
  const { storage, archive } = await sample();
  storage.calls.clear();
  await verify(archive);
  for (const path of storage.place.objects.keys()) {
    const reads = storage.calls.get(`read ${path}`) ?? 0;
    if (path.startsWith('artifacts/')) expect(reads).toBe(1);
    if (path.startsWith('tables/')) expect(reads).toBeLessThanOrEqual(3);
  }
});

it('verifying a sound archive reports its progress', async () => {
  const { archive } = await sample();
  const seen: number[] = [];
  await verifyArchive(archive, {
    concurrency: 3,
    onProgress: ({ checked, total }) => {
      expect(total).toBe(9);
      seen.push(checked);
    },
  });
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('verifying a sound archive stops when its signal is aborted', async () => {
  const { archive } = await sample();
  const stop = new AbortController();
  const stopping = verifyArchive(archive, {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error('enough')),
  });
  await expect(stopping).rejects.toThrow('enough');
});

it('verifying a sound archive accepts an archive without a commit', async () => {
  const { storage, archive } = await sample();
  const empty = createMemoryStorage();
  await empty.put('jobvault.json', await storage.get('jobvault.json'));
  expect(await verify(reopened(archive, empty))).toMatchObject({ commits: 0, problems: [] });
});

it('a sound archive has orphans listed and replaced objects counted, none as problems', async () => {
  const { storage, archive } = await sample();
  const removed = (await archive.log.read(4)).removed[0] ?? '';
  const part = await putPart(storage, { run: runOf('Z'), n: 1, rows: 1 });
  const orphans = [
    artifactPath('a'.repeat(64), 'csv', 0),
    manifestPath('jobs', 6, 'b'.repeat(64)), // of a run that was killed before it put its commit
  ];
  for (const path of [...orphans, removed]) await storage.put(path, Buffer.from('x'));
  await storage.put('_leases/x.json', Buffer.from('x'));
  const foreign = ['_commits/._000000000001.json', 'artifacts/aa/x.csv', 'notes.txt'];
  for (const path of foreign) await storage.put(path, Buffer.from('x'));
  const report = await verify(archive);
  expect(report.problems).toEqual([]);
  expect(report.orphans).toEqual([...orphans, part.path].sort());
  expect(report.replaced).toEqual({ files: 1, bytes: 1 });
  expect(report.foreign).toEqual(foreign);
});

// I-22 in FORMAT.md
it('verifying finds an object that is missing, of every kind', async () => {
  const { storage, archive } = await sample();
  const paths = [...storage.place.objects.keys()];
  await snapshotOf(archive);
  for (const path of paths) {
    const bytes = await storage.get(path);
    await storage.delete(path);
    const found = await problemsOf(archive);
    // What a lost commit had removed is missed too, and what followed on it cannot be checked.
    if (path.startsWith('_commits/')) expect(found).toContain(`missing: ${path}`);
    else expect(found).toEqual([`missing: ${path}`]);
    await storage.put(path, bytes);
  }
  expect(await problemsOf(archive)).toEqual([]);
});

it('verifying finds an object that is longer or shorter', async () => {
  const { storage, archive } = await sample();
  const file = (await filesOfTable(archive, 'blocks'))[0];
  const path = file?.path ?? '';
  await storage.put(path, Buffer.concat([await storage.get(path), Buffer.from('x')]));
  const { problems } = await verify(archive);
  expect(problems).toEqual([
    {
      path,
      problem: 'size',
      detail: `has ${(file?.bytes ?? 0) + 1} bytes instead of ${file?.bytes ?? 0}`,
    },
  ]);
});

it('verifying finds a part file that holds another number of rows than was committed', async () => {
  const { storage, archive } = await sample();
  const part = await putPart(storage, { run: runOf('B'), n: 1, rows: 3 });
  await archive.log.append(draft({ base: 5, files: [{ ...part, rows: 4 }] }));
  const { problems } = await verify(archive);
  expect(problems).toEqual([
    { path: part.path, problem: 'rows', detail: 'has 3 rows instead of 4' },
  ]);
});

it('verifying finds a part file that its format cannot read, or that no format knows', async () => {
  const { storage, archive } = await sample();
  const part = await putPart(storage, { run: runOf('B'), n: 1, rows: 3 });
  await archive.log.append(draft({ base: 5, files: [part] }));
  const failing = { ...lineFormat, countRows: () => Promise.reject(new Error('no footer')) };
  const report = await verifyArchive({ ...reopened(archive), ...knowing(failing) });
  expect(report.problems).toHaveLength(6);
  expect(report.problems[0]?.detail).toBe('is not valid parquet: no footer');
  const unknown = await verifyArchive({ ...reopened(archive), ...knowing() });
  expect(new Set(unknown.problems.map(({ problem }) => problem))).toEqual(new Set(['unreadable']));
});

it('verifying finds two commits that changed places', async () => {
  const { storage, archive } = await sample();
  const two = await storage.get(commitPath(2));
  await storage.put(commitPath(2), await storage.get(commitPath(3)));
  await storage.put(commitPath(3), two);
  const found = await problemsOf(archive);
  expect(found).toContain(`chain: ${commitPath(2)}`);
  expect(found).toContain(`chain: ${commitPath(3)}`);
});

it('verifying finds a commit that was added', async () => {
  const { storage, archive } = await sample();
  await storage.put(commitPath(6), await storage.get(commitPath(5)));
  expect(await problemsOf(archive)).toEqual([`chain: ${commitPath(6)}`]);
  const body = { ...withoutDigest(await archive.log.read(5)), number: 6 };
  await storage.put(commitPath(6), sealCommit(body).bytes);
  expect(await problemsOf(archive)).toEqual([`chain: ${commitPath(6)}`]);
});

it('verifying finds a commit in the middle that was rewritten with a fitting digest', async () => {
  const { storage, archive } = await sample();
  const body = withoutDigest(await archive.log.read(2));
  await storage.put(commitPath(2), sealCommit({ ...body, tool: 'forger 1.0' }).bytes);
  expect(await problemsOf(archive)).toEqual([`chain: ${commitPath(3)}`]);
});

it(
  'verifying finds the newest commit gone, by a snapshot that was made from it',
  fault('F-89'),
  async () => {
    const { storage, archive } = await sample();
    await snapshotOf(archive);
    for (const number of [5, 6]) await storage.delete(commitPath(number));
    const { problems } = await verify(archive);
    const path = await newestSnapshot(archive);
    expect(problems).toMatchObject([{ path, problem: 'chain' }]);
    expect(problems[0]?.detail).toMatch(/may have been cut/);
  },
);

it('verifying finds an archive that has lost its identity', async () => {
  const { storage, archive } = await sample();
  storage.place.objects.set('jobvault.json', Buffer.from('{}'));
  expect(await problemsOf(archive)).toEqual(['unreadable: jobvault.json']);
});

// I-21 in FORMAT.md
it("a table's files are those of the newest commit, ordered by path, without removed ones", async () => {
  const { storage, archive } = await sample();
  const files = await filesOfTable(archive, 'jobs');
  expect(files.map(({ rows }) => rows)).toEqual([5, 7]);
  for (const { path, sha256 } of files) expect(sha256Hex(await storage.get(path))).toBe(sha256);
  expect(await filesOfTable(archive, 'datasets')).toEqual([]);
});
