import { expect, it } from 'vitest';
import {
  artifactPath,
  intentPath,
  manifestPath,
  partPath,
  redactedManifestPath,
  redactedPath,
  userLeasePath,
  planPath,
} from '../../../../src/archive/paths.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { asUserId } from '../../../../src/model/ids.js';
import {
  readPlan,
  removePlan,
  writePlan,
  type ErasurePlan,
} from '../../../../src/archive/erasing/write-plan.js';
import { runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const id = runOf('E');
const ann = asUserId('ann');
const hash = sha256Hex('x');
const part = partPath('jobs', '2026-11-05', runOf('A'), 1, 'parquet');
const artifact = artifactPath(hash, 'csv', 0);
const quarantined = `_quarantine/${runOf('Q')}/${part}`;

const SAME_USERS = { users: null, oldUsers: null };

const plan: ErasurePlan = {
  format: 1,
  commits: [
    {
      number: 1,
      jobs: manifestPath('jobs', 1, hash),
      oldJobs: manifestPath('jobs', 1, sha256Hex('y')),
      users: manifestPath('users', 1, hash),
      oldUsers: null,
    },
    { number: 2, jobs: null, oldJobs: null, ...SAME_USERS },
  ],
  replaced: [part],
  doomed: [intentPath(runOf('D')), part, quarantined],
  leases: [userLeasePath(ann)],
  unnamed: [part],
};

it('the plan of an erasure comes back as it was written', async () => {
  const storage = createMemoryStorage();
  await writePlan(storage, id, plan);
  expect(await readPlan(storage, id)).toEqual(plan);
  expect([...storage.place.objects.keys()]).toEqual([`_erasures/${id}/plan.json`]);
});

it('the plan of an erasure is undefined if another run has just finished it', async () => {
  expect(await readPlan(createMemoryStorage(), id)).toBeUndefined();
});

it('the plan of an erasure that cannot be read now is no damage', async () => {
  const storage = createMemoryStorage();
  const failure = new Error('no connection');
  storage.get = () => Promise.reject(failure);
  await expect(readPlan(storage, id)).rejects.toBe(failure);
});

it.each<[string, Record<string, unknown>]>([
  ['another format', { format: 2 }],
  ['an artifact: rows say which of them go', { unnamed: [artifact] }],
  ['a commit 0', { commits: [{ number: 0, jobs: null, oldJobs: null, ...SAME_USERS }] }],
  ['half a commit', { commits: [{ number: 1, jobs: null }] }],
  [
    'more of a commit',
    { commits: [{ number: 1, jobs: null, oldJobs: null, ...SAME_USERS, more: 1 }] },
  ],
  [
    'a list of jobs elsewhere',
    { commits: [{ number: 1, jobs: part, oldJobs: null, ...SAME_USERS }] },
  ],
  [
    "another commit's list",
    {
      commits: [
        {
          number: 1,
          jobs: plan.commits[0]?.jobs,
          oldJobs: manifestPath('jobs', 2, hash),
          ...SAME_USERS,
        },
      ],
    },
  ],
  [
    "only another commit's list",
    {
      commits: [{ number: 2, jobs: manifestPath('jobs', 1, hash), oldJobs: null, ...SAME_USERS }],
    },
  ],
  [
    'a list of users as one of jobs',
    {
      commits: [{ number: 1, jobs: manifestPath('users', 1, hash), oldJobs: null, ...SAME_USERS }],
    },
  ],
  [
    'a list of jobs as one of users',
    {
      commits: [
        { number: 1, ...SAME_USERS, jobs: null, oldJobs: null, users: plan.commits[0]?.jobs },
      ],
    },
  ],
  [
    'a list of users elsewhere',
    { commits: [{ number: 1, ...SAME_USERS, jobs: null, oldJobs: null, oldUsers: part }] },
  ],
  [
    "another commit's list of users",
    {
      commits: [
        {
          number: 1,
          jobs: null,
          oldJobs: null,
          users: null,
          oldUsers: manifestPath('users', 2, hash),
        },
      ],
    },
  ],
  ['an artifact as a part file', { replaced: [artifact] }],
  ['a commit as a part file', { replaced: ['_commits/000000000001.json'] }],
  ['a commit among what lies around', { doomed: ['_commits/000000000001.json'] }],
  ['the identity among what lies around', { doomed: ['jobvault.json'] }],
  ["a run's lease", { leases: [`_leases/run-${id}.json`] }],
  ['a commit as content', { unnamed: ['_commits/000000000001.json'] }],
  ['more than is known', { more: 1 }],
  ['no leases', { leases: undefined }],
])(
  'the plan of an erasure is damaged with %s: it would do what no erasure does',
  async (_, over) => {
    const storage = createMemoryStorage();
    await storage.put(planPath(id), Buffer.from(JSON.stringify({ ...plan, ...over })));
    await expect(readPlan(storage, id)).rejects.toMatchObject({
      path: planPath(id),
      problem: 'unreadable',
      detail: 'is damaged: it is not a valid plan of an erasure',
      cause: expect.any(Error) as Error,
    });
    const written = writePlan(storage, id, { ...plan, ...over });
    await expect(written).rejects.toThrow();
  },
);

it('the plan of an erasure is damaged where it is no JSON', async () => {
  const storage = createMemoryStorage();
  await storage.put(planPath(id), Buffer.from('{"format":1'));
  await expect(readPlan(storage, id)).rejects.toMatchObject({ problem: 'unreadable' });
});

it('the plan of an erasure goes last, with nothing of another erasure', async () => {
  const storage = createMemoryStorage();
  const own = [redactedPath(id, 1), redactedManifestPath('jobs', id, 1), planPath(id)];
  const other = planPath(runOf('F'));
  for (const path of [...own, other]) await storage.put(path, Buffer.of(1));
  const gone: string[] = [];
  const remove = storage.delete.bind(storage);
  storage.delete = (path) => {
    gone.push(path);
    return remove(path);
  };
  await removePlan(storage, id);
  expect(gone.slice(0, 2).sort()).toEqual(own.slice(0, 2).sort());
  expect(gone.slice(2)).toEqual([planPath(id)]);
  expect([...storage.place.objects.keys()]).toEqual([other]);
});
