/** The Delta log of a table, line by line against the protocol. I-59 and I-61 in FORMAT.md. */
import { beforeEach, describe, expect, it } from 'vitest';
import { fromSnapshot, type Archive } from '../../../../src/archive/archive.js';
import { DeltaTables } from '../../../../src/archive/delta/delta-tables.js';
import type { CommitDraft } from '../../../../src/archive/log/commit-draft.js';
import type { FileEntry } from '../../../../src/archive/log/commit.js';
import { commitPath, partPath } from '../../../../src/archive/paths.js';
import { writeSnapshotIfDue } from '../../../../src/archive/snapshots/write-snapshot.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { jobsTable, TABLE_NAMES, tableNamed } from '../../../../src/model/tables.js';
import {
  begunReceipt,
  draft,
  makeArchive,
  reopened,
  runOf,
} from '../../../support/store/archive-samples.js';
import { dyingAfter } from '../../../support/store/dying-storage.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import {
  actionsOf,
  checkpointActions,
  deltaObjects,
  deltaSnapshot,
  newestIn,
  type DeltaAction,
} from '../../../support/tables/delta-log.js';
import { fault } from '../../../support/base/fault.js';

const RUN = runOf('A');
const DAY = '2026-11-05';
const receipt = begunReceipt();

let storage: ReturnType<typeof createMemoryStorage>;
let archive: Archive;
beforeEach(async () => {
  storage = createMemoryStorage();
  archive = await makeArchive(storage);
});

function file(n: number, over: Partial<FileEntry> = {}): FileEntry {
  const table = over.table ?? 'jobs';
  const schema = tableNamed(table)?.fingerprint ?? 'of no table';
  const path = partPath(table, DAY, RUN, n, 'parquet');
  return { path, table, rows: n, bytes: 100 + n, sha256: 'ab'.repeat(32), schema, ...over };
}

async function commit(over: Partial<CommitDraft>): Promise<void> {
  await archive.index.refresh();
  await archive.log.append(draft({ base: archive.index.through, ...over }));
}

/** A commit for each file. */
async function commitFiles(from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) await commit({ files: [file(n)] });
}

async function erased(paths: readonly string[], files: readonly FileEntry[]): Promise<void> {
  const erasure = () => Promise.resolve(receipt);
  await commit({ kind: 'erase', files, removed: paths, erasure });
}

const publish = () => archive.delta.publish({ begin: true });
const objects = (table = 'jobs') => deltaObjects(storage, table);
const pathOf = (n: number) => `dt=${DAY}/${RUN}-${String(n).padStart(4, '0')}.parquet`;

describe('delta log', () => {
  it('actions stand alone in their lines; the first version has protocol and metadata', async () => {
    await commit({ files: [file(1), file(2)] });
    await publish();
    const actions = actionsOf(await objects(), 0);
    expect(actions.map((action) => Object.keys(action))).toEqual([
      ['commitInfo'],
      ['protocol'],
      ['metaData'],
      ['add'],
      ['add'],
    ]);
    expect(actions[1]).toEqual({ protocol: { minReaderVersion: 1, minWriterVersion: 2 } });
    const { id, ...metaData } = actions[2]!.metaData!;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(metaData).toEqual({
      name: 'jobs',
      format: { provider: 'parquet', options: {} },
      schemaString: expect.any(String) as string,
      partitionColumns: ['dt'],
      configuration: {},
      createdTime: Date.parse('2026-11-05T12:00:00Z'),
    });
  });

  it('actions name files with relative paths, the day as partition, counts as statistics', async () => {
    await commit({ files: [file(3)] });
    await publish();
    expect(actionsOf(await objects(), 0).at(-1)).toEqual({
      add: {
        path: pathOf(3),
        partitionValues: { dt: DAY },
        size: 103,
        modificationTime: Date.parse('2026-11-05T12:00:00Z'),
        dataChange: true,
        stats: '{"numRecords":3}',
      },
    });
  });

  it('actions have the columns in the order and types of the table, and last the day', async () => {
    await commit({ files: [file(1)] });
    await publish();
    const { schemaString } = actionsOf(await objects(), 0)[2]!.metaData!;
    const schema = JSON.parse(schemaString) as {
      fields: { name: string; type: string; nullable: boolean; metadata: object }[];
    };
    const types = { string: 'string', int32: 'integer', int64: 'long', bool: 'boolean' };
    expect(schema).toEqual({
      type: 'struct',
      fields: [
        ...jobsTable.columns.map(({ name, type, isKey }) => ({
          name,
          type: { ...types, ts: 'timestamp' }[type],
          nullable: !isKey,
          metadata: {},
        })),
        { name: 'dt', type: 'date', nullable: true, metadata: {} },
      ],
    });
  });

  it('the actions of a Delta log of a compaction change no data; those of an erasure do', async () => {
    await commitFiles(1, 3);
    await commit({ files: [file(4)], removed: [file(1).path, file(2).path] });
    await publish();
    const compaction = actionsOf(await objects(), 3);
    expect(compaction[0]!.commitInfo).toMatchObject({
      operation: 'OPTIMIZE',
      operationParameters: { commit: '4', kind: 'compact' },
    });
    expect(compaction.slice(1)).toEqual([
      { remove: removal(1, false) },
      { remove: removal(2, false) },
      { add: expect.objectContaining({ path: pathOf(4), dataChange: false }) as object },
    ]);
    await erased([file(3).path], []);
    await publish();
    const [info, ...rest] = actionsOf(await objects(), 4);
    expect(info!.commitInfo!.operation).toBe('DELETE');
    expect(rest).toEqual([{ remove: removal(3, true) }]);
  });

  it('actions bound the creation time where the log does, widened to whole milliseconds', async () => {
    const [low, high] = [Date.UTC(2026, 0, 2) * 1000 + 1999, Date.UTC(2026, 0, 3) * 1000 + 1001];
    await commit({ files: [file(1, { created: [low, high] }), file(2, { created: null })] });
    await publish();
    const stats = actionsOf(await objects(), 0).flatMap(({ add }) =>
      add ? [JSON.parse(add.stats) as unknown] : [],
    );
    expect(stats).toEqual([
      {
        numRecords: 1,
        minValues: { created_at: '2026-01-02T00:00:00.001Z' },
        maxValues: { created_at: '2026-01-03T00:00:00.002Z' },
      },
      { numRecords: 2 },
    ]);
  });

  function removal(n: number, dataChange: boolean) {
    return {
      path: pathOf(n),
      deletionTimestamp: Date.parse('2026-11-05T12:00:00Z'),
      dataChange,
      extendedFileMetadata: true,
      partitionValues: { dt: DAY },
      size: 100 + n,
    };
  }
});

