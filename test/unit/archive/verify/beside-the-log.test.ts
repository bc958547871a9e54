/** What lies beside the commits of a log and does not belong to them, and caches. */
import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { commitPath, IDENTITY_PATH, manifestPath } from '../../../../src/archive/paths.js';
import { verifyArchive, type VerifyReport } from '../../../../src/archive/verify/verify.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { draft, reopened, session } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { makeSampleArchive } from '../../../support/store/sample-archive.js';
import { fault } from '../../../support/base/fault.js';

async function sample() {
  const storage = createMemoryStorage();
  return { storage, archive: await makeSampleArchive(storage) };
}

function verify(archive: Archive): Promise<VerifyReport> {
  return verifyArchive(reopened(archive));
}

it.each([
  '_commits/0000000000001.json', // one zero more
  '_commits/00000000001.json',
  '_commits/000000000000.json',
  '_commits/+00000000001.json',
  '_commits/00000000001e.json',
  '_commits/999999999999999999999.json',
  '_commits/000000000001.JSON',
  `_commits/0000000000001.${'a'.repeat(64)}.jobs.jsonl.gz`,
  `_commits/000000000001.${'A'.repeat(64)}.jobs.jsonl.gz`,
  '_commits/000000000001.x.jobs.jsonl.gz',
])('verifying finds a file in the log that has no name of a commit: %s', async (path) => {
  const { storage, archive } = await sample();
  await storage.put(path, await storage.get(commitPath(1)));
  const { problems, commits } = await verify(archive);
  expect(problems).toEqual([{ path, problem: 'chain', detail: 'is not a name of a commit' }]);
  expect(commits).toBe(5);
});

it('verify finds a commit with a far higher number without looking for each between', async () => {
  const { storage, archive } = await sample();
  await storage.put(commitPath(1e12), await storage.get(commitPath(1)));
  const { problems, commits } = await verify(archive);
  expect(commits).toBe(5);
  expect(problems).toHaveLength(102);
  expect(problems.find(({ path }) => path === commitPath(106))).toEqual({
    path: commitPath(106),
    problem: 'missing',
    detail: `is missing from the log, and so are ${1e12 - 107} commits after it`,
  });
});

it.each([
  ['with an id before its own', '{"id":"01M85VR0D0SDHFX8AF5Z233YEZ",'],
  ['with white space', '{ '],
])('verifying finds a jobvault.json that reads as it was written, %s', async (_, begin) => {
  const { storage, archive } = await sample();
  const text = Buffer.from(await storage.get(IDENTITY_PATH)).toString();
  await storage.delete(IDENTITY_PATH);
  await storage.put(IDENTITY_PATH, Buffer.from(text.replace('{', begin)));
  const { problems } = await verify(archive);
  const detail = 'is damaged: its bytes are not as they were written';
  expect(problems).toEqual([{ path: IDENTITY_PATH, problem: 'digest', detail }]);
});

it(
  'verifying finds a jobs manifest that was made after a commit that is missing',
  fault('F-89'),
  async () => {
    const { storage, archive } = await sample();
    const path = manifestPath('jobs', 7, 'b'.repeat(64));
    await storage.put(path, Buffer.from('x'));
    const { problems } = await verify(archive);
    const detail =
      'was made after commit 6, which is missing; this log may have been cut: compare --expect-head';
    expect(problems).toEqual([{ path, problem: 'chain', detail }]);
  },
);

it('verifying finds nothing in a jobs manifest whose commit came while the log was read', async () => {
  const { storage, archive } = await sample();
  let hasRun = false;
  let passes = 0;
  const busy: Storage = {
    ...storage,
    async *list(prefix, options) {
      if (prefix === '') passes++;
      if (prefix === '' && !hasRun) {
        hasRun = true;
        const other = reopened(archive);
        await other.log.append(draft({ base: 5, sessions: [session('u', 'new')] }));
        await storage.put(manifestPath('jobs', 7, 'b'.repeat(64)), Buffer.from('x'));
      }
      yield* storage.list(prefix, options);
    },
  };
  expect((await verify(reopened(archive, busy))).problems).toEqual([]);
  expect(hasRun).toBe(true);
  // what was found would be looked at once more
  expect(passes).toBe(1);
});
