import { expect, it } from 'vitest';
import type { FileEntry } from '../../../src/archive/log/commit.js';
import { intentPath, partPath, runLeasePath, userLeasePath } from '../../../src/archive/paths.js';
import { encodeLeaseNote } from '../../../src/archive/runs/lease.js';
import { asUserId } from '../../../src/model/ids.js';
import { assertNotBeingDeleted, leftovers } from '../../../src/rewrite/erasure/plan-erasure.js';
import { ErasureTarget } from '../../../src/archive/erasing/erasure-target.js';
import { ObjectNotFoundError } from '../../../src/storage/storage-errors.js';
import type { RowFormat } from '../../../src/formats/format.js';
import {
  knowing,
  artifactFor,
  draft,
  makeJsonlArchive,
  reopened,
  runOf,
} from '../../support/store/archive-samples.js';
import { ANN, archiveOfThree, BegunErasure, processes } from '../../support/store/begun-erasure.js';
import { createMemoryStorage, type MemoryStorage } from '../../support/store/memory-storage.js';
import { commitJobs, jsonl } from '../../support/store/written-jobs.js';

const second: RowFormat = { ...jsonl, name: 'parquet', extension: 'parquet' };

const pathsOf = (files: readonly FileEntry[]) => files.map(({ path }) => path).sort();

async function planned(formats = [jsonl]) {
  const three = await archiveOfThree(undefined, formats);
  const archive = { ...three.archive, ...knowing(...formats) };
  const erasure = new BegunErasure(archive, ANN);
  await erasure.survey();
  three.storage.calls.clear();
  return { ...three, erasure, plan: await erasure.plan() };
}

it('the plan of an erasure is every file with rows of the erased, and stages nothing', async () => {
  const { plan, commits, storage } = await planned();
  const [one, two] = commits;
  expect(plan.base).toBe(3);
  expect([...plan.removed].sort()).toEqual(pathsOf([...one.files, ...two.files]));
  expect(plan.parts.map(({ file }) => file.path)).toEqual(plan.removed);
  expect(storage.place.staged.size).toBe(0);
});

it('the plan is nothing while another erasure is open that came since the log was read', async () => {
  const { archive } = await archiveOfThree();
  const erasure = new BegunErasure(reopened(archive), { users: ['ben'], sessions: [] });
  await erasure.survey();
  await new BegunErasure(archive, ANN, 'F').begin();
  await expect(erasure.plan()).rejects.toMatchObject({ name: 'ErasureUnfinishedError' });
});

it('the plan for one session counts no file that another session of its user names', async () => {
  const archive = await makeJsonlArchive(createMemoryStorage());
  const jobs = [
    { user: 'ann', session: 'a1', job: 'j1', files: ['one', 'both'], lost: 1 },
    { user: 'ann', session: 'a2', job: 'j2', files: ['both'] },
  ];
  await commitJobs(archive, jobs);
  const erasure = new BegunErasure(archive, { users: [], sessions: ['a1'] });
  await erasure.survey();
  const { erased } = await erasure.plan();
  expect(erased).toMatchObject({ artifacts: 1, artifact_bytes: 3, rows: { artifacts: 3 } });
});

it('the plan is none where rows of files cannot be read: others may have the same', async () => {
  const { archive, storage, commits } = await archiveOfThree();
  const file = commits[2].files.find(({ table }) => table === 'artifacts');
  await storage.put(file?.path ?? '', Buffer.from('x'));
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  await expect(erasure.plan()).rejects.toMatchObject({ path: file?.path, problem: 'size' });
});

it('the plan of an erasure has only counts in its receipt', async () => {
  const { plan } = await planned();
  expect(plan.erased).toMatchObject({
    sessions: 2,
    jobs: 2,
    rows: { jobs: 2, raw_jobs: 2, sessions: 2, artifacts: 2 },
    artifacts: 1,
    artifact_bytes: 'of ann'.length,
  });
});

it('the plan of an erasure counts rows once where the archive has two formats', async () => {
  const { plan, commits } = await planned([jsonl, second]);
  expect(plan.erased).toMatchObject({ jobs: 2, rows: { jobs: 2, sessions: 2 } });
  const [one, two] = commits;
  expect([...plan.removed].sort()).toEqual(pathsOf([...one.files, ...two.files]));
});

