/** What `verify` says of Delta logs while other runs commit, after an erasure, and of another Parquet library's bytes. */
import { beforeEach, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { pointerBytes } from '../../../../src/archive/delta/delta-actions.js';
import { verifyDelta } from '../../../../src/archive/delta/verify-delta.js';
import type { CommitDraft } from '../../../../src/archive/log/commit-draft.js';
import type { FileEntry } from '../../../../src/archive/log/commit.js';
import { deltaCheckpointPath, deltaPointerPath, partPath } from '../../../../src/archive/paths.js';
import { Findings } from '../../../../src/archive/verify/findings.js';
import { jobsTable } from '../../../../src/model/tables.js';
import {
  begunReceipt,
  draft,
  makeArchive,
  reopened,
  runOf,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

const RUN = runOf('A');
const CHECKPOINT = deltaCheckpointPath('jobs', 10);
const POINTER = deltaPointerPath('jobs');

let storage: ReturnType<typeof createMemoryStorage>;
let archive: Archive;
beforeEach(async () => {
  storage = createMemoryStorage();
  archive = await makeArchive(storage);
});

function file(n: number): FileEntry {
  const path = partPath('jobs', '2026-11-05', RUN, n, 'parquet');
  const schema = jobsTable.fingerprint;
  return { path, table: 'jobs', rows: n, bytes: 100 + n, sha256: 'ab'.repeat(32), schema };
}

async function commit(over: Partial<CommitDraft>): Promise<void> {
  await archive.index.refresh();
  await archive.log.append(draft({ base: archive.index.through, ...over }));
}

async function published(from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) await commit({ files: [file(n)] });
  await archive.delta.publish({ begin: true });
}

/** @param index as it was read before */
async function found({ index }: Pick<Archive, 'index'> = archive) {
  const findings = new Findings();
  const { identity } = archive;
  await verifyDelta({ storage, identity, index, concurrency: 1 }, findings);
  return { problems: findings.problems, notes: findings.notes };
}

const nothing = { problems: [], notes: [] };

it('a Delta log ahead of the log as read is sound where the commits have come since', async () => {
  await published(1, 9);
  const before = reopened(archive);
  await before.index.refresh();
  await published(10, 12);
  expect(await found(before)).toEqual(nothing);
  await archive.index.refresh();
  expect(await found()).toEqual(nothing);
});

it('a Delta log that is ahead of every commit is not sound', async () => {
  await published(1, 2);
  await storage.put('tables/jobs/_delta_log/00000000000000000003.json', Buffer.from('{}\n'));
  await storage.put(POINTER, Buffer.from('{"version":20,"size":2,"numOfAddFiles":0}\n'));
  await archive.index.refresh();
  expect((await found()).problems.map(({ detail }) => detail).sort()).toEqual([
    'differs from what the log gives',
    'is of a version of the Delta table that the log does not give',
  ]);
});

it('a Delta log whose pointer names a checkpoint from before an erasure is named', async () => {
  await published(1, 12);
  const [old, pointer] = [await storage.get(CHECKPOINT), await storage.get(POINTER)];
  await commit({
    kind: 'erase',
    files: [file(13)],
    removed: [file(1).path],
    erasure: () => Promise.resolve(begunReceipt()),
  });
  await archive.delta.publish();
  await archive.index.refresh();
  expect(await found()).toEqual(nothing);
  await storage.put(CHECKPOINT, old);
  await storage.put(POINTER, pointer);
  const { problems, notes } = await found();
  expect(problems).toEqual([]);
  expect(notes.map(({ path, detail }) => [path, detail])).toContainEqual([
    POINTER,
    'names a checkpoint from before an erasure: the next run, or --repair, writes it',
  ]);
});

it('a checkpoint of the same actions by another version of the library is no damage', async () => {
  await published(1, 11);
  await archive.index.refresh();
  const bytes = Buffer.from(await storage.get(CHECKPOINT));
  const at = bytes.indexOf('jobvault version 1.0.0');
  expect(at).toBeGreaterThan(0);
  bytes.write('jobvault version 1.0.1', at);
  await storage.put(CHECKPOINT, bytes);
  const { problems, notes } = await found();
  expect(problems).toEqual([]);
  expect(notes).toMatchObject([{ path: CHECKPOINT }]);
  expect(notes[0]?.detail).toContain('has the actions that the log gives, in other bytes');
});

it('a Delta log is damaged where a checkpoint has other actions', async () => {
  await published(1, 21);
  await archive.index.refresh();
  await storage.put(CHECKPOINT, await storage.get(deltaCheckpointPath('jobs', 20)));
  const history = archive.index.tables.get('jobs');
  await storage.put(POINTER, pointerBytes(history!, 10));
  expect((await found()).problems).toMatchObject([{ path: CHECKPOINT, problem: 'delta' }]);
});
