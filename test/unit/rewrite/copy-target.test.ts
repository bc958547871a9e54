/** A copy removes what the archive does not have, and puts its commits: not of the archive itself, and not beside an export. */
import { describe, expect, it } from 'vitest';
import { encodeIdentity } from '../../../src/archive/identity.js';
import { ArchiveRun } from '../../../src/archive/runs/archive-run.js';
import { systemClock } from '../../../src/base/runtime.js';
import {
  commitPath,
  COPY_MARKER_PATH,
  IDENTITY_PATH,
  partPath,
  runLeasePath,
} from '../../../src/archive/paths.js';
import { copyProven } from '../../../src/rewrite/copy-archive.js';
import { assertTarget, putCommit } from '../../../src/rewrite/copy-target.js';
import {
  draft,
  knowing,
  makeArchive,
  reopened,
  runOf,
  session,
} from '../../support/store/archive-samples.js';
import { archiveOfThree } from '../../support/store/begun-erasure.js';
import {
  copyOf,
  createMemoryStorage,
  MemoryPlace,
  type MemoryStorage,
} from '../../support/store/memory-storage.js';
import { jsonl } from '../../support/store/written-jobs.js';
import { fault } from '../../support/base/fault.js';

const { signal } = new AbortController();
const DAY = 86_400_000;

async function sampled() {
  const { archive } = await archiveOfThree();
  const own = { ...archive, ...knowing(jsonl) };
  const copy = (target: MemoryStorage) =>
    copyProven({ archive: own, target, concurrency: 2, signal });
  return { own, copy };
}

it.each([false, true])(
  'The archive itself is no target, by whatever name (left behind by a copy: %s)',
  fault('F-118'),
  async (isLeft) => {
    const { own, copy } = await sampled();
    const { place } = own.storage as MemoryStorage;
    // what a run has written and not committed yet
    const part = partPath('jobs', '2026-11-02', runOf('P'), 1, jsonl.extension);
    await own.storage.put(part, Buffer.from('x'));
    if (isLeft) await own.storage.put(COPY_MARKER_PATH, Buffer.from(`${own.identity.id}\n`));
    const other = { ...createMemoryStorage(place), location: 'another name of it' };
    await expect(copy(other)).rejects.toThrow('is the archive itself under another name');
    expect(place.objects.has(part)).toBe(true);
    expect(place.objects.has(COPY_MARKER_PATH)).toBe(false);
  },
);

it('Another place is told from the archive also where a copy has left its marker in that', async () => {
  const { own, copy } = await sampled();
  const marker = Buffer.from(`${own.identity.id}\n`);
  await own.storage.put(COPY_MARKER_PATH, marker);
  const target = createMemoryStorage();
  await assertTarget({ archive: own, target });
  // by which the copy is known once it was interrupted
  expect(Buffer.from(await target.get(COPY_MARKER_PATH))).toEqual(marker);
  expect(Buffer.from(await own.storage.get(COPY_MARKER_PATH))).toEqual(marker);
  await copy(target);
});

it(
  'a run at work in the copy keeps what it wrote: it is copied once that ended or died',
  fault('F-118'),
  async () => {
    const { own, copy } = await sampled();
    const target = createMemoryStorage(new MemoryPlace());
    await copy(target);
    const there = { ...reopened(own, target), clock: systemClock }; // a still one would renew the lease without end
    const run = new ArchiveRun({ archive: there, run: runOf('R') });
    await run.begin();
    const part = partPath('jobs', '2026-11-02', runOf('R'), 1, jsonl.extension);
    await target.put(part, Buffer.from('x'));
    await expect(copy(target)).rejects.toThrow(`run ${runOf('R')} is at work in `);
    expect(target.place.objects.has(part)).toBe(true);
    target.place.now = () => Date.now() + 25 * 3_600_000;
    await copy(target);
    await run.end();
    await copy(target);
    expect(target.place.objects.has(part)).toBe(false);
  },
);