it('the plan leaves commits of others alone: of their files only the list of artifacts is read', async () => {
  const { storage, commits } = await planned();
  const read = commits[2].files.filter(({ path }) => storage.calls.has(`read ${path}`));
  expect(read.map(({ table }) => table)).toEqual(['artifacts']);
});

it('the plan includes files of rewrites with their rows, whatever users the commit names', async () => {
  const { archive, commits } = await archiveOfThree();
  const [one] = commits;
  const { storage } = archive;
  const old = one.files.filter(({ table }) => table === 'jobs');
  const path = partPath('jobs', '2026-11-05', runOf('C'), 1, 'jsonl.gz');
  const [file] = old;
  if (!file) throw new Error('no part');
  const staged = await storage.stage();
  for await (const chunk of storage.read(file.path)) await staged.write(chunk);
  await staged.close();
  await staged.publish(path);
  const merged = { files: [{ ...file, path }], removed: [file.path] };
  await archive.log.append(draft({ base: 3, run: runOf('C'), ...merged }));
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  const { removed, erased } = await erasure.plan();
  expect(removed).toContain(path);
  expect(removed).not.toContain(file.path);
  expect(erased.rows['jobs']).toBe(2);
});

it('the plan of an erasure does not read data sets for rows', async () => {
  const { archive } = await archiveOfThree();
  const nowhere = { rows: 1, bytes: 1, sha256: 'a'.repeat(64) };
  const files = [
    {
      ...nowhere,
      path: partPath('datasets', '2026-11-05', runOf('D'), 1, 'jsonl.gz'),
      table: 'datasets',
      schema: 'x',
    },
  ];
  await commitJobs(archive, [{ user: 'ann', session: 'a3', job: 'j3' }], {
    run: 'C',
    over: { files },
  });
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  expect((await erasure.plan()).removed).not.toContain(files[0]?.path);
});

it('the plan leaves a file of a commit that names the erased if it has only rows of others', async () => {
  const { archive } = await archiveOfThree();
  const jobs = [
    { user: 'ann', session: 'a3', job: 'j3' },
    { user: 'ben', session: 'b2', job: 'k2', files: ['of ben'] },
  ];
  const { files } = await commitJobs(archive, jobs, { run: 'C' });
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  const { removed } = await erasure.plan();
  const left = files.filter(({ path }) => !removed.includes(path));
  expect(left.map(({ table }) => table)).toEqual(['artifacts']);
});

it('the plan of an erasure is nothing where nobody has rows that go', async () => {
  const { archive } = await archiveOfThree();
  const erasure = new BegunErasure(archive, { users: ['dan'], sessions: [] });
  await erasure.survey();
  expect(await erasure.plan()).toEqual({
    base: 3,
    removed: [],
    parts: [],
    sessions: [],
    erased: { sessions: 0, jobs: 0, rows: {}, artifacts: 0, artifact_bytes: 0 },
  });
});

it('the plan of an erasure sees what was committed since the survey', async () => {
  const { archive } = await archiveOfThree();
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  await commitJobs(archive, [{ user: 'ann', session: 'a3', job: 'j3' }], { run: 'C' });
  const plan = await erasure.plan();
  expect([plan.base, plan.erased.sessions, plan.erased.jobs]).toEqual([4, 3, 3]);
});

it('the plan of an erasure is not finished when the run is aborted', async () => {
  const { archive } = await archiveOfThree();
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  await erasure.plan();
  const over = new Error('called off');
  erasure.abort.abort(over);
  await expect(erasure.plan()).rejects.toBe(over);
});

/** An intent to delete, as another run writes it. */
async function putIntent(storage: MemoryStorage, letter: string, intent: unknown): Promise<string> {
  const path = intentPath(runOf(letter));
  const text = typeof intent === 'string' ? intent : JSON.stringify(intent);
  await storage.put(path, Buffer.from(text));
  return path;
}

const annsIntent = { run: runOf('P'), user: 'ann', session: 'a1' };

const of = async (asked = ANN) => {
  const three = await archiveOfThree();
  const { archive, storage } = three;
  const put = (path: string) => storage.put(path, Buffer.of(1));
  const left = async () => {
    await archive.index.refresh();
    return leftovers(archive, runOf('E'), new ErasureTarget(asked));
  };
  return { ...three, put, left };
};