it('the versions of a Delta log are one for each commit that touches the table, and begin at 0', async () => {
  await commitFiles(1, 2);
  await commit({ files: [file(3, { table: 'sessions' })] });
  await commit({ kind: 'hold', holds: [] });
  await commit({ files: [file(4)] });
  await publish();
  expect([...(await objects()).keys()]).toEqual([0, 1, 2].map(jsonName));
  expect([...(await objects('sessions')).keys()]).toEqual([jsonName(0), jsonName(1)]);
  expect(await deltaSnapshot(await objects())).toMatchObject({ version: 2, commit: 5, rows: 7 });
  expect(await deltaSnapshot(await objects(), 1)).toMatchObject({ commit: 2, rows: 3 });
});

it('versions begin with the first commit with rows of any table: one without is empty', async () => {
  await commitFiles(1, 2);
  await publish();
  for (const table of TABLE_NAMES) {
    const { rows, metaData } = await deltaSnapshot(await objects(table));
    expect([table, rows, metaData?.name]).toEqual([table, table === 'jobs' ? 3 : 0, table]);
  }
  const actions = actionsOf(await objects('deletions'), 0);
  expect(actions.flatMap(Object.keys)).toEqual(['commitInfo', 'protocol', 'metaData']);
});

it('the versions of a Delta log are not made of lines of JSON', async () => {
  const lines = file(1, { path: partPath('jobs', DAY, RUN, 1, 'jsonl.gz') });
  await commit({ files: [lines] });
  await publish();
  expect((await objects()).size).toBe(0);
});

it('versions have the same bytes from whichever writer, and are never written twice', async () => {
  await commitFiles(1, 21);
  await publish();
  const first = await objects();
  const other = createMemoryStorage();
  const { index } = reopened(archive);
  await new DeltaTables(other, archive.identity, { index, whole: index }).publish({
    begin: true,
  });
  expect(await deltaObjects(other, 'jobs')).toEqual(first);
  const puts: string[] = [];
  const putIfAbsent = storage.putIfAbsent.bind(storage);
  storage.putIfAbsent = (path, bytes) => {
    puts.push(path);
    return putIfAbsent(path, bytes);
  };
  await reopened(archive).delta.publish();
  expect(puts).toEqual([]);
  const racing = [reopened(archive, storage, 3), reopened(archive, storage, 4)];
  await commitFiles(22, 31);
  await Promise.all(racing.map(({ delta }) => delta.publish()));
  expect(await deltaSnapshot(await objects())).toMatchObject({ version: 30, rows: 496 });
});

it('a Delta log is not begun unless that is asked for, and is gone on with where it is', async () => {
  await commitFiles(1, 2);
  await archive.delta.publish();
  expect((await objects()).size).toBe(0);
  await publish();
  await commitFiles(3, 4);
  await commit({ files: [file(5, { table: 'sessions' })] });
  await reopened(archive).delta.publish();
  expect(newestIn(await objects(), 'json')).toBe(3);
  expect(newestIn(await objects('sessions'), 'json')).toBe(1);
});

