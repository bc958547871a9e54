import { expect, it } from 'vitest';
import { decodeCommit } from '../../../../src/archive/log/commit-reader.js';
import { readManifest } from '../../../../src/archive/log/manifest.js';
import type { JobsEntry, UsersEntry } from '../../../../src/archive/log/commit.js';
import { manifestPath, redactedManifestPath, redactedPath } from '../../../../src/archive/paths.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { LogRedaction } from '../../../../src/archive/erasing/redact-log.js';
import { draft, runOf, session, userEntry } from '../../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../../support/store/begun-erasure.js';

const id = runOf('E');

async function rig() {
  const three = await archiveOfThree();
  const { archive, storage } = three;
  const erasure = new BegunErasure(archive);
  await erasure.survey();
  const { target } = erasure;
  const redaction = new LogRedaction(archive, id, { target });
  const bytesOf = (path: string) => storage.place.objects.get(path) ?? Buffer.of();
  return { ...three, redaction, bytesOf };
}

/** Of a commit whose users manifest stays. */
const SAME_USERS = { users: null, oldUsers: null };

it('every commit that names the erased is prepared without them, beside those in effect', async () => {
  const { redaction, storage, commits, bytesOf } = await rig();
  const before = new Map(storage.place.objects);
  const { vouched, plan } = await redaction.prepare(4);
  for (const [path, bytes] of before) expect(bytesOf(path)).toBe(bytes);
  const added = [...storage.place.objects.keys()].filter((path) => !before.has(path)).sort();
  const own = [redactedManifestPath('jobs', id, 1), redactedManifestPath('users', id, 1)];
  expect(added).toEqual([...own, redactedPath(id, 1), redactedPath(id, 2)].sort());
  const listed = bytesOf(redactedManifestPath('users', id, 1));
  const left = bytesOf(redactedManifestPath('jobs', id, 1));
  expect(vouched).toEqual([
    {
      number: 1,
      sha256: sha256Hex(bytesOf(redactedPath(id, 1))),
      jobs_sha256: sha256Hex(left),
      users_sha256: sha256Hex(listed),
    },
    {
      number: 2,
      sha256: sha256Hex(bytesOf(redactedPath(id, 2))),
      jobs_sha256: null,
      users_sha256: null,
    },
  ]);
  expect(plan).toEqual([
    {
      number: 1,
      jobs: manifestPath('jobs', 1, sha256Hex(left)),
      oldJobs: commits[0].jobs?.path,
      users: manifestPath('users', 1, sha256Hex(listed)),
      oldUsers: commits[0].users?.path,
    },
    { number: 2, jobs: null, oldJobs: commits[1].jobs?.path, ...SAME_USERS },
  ]);
  expect(storage.place.staged.size).toBe(0);
});

it('a redacted commit and its jobs manifest have what is about others', async () => {
  const { redaction, storage, commits, bytesOf } = await rig();
  await redaction.prepare(4);
  const one = decodeCommit(1, bytesOf(redactedPath(id, 1)));
  expect(one).toMatchObject({
    redacted_by: 4,
    digest: commits[0].digest,
    sessions: [{ user: 'ben' }],
    users: { rows: 1 },
    jobs: { rows: 1, bytes: bytesOf(redactedManifestPath('jobs', id, 1)).byteLength },
  });
  await storage.put(one.jobs?.path ?? '', bytesOf(redactedManifestPath('jobs', id, 1)));
  const lines: unknown[] = [];
  for await (const line of readManifest(storage, 'jobs', one.jobs as JobsEntry)) lines.push(line);
  expect(lines).toMatchObject([{ user: 'ben', session: 'b1', job: 'k1' }]);
  await storage.put(one.users?.path ?? '', bytesOf(redactedManifestPath('users', id, 1)));
  const listed: unknown[] = [];
  for await (const line of readManifest(storage, 'users', one.users as UsersEntry)) {
    listed.push(line);
  }
  expect(listed).toMatchObject([{ user: 'ben' }]);
  const two = decodeCommit(2, bytesOf(redactedPath(id, 2)));
  expect(two).toMatchObject({ redacted_by: 4, sessions: [], jobs: null });
});

it('redaction makes no jobs manifest for a commit without one', async () => {
  const { archive, redaction } = await rig();
  await archive.log.append(draft({ base: 3, run: runOf('C'), sessions: [session('ann', 'a9')] }));
  const { vouched, plan } = await redaction.prepare(5);
  expect(vouched[2]).toMatchObject({ number: 4, jobs_sha256: null });
  expect(plan[2]).toEqual({ number: 4, jobs: null, oldJobs: null, ...SAME_USERS });
});

it('redaction ends at the receipt', async () => {
  const { redaction } = await rig();
  const { plan } = await redaction.prepare(2);
  expect(plan.map(({ number }) => number)).toEqual([1]);
});

it('redaction is repeated for another receipt, without the manifests', async () => {
  const { archive, redaction, storage, commits, bytesOf } = await rig();
  await redaction.prepare(4);
  await archive.log.append(draft({ base: 3, run: runOf('C') }));
  storage.calls.clear();
  const { vouched } = await redaction.prepare(5);
  expect(decodeCommit(1, bytesOf(redactedPath(id, 1))).redacted_by).toBe(5);
  expect(vouched[0]?.sha256).toBe(sha256Hex(bytesOf(redactedPath(id, 1))));
  const lists = commits.map(({ jobs, users }) =>
    [jobs, users].map((of) => storage.calls.get(`read ${of?.path}`)),
  );
  expect(lists.flat().filter((calls) => calls !== undefined)).toEqual([]);
});

it('redaction leaves nothing staged if a jobs manifest is damaged', async () => {
  const { redaction, storage, commits } = await rig();
  await storage.put(commits[0].jobs?.path ?? '', Buffer.from('x'));
  await expect(redaction.prepare(4)).rejects.toMatchObject({ path: commits[0].jobs?.path });
  expect(storage.place.staged.size).toBe(0);
});

it('redaction makes no list of users for a commit that lists only others', async () => {
  const { archive, redaction, storage } = await rig();
  const of = { sessions: [session('ann', 'a9')], users: [userEntry('ben')] };
  await archive.log.append(draft({ base: 3, run: runOf('C'), ...of }));
  const { vouched, plan } = await redaction.prepare(5);
  const { users } = await archive.log.read(4);
  expect(vouched[2]).toMatchObject({ number: 4, users_sha256: users?.sha256 });
  expect(plan[2]).toEqual({ number: 4, jobs: null, oldJobs: null, ...SAME_USERS });
  expect(storage.place.objects.has(redactedManifestPath('users', id, 4))).toBe(false);
});

it('redaction leaves nothing staged if a manifest cannot be published', async () => {
  const { redaction, storage } = await rig();
  const stage = storage.stage.bind(storage);
  storage.stage = async (options) => ({
    ...(await stage(options)),
    publish: () => Promise.reject(new Error('disk full')),
  });
  await expect(redaction.prepare(4)).rejects.toThrow('disk full');
  expect(storage.place.staged.size).toBe(0);
});