it('what goes beside the files is leases of the erased, also where there are none', async () => {
  const ann = asUserId('ann');
  const { left } = await of();
  expect(await left()).toEqual({
    leases: [userLeasePath(ann)],
    doomed: [],
    unnamed: [],
  });
});

it('what goes beside the files is intents about them, and those that nobody can read', async () => {
  const { storage, put, left } = await of();
  const own = await putIntent(storage, 'A', annsIntent);
  await putIntent(storage, 'B', { ...annsIntent, user: 'ben', session: 'b1' });
  const unread = await putIntent(storage, 'C', '{');
  await put('_intents/.DS_Store');
  expect((await left()).doomed).toEqual([own, unread]);
});

it('what goes leaves out an intent just settled; one that cannot be read now is an error', async () => {
  const { storage, left } = await of();
  const path = await putIntent(storage, 'A', annsIntent);
  const get = storage.get.bind(storage);
  let failure: Error = new Error('no connection');
  storage.get = (wanted) => (wanted === path ? Promise.reject(failure) : get(wanted));
  await expect(left()).rejects.toBe(failure);
  failure = new ObjectNotFoundError(path);
  expect((await left()).doomed).toEqual([]);
});

it('what goes is what lies in quarantine, but for what the archive may still need', async () => {
  const shared = artifactFor('shared').path;
  const own = artifactFor('of ann').path;
  const { commits, put, left } = await of();
  const inside = (path: string) => `_quarantine/${runOf('Q')}/${path}`;
  const stray = partPath('jobs', '2026-11-05', runOf('X'), 1, 'jsonl.gz');
  const needed = commits[2].files[0]?.path ?? '';
  for (const path of [stray, needed, shared, own]) await put(inside(path));
  await put('_quarantine/notes.txt');
  expect((await left()).doomed.sort()).toEqual([inside(stray), inside(own)].sort());
});

it('what goes beside the files is what left the archive before and is still there', async () => {
  const { archive, commits, left } = await of();
  const removed = commits[2].files.map(({ path }) => path);
  await archive.log.append(draft({ base: 3, run: runOf('C'), removed }));
  const [gone = '', ...standing] = removed;
  await archive.storage.delete(gone);
  expect((await left()).doomed).toEqual(standing.sort());
});

it('what goes beside the files is parts of other runs that nobody named; artifacts go by rows', async () => {
  const stray = artifactFor('stray').path;
  const part = (letter: string) => partPath('jobs', '2026-11-05', runOf(letter), 1, 'jsonl.gz');
  const { put, left } = await of();
  for (const path of [stray, 'artifacts/notes.txt', part('X'), part('E')]) await put(path);
  const { unnamed } = await left();
  expect(unnamed).toEqual([part('X')]);
});

const note = { run: runOf('P'), started: '1', beat: 0, boot: 'today' };

const check = async (intent: unknown, lease?: object) => {
  const { archive, storage } = await archiveOfThree();
  await putIntent(storage, 'A', intent);
  if (lease) {
    const bytes = encodeLeaseNote({ ...note, host: 'here', pid: 1, ...lease });
    await storage.put(runLeasePath(runOf('P')), bytes);
  }
  return assertNotBeingDeleted({ ...archive, processes }, new ErasureTarget(ANN));
};

it.each([
  ['lives', {}],
  ['may live elsewhere', { host: 'elsewhere' }],
])(
  'an erasure of what is being deleted is refused while the run that deletes it %s',
  async (_, lease) => {
    await expect(check(annsIntent, lease)).rejects.toMatchObject({
      name: 'LeaseHeldError',
      message: 'another run is working on deleting from the service what is to be erased',
    });
  },
);

it.each<[string, unknown, object | undefined]>([
  ['that run is dead', annsIntent, { pid: 2 }],
  ['that run has ended', annsIntent, undefined],
  ['it deletes what is not erased', { ...annsIntent, user: 'ben', session: 'b1' }, {}],
  ['the intent names no run', { user: 'ann', session: 'a1' }, {}],
  ['the intent names what is no run', { ...annsIntent, run: '../rewrite' }, {}],
  ['the intent cannot be read', '{', {}],
])(
  'an erasure of what is being deleted from the service goes on where %s',
  async (_, intent, lease) => {
    await expect(check(intent, lease)).resolves.toBeUndefined();
  },
);
