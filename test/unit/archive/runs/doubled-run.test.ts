/** A machine is put back to a snapshot of itself in the middle of a run, or doubled: two processes have the id of one run (I-64 in FORMAT.md). */
import { expect, it } from 'vitest';
import { sha256Hex } from '../../../../src/base/digest.js';
import type { Archive } from '../../../../src/archive/archive.js';
import { partPath } from '../../../../src/archive/paths.js';
import { RowsToCommit } from '../../../../src/archive/runs/rows-to-commit.js';
import { jobsTable } from '../../../../src/model/tables.js';
import { makeJsonlArchive, reopened, runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import type { StagedObject, Storage } from '../../../../src/storage/storage.js';
import { flattenedJob, jsonl } from '../../../support/store/written-jobs.js';
import { fault } from '../../../support/base/fault.js';

const day = '2026-11-21';
const run = runOf('A');
const draft = () => Promise.resolve({ kind: 'export', base: 0, scope: {} } as const);

async function doubled() {
  const storage = createMemoryStorage();
  const archive = await makeJsonlArchive(storage);
  const rowsIn = async (of: Archive, times = 1) => {
    const parts = new RowsToCommit({ archive: of, run, day, checkpoint: 3 });
    const { tables } = flattenedJob({ user: 'ann', session: 'a', job: 'j' });
    const rows = tables.find(({ table }) => table === jobsTable)?.rows ?? [];
    for (let n = 0; n < times; n++) await parts.write(jobsTable, rows);
    return parts;
  };
  return { archive, storage, rowsIn };
}

it(
  'A run replaces no file of the same name that its double has committed',
  fault('F-120'),
  async () => {
    const { archive, storage, rowsIn } = await doubled();
    const double = reopened(archive);
    const [parts, late] = [await rowsIn(archive), await rowsIn(double, 2)];
    const [file] = (await parts.commit({ draft })).files;
    const path = String(file?.path);
    const committed = storage.place.objects.get(path);
    await expect(late.commit({ draft })).rejects.toMatchObject({ path, problem: 'chain' });
    expect(committed?.length).toBeGreaterThan(0);
    expect(storage.place.objects.get(path)).toBe(committed);
  },
);

it(
  'A run does not withdraw a file of the same name that its double has committed meanwhile',
  fault('F-120'),
  async () => {
    const { archive, storage, rowsIn } = await doubled();
    const path = partPath('jobs', day, run, 3, jsonl.extension);
    const schema = jobsTable.fingerprint;
    const file = { path, table: 'jobs', rows: 1, bytes: 1, sha256: 'a'.repeat(64), schema };
    const late = async () => {
      const entry = { ...(await draft()), files: [file], run, checkpoint: 3, tool: 't' };
      await reopened(archive).log.append(entry);
      throw new Error('called off');
    };
    const parts = await rowsIn(archive);
    await expect(parts.commit({ draft: late })).rejects.toThrow('called off');
    expect(storage.place.objects.has(path)).toBe(true);
  },
);

it(
  'A run does not take away a file of the same name that its double is about to commit',
  fault('F-120'),
  async () => {
    const { archive, storage, rowsIn } = await doubled();
    const path = partPath('jobs', day, run, 3, jsonl.extension);
    const parts = await rowsIn(archive);
    await storage.put(path, Buffer.from('rows of the double'));
    await expect(parts.commit({ draft })).rejects.toMatchObject({ path, problem: 'chain' });
    expect(Buffer.from(await storage.get(path)).toString()).toBe('rows of the double');
  },
);

/** Something is waited for that comes later. */
class Turn {
  come: () => void = () => undefined;
  readonly here = new Promise<void>((resolve) => {
    this.come = resolve;
  });
}

/** Its files are published as soon as those of the double come to be. */
function beforeItPublishes(storage: MemoryStorage, first: () => Promise<unknown>): Storage {
  const stage: Storage['stage'] = async (options) => {
    const staged = await storage.stage(options);
    const publish: StagedObject['publish'] = async (path, place) => {
      await first();
      await staged.publish(path, place);
    };
    return { ...staged, publish };
  };
  return { ...storage, stage };
}

it(
  'A run replaces and withdraws no file that its double has just published, and commits after it',
  fault('F-121'),
  async () => {
    const { archive, storage, rowsIn } = await doubled();
    const [published, refused] = [new Turn(), new Turn()];
    const parts = await rowsIn(archive);
    const committing = parts.commit({
      draft: async () => {
        published.come();
        await refused.here;
        return draft();
      },
    });
    const place = beforeItPublishes(storage, () => published.here);
    const late = await rowsIn(reopened(archive, place), 2);
    await expect(late.commit({ draft })).rejects.toMatchObject({ problem: 'chain' });
    refused.come();
    const [file] = (await committing).files;
    const bytes = storage.place.objects.get(String(file?.path)) ?? new Uint8Array();
    expect(sha256Hex(bytes)).toBe(file?.sha256);
  },
);
