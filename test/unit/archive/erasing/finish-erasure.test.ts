import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import {
  artifactPath,
  commitPath,
  manifestPath,
  partPath,
  redactedManifestPath,
  redactedPath,
  userLeasePath,
  planPath,
} from '../../../../src/archive/paths.js';
import { listedIn } from '../../../../src/archive/log/manifest.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { asUserId, type RunId } from '../../../../src/model/ids.js';
import { writePlan, type ErasurePlan } from '../../../../src/archive/erasing/write-plan.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { finishErasure, finishErasures } from '../../../../src/archive/erasing/finish-erasure.js';
import {
  artifactFor,
  draft,
  reopened,
  runOf,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';
import { dyingAfter } from '../../../support/store/dying-storage.js';
import { copyOf, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs } from '../../../support/store/written-jobs.js';
import { fault } from '../../../support/base/fault.js';

const id = runOf('E');
const ann = asUserId('ann');
const own = artifactFor('of ann').path;

/** Of which the receipt stands, with everything of hers that may lie around. */
async function begun(changed?: (plan: ErasurePlan) => ErasurePlan) {
  const three = await archiveOfThree();
  const { archive, storage } = three;
  await storage.put(userLeasePath(ann), Buffer.of(1));
  const stray = partPath('jobs', '2026-11-04', runOf('X'), 1, 'jsonl.gz');
  await storage.put(stray, Buffer.from('of ann'));
  const erasure = new BegunErasure(archive);
  const receipt = await erasure.begin(changed);
  return { ...three, receipt, stray, erasure };
}

const finishing = (archive: Archive) => ({
  archive,
  run: runOf('F'),
  checkpoint: 3,
});

const paths = ({ place }: MemoryStorage) => [...place.objects.keys()].sort();

describe('finish erasure', () => {
  it('an erasure leaves nothing of what was erased, and an archive that is complete', async () => {
    const { archive, storage, receipt, stray, commits } = await begun();
    expect(await finishErasure(finishing(reopened(archive)), id)).toBe(5);
    const left = paths(storage);
    const replaced = [...receipt.removed];
    const gone = [own, stray, userLeasePath(ann), ...replaced];
    const lists = commits.slice(0, 2).flatMap(({ jobs, users }) => [jobs?.path, users?.path]);
    expect(left.filter((path) => [...gone, ...lists].includes(path))).toEqual([]);
    expect(left.filter((path) => path.startsWith('_erasures/'))).toEqual([]);
    expect(left).toContain(artifactFor('shared').path);
    const { problems, orphans } = await verifyArchive(reopened(archive));
    expect([problems, orphans]).toEqual([[], []]);
    expect(storage.place.staged.size).toBe(0);
  });

  it('an erasure has redacted commits, and one that says that it is finished', async () => {
    const { archive, receipt } = await begun();
    const fresh = reopened(archive);
    await finishErasure(finishing(fresh), id);
    const [one, two] = [await fresh.log.read(1), await fresh.log.read(2)];
    expect([one.redacted_by, two.redacted_by]).toEqual([receipt.number, receipt.number]);
    expect([one.sessions.map(({ user }) => user), two.sessions]).toEqual([['ben'], []]);
    expect(await fresh.log.read(5)).toMatchObject({
      kind: 'erase',
      run: runOf('F'),
      checkpoint: 3,
      tool: 'jobvault 0.1.0',
      base: 4,
      scope: {},
      erasure: { stage: 'finished', id, begun: receipt.number },
    });
    expect([fresh.index.through, fresh.index.openErasures.size]).toEqual([5, 0]);
  });

  it('an erasure leaves the jobs manifest of a commit that only names the erased as users', async () => {
    const { archive, storage } = await archiveOfThree();
    const over = { users: [userEntry('ann'), userEntry('ben')] };
    const bens = { user: 'ben', session: 'b2', job: 'k2' };
    const { jobs } = await commitJobs(archive, [bens], { run: 'D', over });
    await archive.log.append(draft({ base: 4, run: runOf('D'), checkpoint: 2, ...over }));
    await new BegunErasure(archive).begin();
    const fresh = reopened(archive);
    expect(await finishErasure(finishing(fresh), id)).toBe(7);
    const [four, five] = [await fresh.log.read(4), await fresh.log.read(5)];
    const listed = [await listedIn(fresh, four), await listedIn(fresh, five)];
    expect(listed.flat().map(({ user }) => user)).toEqual(['ben', 'ben']);
    expect([four.jobs, five.jobs]).toEqual([jobs, null]);
    expect(paths(storage)).toContain(jobs?.path);
  });

  it('an erasure is not finished where what is left of a commit cannot be read', async () => {
    const { archive, storage } = await begun();
    const lost = new StorageError('connection lost');
    const failing: Storage = {
      ...storage,
      get: (path) => (path === redactedPath(id, 1) ? Promise.reject(lost) : storage.get(path)),
    };
    await expect(finishErasure(finishing(reopened(archive, failing)), id)).rejects.toBe(lost);
    expect(paths(storage)).toContain(planPath(id));
    expect((await reopened(archive).log.head())?.number).toBe(4);
  });

  const said = [
    ['the deletion of an artifact', 'delete', own],
    ['the deletion of a part file that no commit names', 'delete', '/dt=2026-11-04/'],
    ['the deletion of a manifest', 'delete', '.jobs.jsonl.gz'],
    ['the redaction of a commit', 'compareAndSwap', commitPath(1)],
  ] as const;

  it.each(said)(
    'an erasure is not finished where the store says that it did %s, and did not',
    fault('F-106'),
    async (_, does, what) => {
      const { archive, storage } = await begun();
      const whole = copyOf(storage);
      await finishErasure(finishing(reopened(archive, whole)), id);
      const lying: Storage = {
        ...storage,
        delete: (path) => {
          return does === 'delete' && path.includes(what)
            ? Promise.resolve()
            : storage.delete(path);
        },
        compareAndSwap: (path, ...rest) => {
          if (does === 'compareAndSwap' && path === what) return Promise.resolve(true);
          return storage.compareAndSwap(path, ...rest);
        },
      };
      await expect(finishErasure(finishing(reopened(archive, lying)), id)).rejects.toMatchObject({
        name: 'StorageError',
        trouble: 'front',
        message: expect.stringMatching(
          /the erasure is not finished, and the next run goes on with it$/,
        ),
      });
      expect((await reopened(archive).log.head())?.number).toBe(4);
      expect(await finishErasure(finishing(reopened(archive)), id)).toBe(5);
      expect(paths(storage)).toEqual(paths(whole));
    },
  );

  it("an erasure is not finished where a commit's substitute has gone; the commit stays", async () => {
    const { archive, storage } = await begun();
    const before = await storage.get(commitPath(1));
    const aside = await storage.get(redactedPath(id, 1));
    await storage.delete(redactedPath(id, 1));
    await expect(finishErasure(finishing(reopened(archive)), id)).rejects.toMatchObject({
      name: 'StorageError',
      message: expect.stringMatching(/still name what is to be erased/),
    });
    expect(await storage.get(commitPath(1))).toEqual(before);
    await storage.put(redactedPath(id, 1), aside);
    expect(await finishErasure(finishing(reopened(archive)), id)).toBe(5);
  });

  it('an erasure deletes the lists of its commits though the store does not list them', async () => {
    const { archive, storage, commits } = await begun();
    const forgetful: Storage = {
      ...storage,
      async *list(prefix, options) {
        for await (const object of storage.list(prefix, options)) {
          if (!/\.(jobs|users)\./.test(object.path)) yield object;
        }
      },
    };
    await finishErasure(finishing(reopened(archive, forgetful)), id);
    const lists = commits.slice(0, 2).flatMap(({ jobs, users }) => [jobs?.path, users?.path]);
    expect(paths(storage).filter((path) => lists.includes(path))).toEqual([]);
  });

  it(
    'an erasure whose receipt stands deletes once more what somebody has put again meanwhile',
    fault('F-106'),
    async () => {
      const { archive, storage } = await begun();
      let isPut = false;
      const shared: Storage = {
        ...storage,
        stat: async (path) => {
          if (path === own && !isPut) {
            isPut = true;
            await storage.put(own, Buffer.from('of ann'));
          }
          return storage.stat(path);
        },
      };
      expect(await finishErasure(finishing(reopened(archive, shared)), id)).toBe(5);
      expect([isPut, paths(storage).includes(own)]).toEqual([true, false]);
    },
  );

  it('an erasure is finished by the next run, wherever the one before was killed', async () => {
    const { archive, storage } = await begun();
    const whole = copyOf(storage);
    expect(await finishErasure(finishing(reopened(archive, whole)), id)).toBe(5);
    // `test/fault` kills it at each step
    for (let steps = 0; steps < 100; steps += 4) {
      const place = copyOf(storage);
      const dying = dyingAfter(place, steps);
      const killed = finishErasure(finishing(reopened(archive, dying)), id);
      if (await killed.then(Number.isInteger, () => false)) return;
      await finishErasure(finishing(reopened(archive, place)), id);
      expect(paths(place)).toEqual(paths(whole));
    }
    expect.unreachable('it takes fewer than 100 steps');
  });
});

describe('finish erasure', () => {
  const missing = {
    path: planPath(id),
    problem: 'missing',
    detail:
      'is missing, and the receipt in commit 4 does not say whom it erases: put it back, or erase the same users or sessions again, which finishes it',
  };

  /** As far as the redaction of these commits, where the whole of the erasure was carried out elsewhere. */
  async function redacted(numbers: readonly number[]) {
    const all = await begun();
    const elsewhere = copyOf(all.storage);
    await finishErasure(finishing(reopened(all.archive, elsewhere)), id);
    const { objects } = all.storage.place;
    for (const [path, bytes] of elsewhere.place.objects) {
      const isOf = (number: number) => path.startsWith(commitPath(number).replace('json', ''));
      if (numbers.some(isOf)) objects.set(path, bytes);
    }
    await all.storage.delete(planPath(id));
    return { ...all, elsewhere };
  }

  it(
    'an erasure whose plan is lost is not finished: nobody knows what is left of whom',
    fault('F-93'),
    async () => {
      const { archive, storage } = await begun();
      await storage.delete(planPath(id));
      const before = [...storage.place.objects];
      const fresh = reopened(archive);
      await expect(finishErasure(finishing(fresh), id)).rejects.toMatchObject(missing);
      expect([...storage.place.objects]).toEqual(before);
    },
  );

  it('an erasure whose plan is lost is not finished while one of its commits is as it was before', async () => {
    const { archive } = await redacted([1]);
    const fresh = reopened(archive);
    await expect(finishErasure(finishing(fresh), id)).rejects.toMatchObject(missing);
    expect((await reopened(archive).log.head())?.number).toBe(4);
  });

  it('an erasure without its plan is finished once all its commits are redacted', async () => {
    const { archive, storage, receipt, elsewhere } = await redacted([1, 2]);
    const fresh = reopened(archive);
    expect(await finishErasure(finishing(fresh), id)).toBe(5);
    expect((await fresh.log.read(5)).erasure).toEqual({
      stage: 'finished',
      id,
      begun: receipt.number,
    });
    // of a run that never committed, and of a user of whom only the plan knew
    const unknown = [userLeasePath(ann), partPath('jobs', '2026-11-04', runOf('X'), 1, 'jsonl.gz')];
    expect(paths(storage)).toEqual([...paths(elsewhere), ...unknown].sort());
    const { problems } = await verifyArchive(reopened(archive));
    expect(problems).toEqual([]);
  });

  it('an erasure whose plan is lost keeps what the archive has still, though it finishes', async () => {
    const { archive, storage } = await redacted([1, 2]);
    await finishErasure(finishing(reopened(archive)), id);
    expect(paths(storage)).toContain(artifactFor('shared').path);
    expect(paths(storage)).toContain(artifactFor('of cyd').path);
  });

  it("a dead run's erasure without plan keeps no other run from its work", async () => {
    const { archive, storage } = await begun();
    for (const path of paths(storage)) {
      if (path.startsWith('_erasures/')) await storage.delete(path);
    }
    await archive.index.refresh();
    expect(await finishErasures(finishing(archive), () => Promise.resolve(true))).toEqual([]);
    expect([...archive.index.openErasures.keys()]).toEqual([id]);
  });

  it("a dead run's erasure without plan is finished by the next run, with nothing aside for it", async () => {
    const { archive, storage } = await redacted([1, 2]);
    for (const path of paths(storage)) {
      if (path.startsWith('_erasures/')) await storage.delete(path);
    }
    const fresh = reopened(archive);
    await fresh.index.refresh();
    expect(await finishErasures(finishing(fresh), () => Promise.resolve(false))).toEqual([]);
    expect(await finishErasures(finishing(fresh), () => Promise.resolve(true))).toEqual([5]);
  });
});

it('what an erasure only prepared goes, and nothing else does', async () => {
  const { archive, storage, commits } = await archiveOfThree();
  const before = paths(storage);
  const around = { leases: [], doomed: [], unnamed: commits[0].files.map(({ path }) => path) };
  await writePlan(storage, id, { format: 1, commits: [], replaced: [], ...around });
  await storage.put(redactedPath(id, 1), Buffer.of(1));
  expect(await finishErasure(finishing(archive), id)).toBeUndefined();
  expect(paths(storage)).toEqual(before);
  expect(archive.index.through).toBe(3);
});

describe('finish erasure', () => {
  const other = `_commits/000000000001.${'a'.repeat(64)}.jobs.jsonl.gz`;
  const withCommit = (over: object) => (plan: ErasurePlan) => ({
    ...plan,
    commits: plan.commits.map((commit, at) => (at === 0 ? { ...commit, ...over } : commit)),
  });
  const otherUsers = other.replace('.jobs.', '.users.');
  const withOldJobsLeft = (plan: ErasurePlan) =>
    withCommit({ oldJobs: plan.commits[0]?.jobs })(plan);
  const withOldUsersLeft = (plan: ErasurePlan) =>
    withCommit({ oldUsers: plan.commits[0]?.users })(plan);
  const stranger = partPath('jobs', '2026-11-05', runOf('B'), 1, 'jsonl.gz');

  it.each<[string, string, (plan: ErasurePlan) => ErasurePlan]>([
    [
      'of another commit',
      'commit 3',
      (plan) => ({
        ...plan,
        commits: [
          ...plan.commits,
          { number: 3, jobs: null, oldJobs: null, users: null, oldUsers: null },
        ],
      }),
    ],
    ['of another list of jobs', 'commit 1', withCommit({ jobs: other })],
    ['of the list of jobs that is left', 'commit 1', withOldJobsLeft],
    ['of another list of users', 'commit 1', withCommit({ users: otherUsers })],
    ['of the list of users that is left', 'commit 1', withOldUsersLeft],
    ['of another file', stranger, (plan) => ({ ...plan, replaced: [...plan.replaced, stranger] })],
    ['of a file in the archive', stranger, (plan) => ({ ...plan, doomed: [stranger] })],
  ])(
    'a plan that says more than its receipt %s is refused as damage before anything goes',
    async (_, what, changed) => {
      const { archive, storage } = await begun(changed);
      const before = paths(storage);
      const fresh = reopened(archive);
      await expect(finishErasure(finishing(fresh), id)).rejects.toMatchObject({
        path: planPath(id),
        problem: 'digest',
        detail: `is damaged: its receipt, commit 4, does not vouch for what it says of ${what}`,
      });
      expect(paths(storage)).toEqual(before);
    },
  );

  it.each([
    ['a commit', redactedPath(id, 1)],
    ['a list of users', redactedManifestPath('users', id, 1)],
    ['a list of jobs', redactedManifestPath('jobs', id, 1)],
  ])(
    'a plan is of no use where what is left of %s is not what the receipt says',
    async (_, path) => {
      const { archive, storage, commits } = await begun();
      await storage.put(path, Buffer.from('x'));
      const before = await storage.get(commitPath(1));
      const fresh = reopened(archive);
      await expect(finishErasure(finishing(fresh), id)).rejects.toMatchObject({
        path,
        problem: 'digest',
        detail: 'is damaged: its SHA-256 differs from the receipt',
      });
      expect(await storage.get(commitPath(1))).toEqual(before);
      expect(paths(storage)).toContain(commits[0].jobs?.path);
      expect(storage.place.staged.size).toBe(0);
    },
  );
});

describe('finish erasure', () => {
  it('what came after the plan was made stays where a commit names it, whatever the plan says', async () => {
    const cyds = (await archiveOfThree()).commits[2].files[0]?.path ?? '';
    const { archive, storage, receipt } = await begun((plan) => ({
      ...plan,
      unnamed: [...plan.unnamed, cyds],
    }));
    const fresh = reopened(archive);
    await finishErasure(finishing(fresh), id);
    expect(paths(storage)).toEqual(expect.arrayContaining([cyds, artifactFor('of cyd').path]));
    expect(receipt.number).toBe(4);
  });

  // I-37 in FORMAT.md
  it('what came after the plan goes where it left the archive before, whatever its grace', async () => {
    const { archive, storage, commits } = await archiveOfThree();
    const path = commits[2].files[0]?.path ?? '';
    await archive.log.append(draft({ base: 3, run: runOf('C'), removed: [path] }));
    await archive.index.refresh();
    await new BegunErasure(archive).begin();
    const fresh = reopened(archive);
    await finishErasure(finishing(fresh), id);
    expect(paths(storage).filter((one) => one.includes(path))).toEqual([]);
  });

  /** Puts these there once the receipt stands; says which of them are left. */
  async function leftOf(put: readonly string[]) {
    const { archive, storage } = await begun();
    for (const path of put) await storage.put(path, Buffer.from('of ann'));
    await finishErasure(finishing(reopened(archive)), id);
    return paths(storage).filter((path) => put.includes(path));
  }
  const manifests = (number: number) => [
    manifestPath('jobs', number, 'a'.repeat(64)),
    manifestPath('users', number, 'b'.repeat(64)),
  ];
  const artifacts = (erasure: number) => [artifactPath('c'.repeat(64), 'csv', erasure)];

  // I-42 in FORMAT.md
  it(
    'what came after the plan goes where no commit can name it: a taken number, an old artifact',
    fault('F-96'),
    async () => {
      const useless = [1, 3, 4].flatMap(manifests);
      expect(await leftOf([...useless, ...artifacts(0), ...artifacts(3)])).toEqual([]);
    },
  );

  it(
    'what came after the plan was made stays where a run may be about to name it',
    fault('F-96'),
    async () => {
      const waiting = [...manifests(5), ...artifacts(4)];
      expect(await leftOf(waiting)).toEqual(waiting.toSorted());
    },
  );
});

it('erasures of dead runs are finished, those of the living and of the run itself are not', async () => {
  const { archive, storage } = await begun();
  const plan = { format: 1 as const, commits: [], replaced: [] };
  for (const letter of ['F', 'G', 'H']) {
    await writePlan(storage, runOf(letter), { ...plan, doomed: [], leases: [], unnamed: [] });
  }
  const fresh = reopened(archive);
  const asked: RunId[] = [];
  const finished = await finishErasures(finishing(fresh), (run) => {
    asked.push(run);
    return Promise.resolve(run !== runOf('G'));
  });
  expect(asked).toEqual([id, runOf('G'), runOf('H')]);
  expect(finished).toEqual([5]);
  const left = paths(storage).filter((path) => path.startsWith('_erasures/'));
  expect(left).toEqual([planPath(runOf('F')), planPath(runOf('G'))]);
  expect((await fresh.log.read(5)).checkpoint).toBe(3);
});