it(
  'the versions of a Delta log fill the gap that a writer has left that was killed',
  fault('F-98'),
  async () => {
    await commitFiles(1, 12);
    await publish();
    const whole = await objects();
    for (const name of [jsonName(4), jsonName(11), `${padded(10)}.checkpoint.parquet`]) {
      await storage.delete(`tables/jobs/_delta_log/${name}`);
    }
    await storage.delete('tables/jobs/_delta_log/_last_checkpoint');
    await reopened(archive).delta.publish();
    expect(await objects()).toEqual(whole);
  },
);

describe('delta log', () => {
  it('checkpoints stand at every tenth version and say what the versions through theirs say', async () => {
    await commitFiles(1, 9);
    await commit({ files: [file(10)], removed: [file(2).path] });
    await commitFiles(11, 22);
    await publish();
    const log = await objects();
    const names = [...log.keys()].filter((name) => name.includes('checkpoint'));
    expect(names).toEqual([`${padded(20)}.checkpoint.parquet`, '_last_checkpoint']);
    const jsonAlone = new Map([...log].filter(([name]) => name.endsWith('.json')));
    const replayed = await deltaSnapshot(jsonAlone, 20);
    expect(await deltaSnapshot(log, 20)).toEqual({ ...replayed, commit: undefined });
    expect(await deltaSnapshot(log)).toEqual(await deltaSnapshot(jsonAlone));
    expect(JSON.parse(log.get('_last_checkpoint')!.toString())).toEqual({
      version: 20,
      size: 23,
      numOfAddFiles: 20,
    });
    const actions = await checkpointActions(log, 20);
    expect(actions).toHaveLength(23);
    const { metaData } = actions.find((action) => action.metaData)!;
    expect(metaData).toEqual(metaDataIn(actionsOf(log, 0)));
    expect(actions.flatMap(({ remove }) => remove ?? [])).toEqual([
      expect.objectContaining({ path: pathOf(2), dataChange: false, size: 102 }),
    ]);
    const adds = actions.flatMap(({ add }) => add ?? []);
    expect(adds[0]).toEqual({ ...addIn(actionsOf(log, 0)), dataChange: false });
  });

  it('the checkpoints of a Delta log are each made by the run that comes by', async () => {
    await commitFiles(1, 11);
    await publish();
    await commitFiles(12, 21);
    await publish();
    const log = await objects();
    expect([10, 20].map((at) => log.has(`${padded(at)}.checkpoint.parquet`))).toEqual([true, true]);
    expect(JSON.parse(log.get('_last_checkpoint')!.toString())).toMatchObject({ version: 20 });
  });

  it('the checkpoints of a Delta log are never followed by an older one in what names the newest', async () => {
    await commitFiles(1, 11);
    const late = reopened(archive);
    await late.index.refresh();
    await publish();
    await commitFiles(12, 21);
    await publish();
    const before = (await objects()).get('_last_checkpoint');
    // the late one has seen the log of its time alone
    const source = { index: late.index, whole: late.index };
    await new DeltaTables(storage, archive.identity, source).publish({ through: 11 });
    expect((await objects()).get('_last_checkpoint')).toEqual(before);
  });

  it("a checkpoint is named anew where a machine died while it locked the newest one's name", async () => {
    await commitFiles(1, 12);
    await publish();
    await erased([file(2).path], [file(13)]);
    storage.compareAndSwap = () =>
      Promise.reject(new StorageError('another process has locked it', { trouble: 'locked' }));
    await fromSnapshot(reopened(archive)).delta.publish();
    const log = await objects();
    expect([...log.keys()].sort()).toEqual([
      `${padded(12)}.checkpoint.parquet`,
      `${padded(12)}.json`,
      '_last_checkpoint',
    ]);
    expect(JSON.parse(log.get('_last_checkpoint')!.toString())).toMatchObject({ version: 12 });
  });

  describe('delta log', () => {
    const wholeLog = async () => {
      const other = createMemoryStorage();
      const { index } = reopened(archive);
      const tables = new DeltaTables(other, archive.identity, { index, whole: index });
      await tables.publish({ begin: true });
      return deltaObjects(other, 'jobs');
    };
    const snapshot = () =>
      writeSnapshotIfDue({ archive, run: RUN, pace: { commits: 1, entries: 1 } });
    const readsOf = (number: number) => storage.calls.get(`get ${commitPath(number)}`) ?? 0;

    /** Commits with removed and merged files before the snapshot, and files after it. */
    async function begun(): Promise<void> {
      await commitFiles(1, 7);
      await commit({ kind: 'compact', files: [file(8)], removed: [file(2).path, file(3).path] });
      await publish();
      expect(await snapshot()).toBe(9);
      await commitFiles(9, 14);
      await commit({ kind: 'compact', files: [file(15)], removed: [file(4).path, file(9).path] });
    }

    it('checkpoints after a snapshot are the same, written without reading earlier commits', async () => {
      await begun();
      const late = fromSnapshot(reopened(archive));
      const before = readsOf(3);
      await late.delta.publish();
      expect(readsOf(3)).toBe(before);
      expect(await objects()).toEqual(await wholeLog());
      expect([...(await objects()).keys()]).toContain(`${padded(10)}.checkpoint.parquet`);
    });

    it.each([
      ['a version', `${padded(3)}.json`],
      ['the newest version before it', `${padded(7)}.json`],
    ])(
      'checkpoints are written from every commit where %s from before the snapshot is missing',
      async (_what, name) => {
        await begun();
        await storage.delete(`tables/jobs/_delta_log/${name}`);
        await fromSnapshot(reopened(archive)).delta.publish();
        expect(await objects()).toEqual(await wholeLog());
      },
    );

    it.each(['_last_checkpoint', `${padded(10)}.checkpoint.parquet`])(
      'checkpoints after a snapshot are written from every commit where %s is missing',
      async (name) => {
        await commitFiles(1, 12);
        await publish();
        await snapshot();
        await storage.delete(`tables/jobs/_delta_log/${name}`);
        await commitFiles(13, 13);
        await fromSnapshot(reopened(archive)).delta.publish();
        expect(await objects()).toEqual(await wholeLog());
      },
    );

    it('checkpoints begin after an erasure with its own, and remember what it removed', async () => {
      await commitFiles(1, 7);
      await erased([file(2).path], [file(8)]);
      await commit({
        kind: 'erase',
        erasure: () => Promise.resolve({ stage: 'finished', id: receipt.id, begun: 8 }),
      });
      await publish();
      expect(await snapshot()).toBeGreaterThan(9);
      await commitFiles(9, 14);
      await fromSnapshot(reopened(archive)).delta.publish();
      expect(await objects()).toEqual(await wholeLog());
    });
  });

  function metaDataIn(actions: readonly DeltaAction[]) {
    return actions.find(({ metaData }) => metaData)?.metaData;
  }

  function addIn(actions: readonly DeltaAction[]) {
    return actions.find(({ add }) => add)?.add;
  }
});