it('A commit that somebody has just put in the copy is not replaced', fault('F-118'), async () => {
  const { own } = await sampled();
  const target = createMemoryStorage();
  const bytes = await own.storage.get(commitPath(1));
  await putCommit(target, { number: 1, bytes });
  await putCommit(target, { number: 1, bytes }); // the same one, as of an erasure
  const theirs = Buffer.from(
    Buffer.from(bytes)
      .toString()
      .replace(/"digest": "./, '"digest": "x'),
  );
  await target.put(commitPath(1), theirs);
  await expect(putCommit(target, { number: 1, bytes })).rejects.toThrow(
    "has a commit 1 that is not the archive's",
  );
  expect(Buffer.from(await target.get(commitPath(1)))).toEqual(theirs);
});

it('a commit that somebody puts in the copy while it is redacted there is not replaced', async () => {
  const { own } = await sampled();
  const bytes = await own.storage.get(commitPath(1));
  const target = createMemoryStorage();
  await target.put(commitPath(1), bytes);
  const raced = { ...target, compareAndSwap: () => Promise.resolve(false) };
  await expect(putCommit(raced, { number: 1, bytes })).rejects.toThrow(
    "memory has a commit 1 that is not the archive's: it is not a copy of it any more",
  );
});

describe('A place is no target', () => {
  it('where it has other files, apart from those of a file manager', async () => {
    const { copy } = await sampled();
    const target = createMemoryStorage();
    await target.put('.DS_Store', Buffer.from('x'));
    await copy(target);
    const full = createMemoryStorage();
    await full.put('.DS_Store', Buffer.from('x'));
    await full.put('notes.txt', Buffer.from('x'));
    await expect(copy(full)).rejects.toMatchObject({
      name: 'UsageError',
      message:
        'memory is not empty (it holds notes.txt): choose an empty place, or a copy of this archive',
    });
    expect([...full.place.objects.keys()]).toEqual(['.DS_Store', 'notes.txt']);
  });

  it.each([
    ['another archive', IDENTITY_PATH, true],
    ['the beginning of a copy of another archive', COPY_MARKER_PATH, true],
    ['the beginning of a copy of this archive', COPY_MARKER_PATH, false],
  ])('where it has %s', async (_, path, isOther) => {
    const { own, copy } = await sampled();
    const target = createMemoryStorage();
    const id = isOther ? 'X'.repeat(26) : own.identity.id;
    const identity = encodeIdentity({ ...own.identity, id });
    await target.put(path, path === IDENTITY_PATH ? identity : Buffer.from(`${id}\n`));
    await target.put('notes.txt', Buffer.from('x'));
    if (!isOther) {
      await copy(target);
      return;
    }
    const refused = 'memory holds another archive: choose an empty place';
    await expect(copy(target)).rejects.toMatchObject({ name: 'UsageError', message: refused });
  });

  it.each([
    ['after the newest one', 4],
    ['in place of the newest one', 3],
  ])('where it is a copy with a commit of its own %s', async (_, number) => {
    const { own, copy } = await sampled();
    const target = createMemoryStorage();
    await copy(target);
    const there = reopened(own, target);
    if (number === 3) await target.delete(commitPath(3));
    await there.log.append(draft({ base: number - 1, sessions: [session('dan', 'd')] }));
    await expect(copy(target)).rejects.toThrow(`has a commit ${number} that is not the archive's`);
  });

  it('where it is a copy with a commit, and the archive has none', async () => {
    const archive = await makeArchive(createMemoryStorage());
    const target = copyOf(archive.storage as MemoryStorage);
    await reopened(archive, target).log.append(draft());
    await expect(assertTarget({ archive, target })).rejects.toThrow('has a commit 1');
  });
});

it(
  'A run whose lease cannot be read is at work in the copy: what it has written stays',
  fault('F-118'),
  async () => {
    const archive = await makeArchive(createMemoryStorage());
    const target = copyOf(archive.storage as MemoryStorage);
    await target.put(runLeasePath(runOf('R')), Buffer.from('{"run":'));
    await expect(assertTarget({ archive, target })).rejects.toThrow(
      `run ${runOf('R')} is at work in memory (its lease cannot be read): copy when it has ended; a copy that is exported to is no copy any more`,
    );
  },
);

it.each([
  ['was renewed a day ago', true, DAY],
  ['was renewed more than a day ago', false, DAY + 1],
])(
  'A run of another machine whose lease %s is at work in the copy: %s',
  async (_, isThere, ago) => {
    const archive = await makeArchive(createMemoryStorage());
    const target = copyOf(archive.storage as MemoryStorage);
    const path = runLeasePath(runOf('R'));
    const process = { host: 'elsewhere', boot: 'b', pid: 7, started: 's' };
    const note = { run: runOf('R'), beat: 1, ...process };
    await target.put(path, Buffer.from(JSON.stringify(note)));
    target.place.modifiedAtMs.set(path, 5 * DAY - ago);
    target.place.now = () => 5 * DAY;
    const asserted = assertTarget({ archive, target });
    if (!isThere) await asserted;
    else {
      await expect(asserted).rejects.toThrow(
        `run ${runOf('R')} is at work in memory (on elsewhere)`,
      );
    }
  },
);
