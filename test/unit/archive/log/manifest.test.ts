import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JobsEntry } from '../../../../src/archive/log/commit.js';
import { readManifest } from '../../../../src/archive/log/manifest.js';
import { IntegrityError } from '../../../../src/archive/archive-errors.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import { readToEnd } from '../../../../src/base/gunzipped.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import {
  draft,
  job,
  makeArchive,
  reopened,
  session,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';

let storage: MemoryStorage;
let entry: JobsEntry;
beforeEach(async () => {
  storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const jobs = ['a', 'b'].map((id) => job('u', 's', id));
  const commit = await archive.log.append(draft({ sessions: [session('u', 's')], jobs }));
  entry = commit.jobs!;
});

/** What reading the list throws. */
async function thrown(named: Partial<JobsEntry> = {}, from = storage): Promise<unknown> {
  const jobs = readManifest(from, 'jobs', { ...entry, ...named });
  try {
    while ((await jobs.next()).done !== true);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Puts another text in place of the list, and returns its entry. */
function replaced(text: string): Partial<JobsEntry> {
  const bytes = gzipSync(text);
  storage.place.objects.set(entry.path, bytes);
  return { bytes: bytes.length, sha256: sha256Hex(bytes) };
}

const text = (): string => gunzipSync(storage.place.objects.get(entry.path)!).toString();

it('a jobs manifest is read where it is what the commit names', async () => {
  expect(await thrown()).toBeUndefined();
});

it.each([
  ['size', 'bytes instead of', { bytes: 1 }],
  ['digest', 'its SHA-256 differs', { sha256: 'f'.repeat(64) }],
  ['rows', '2 lines instead of 3', { rows: 3 }],
] as const)(
  'a jobs manifest is refused where its %s is another',
  async (problem, detail, named) => {
    const error = await thrown(named);
    expect(error).toBeInstanceOf(IntegrityError);
    expect(error).toMatchObject({ path: entry.path, problem });
    expect((error as Error).message).toContain(`${entry.path} `);
    expect((error as Error).message).toContain(detail);
  },
);

it('a jobs manifest is refused where it is missing, with the cause', async () => {
  storage.place.objects.delete(entry.path);
  const error = await thrown();
  expect(error).toMatchObject({ problem: 'missing', message: `${entry.path} is missing` });
  expect((error as Error).cause).toBeDefined();
});

it('a jobs manifest is refused if a line is not a job', async () => {
  for (const other of [`${text()}{}\n`, text().slice(0, -1), `${text()}no JSON\n`]) {
    expect(await thrown(replaced(other))).toMatchObject({
      problem: 'unreadable',
      detail: 'is damaged: it is not a valid jobs manifest',
    });
  }
});

it('a jobs manifest is refused where megabytes of nothing follow the end of its lines', async () => {
  const bytes = Buffer.concat([gzipSync(text()), Buffer.alloc(4 * 2 ** 20)]);
  storage.place.objects.set(entry.path, bytes);
  const named = { bytes: bytes.length, sha256: sha256Hex(bytes) };
  expect(await thrown(named)).toMatchObject({
    problem: 'unreadable',
    detail: 'is damaged: it has data after its end',
  });
});

it('a jobs manifest does not count as damaged if the storage fails', async () => {
  const failure = new StorageError('cannot read');
  const failing: MemoryStorage = {
    ...storage,
    // eslint-disable-next-line @typescript-eslint/require-await, require-yield
    async *read() {
      throw failure;
    },
  };
  expect(await thrown({}, failing)).toBe(failure);
});

it('a jobs manifest whose lines fail leaves nothing staged, and nothing in the log', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const { place } = archive.storage as MemoryStorage;
  const broken = new Error('no more lines');
  // eslint-disable-next-line @typescript-eslint/require-await
  async function* lines() {
    yield job('u', 's', 'a');
    throw broken;
  }
  const appending = archive.log.append(draft({ sessions: [session('u', 's')], jobs: lines() }));
  await expect(appending).rejects.toBe(broken);
  expect(place.staged.size).toBe(0);
  expect([...place.objects.keys()]).toEqual(['jobvault.json']);
});

it('a jobs manifest that cannot be published leaves nothing staged, and nothing in the log', async () => {
  const archive = await makeArchive(createMemoryStorage());
  const { place } = archive.storage as MemoryStorage;
  const full = new StorageError('the disk is full');
  const stage = async () => ({
    ...(await archive.storage.stage()),
    publish: () => Promise.reject(full),
  });
  const { log } = reopened(archive, { ...archive.storage, stage });
  const appending = log.append(
    draft({ sessions: [session('u', 's')], jobs: [job('u', 's', 'a')] }),
  );
  await expect(appending).rejects.toBe(full);
  expect(place.staged.size).toBe(0);
  expect([...place.objects.keys()]).toEqual(['jobvault.json']);
});

describe('manifest', () => {
  const listed = [userEntry('ann'), userEntry('ben', { complete: false }), userEntry('cyd')];

  // I-20 in FORMAT.md
  it("a users manifest has a commit's listings, which says how many are proven complete", async () => {
    const archive = await makeArchive(createMemoryStorage());
    const { users } = await archive.log.append(draft({ users: listed }));
    expect(users).toMatchObject({ rows: 3, complete: 2 });
    expect(users?.path).toBe(`_commits/000000000001.${users?.sha256}.users.jsonl.gz`);
    const back = [];
    for await (const line of readManifest(archive.storage, 'users', users!)) back.push(line);
    expect(back).toEqual(listed);
  });

  it('a users manifest is refused without as many complete lines as its commit says', async () => {
    const archive = await makeArchive(createMemoryStorage());
    const { users } = await archive.log.append(draft({ users: listed }));
    const lines = readManifest(archive.storage, 'users', { ...users!, complete: 1 });
    await expect(readToEnd(lines)).rejects.toMatchObject({
      problem: 'rows',
      detail: 'is damaged: 2 complete users instead of 1',
    });
  });

  it('a users manifest is read by what asks for listings, and by nothing else', async () => {
    const archive = await makeArchive(createMemoryStorage());
    await archive.log.append(draft({ users: listed }));
    const { users } = await archive.log.append(
      draft({ base: 1, checkpoint: 2, users: [userEntry('ben')], scope: { sessions: ['s'] } }),
    );
    const { place } = archive.storage as MemoryStorage;
    const whole = place.objects.get(users!.path)!;
    place.objects.delete(users!.path);
    const { index } = reopened(archive);
    await index.refresh();
    await expect(index.listings()).rejects.toMatchObject({ problem: 'missing' });
    place.objects.set(users!.path, whole);
    expect(await index.allUsers()).toEqual(['ann', 'ben', 'cyd']);
    expect((await index.listings()).get(listed[1]!.user)).toMatchObject({
      since: 1,
      last: { commit: 2, entry: { complete: true } },
      lastOfAll: { commit: 1, entry: { complete: false } },
    });
  });
});