it('an erasure leaves no version before its own, which a checkpoint opens', async () => {
  await commitFiles(1, 12);
  await commit({ files: [file(13, { table: 'sessions' })] });
  await publish();
  await erased([file(1).path, file(5).path], [file(20)]);
  await publish();
  await commitFiles(21, 22);
  await publish();
  const log = await objects();
  expect([...log.keys()]).toEqual([
    `${padded(12)}.checkpoint.parquet`,
    jsonName(12),
    jsonName(13),
    jsonName(14),
    '_last_checkpoint',
  ]);
  expect(JSON.parse(log.get('_last_checkpoint')!.toString())).toMatchObject({ version: 12 });
  expect(await deltaSnapshot(log)).toMatchObject({ version: 14, rows: 78 - 6 + 20 + 43 });
  await expect(deltaSnapshot(log, 11)).rejects.toThrow('there is no version 0');
  expect([...(await objects('sessions')).keys()]).toEqual([jsonName(0), jsonName(1)]);
});

it('an erasure leaves no gap where its writer dies that has found versions before it missing', async () => {
  await commitFiles(1, 3);
  await publish();
  await commitFiles(4, 5);
  await erased([file(1).path], []);
  for (let steps = 0; steps < 8; steps++) {
    const killed = dyingAfter(storage, steps);
    await reopened(archive, killed)
      .delta.publish()
      .catch((error: unknown) => {
        expect(String(error)).toContain('killed');
      });
    const log = await objects();
    const versions = [newestIn(log, 'json'), newestIn(log, 'checkpoint.parquet')];
    const { rows } = await deltaSnapshot(log, Math.max(...versions));
    expect([6, 14]).toContain(rows);
  }
  expect(await deltaSnapshot(await objects())).toMatchObject({ version: 5, rows: 14 });
});

it('an erasure has what a late writer leaves again deleted by the next run', async () => {
  await commitFiles(1, 11);
  await publish();
  const stale = await objects();
  await erased([file(1).path], []);
  await publish();
  const clean = await objects();
  for (const name of [jsonName(10), `${padded(10)}.checkpoint.parquet`]) {
    await storage.put(`tables/jobs/_delta_log/${name}`, stale.get(name)!);
  }
  await reopened(archive).delta.publish();
  expect(await objects()).toEqual(clean);
});

function padded(version: number): string {
  return String(version).padStart(20, '0');
}

function jsonName(version: number): string {
  return `${padded(version)}.json`;
}
