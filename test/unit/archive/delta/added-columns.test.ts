/** A column that comes later is a new metadata in the Delta log; what was there before keeps its bytes. */
import { expect, it } from 'vitest';
import { checkpointBytes, versionBytes } from '../../../../src/archive/delta/delta-actions.js';
import { TableHistory, type TableHead } from '../../../../src/archive/delta/table-history.js';
import type { FileEntry } from '../../../../src/archive/log/commit.js';
import { partPath } from '../../../../src/archive/paths.js';
import { defineTable, type TableSchema } from '../../../../src/model/table-schema.js';
import { runOf } from '../../../support/store/archive-samples.js';
import { checkpointActions, type DeltaAction } from '../../../support/tables/delta-log.js';

const ARCHIVE = { id: runOf('Z') };
const before = defineTable('jobs', { key: { id: 'string' }, rest: { text: 'string' } });
const now = defineTable('jobs', {
  key: { id: 'string' },
  rest: { text: 'string', mood: 'string' },
  added: [['mood']],
});

function file(n: number, schema: string): FileEntry {
  const path = partPath('jobs', '2026-11-05', runOf('A'), n, 'parquet');
  return { path, table: 'jobs', rows: n, bytes: n, sha256: 'ab'.repeat(32), schema };
}

/** A version for each file. */
function added(history: TableHistory, files: readonly FileEntry[]): TableHistory {
  for (const of of files) {
    const number = history.newest + 2;
    const commit = {
      number,
      kind: 'export',
      atMs: number * 1000,
      files: [of],
      removed: [],
    } as const;
    history.add(commit, [of], []);
  }
  return history;
}

function columnsIn(actions: readonly DeltaAction[]): string[][] {
  return actions.flatMap(({ metaData }) => {
    if (!metaData) return [];
    const { fields } = JSON.parse(metaData.schemaString) as { fields: { name: string }[] };
    return [fields.map(({ name }) => name)];
  });
}

function columnsAt(history: TableHistory, version: number): string[][] {
  const lines = versionBytes(ARCHIVE, history, version).toString().trimEnd().split('\n');
  return columnsIn(lines.map((line) => JSON.parse(line) as DeltaAction));
}

async function columnsOfCheckpoint(history: TableHistory, version: number) {
  const name = `${String(version).padStart(20, '0')}.checkpoint.parquet`;
  const bytes = Buffer.from(await checkpointBytes(ARCHIVE, history, version));
  return columnsIn(await checkpointActions(new Map([[name, bytes]]), version));
}

const old = (n: number) => file(n, before.fingerprint);
const young = (n: number) => file(n, now.fingerprint);
const OLD = ['id', 'text', 'dt'];
const YOUNG = ['id', 'text', 'mood', 'dt'];

it('is named once, where its first file comes; an older file that comes later changes nothing', async () => {
  const history = added(new TableHistory(now), [old(1), old(2), young(3), old(4), young(5)]);
  const columns = [0, 1, 2, 3, 4].map((version) => columnsAt(history, version));
  expect(columns).toEqual([[OLD], [], [YOUNG], [], []]);
  expect(await columnsOfCheckpoint(history, 1)).toEqual([OLD]);
  expect(await columnsOfCheckpoint(history, 3)).toEqual([YOUNG]);
});

it('leaves versions and checkpoints from before it as they were, byte for byte', async () => {
  const [then, since] = [before, now].map((table: TableSchema) =>
    added(new TableHistory(table), [old(1), old(2), old(3)]),
  );
  for (const version of [0, 1, 2]) {
    const bytes = [then!, since!].map((history) => versionBytes(ARCHIVE, history, version));
    expect(bytes[1]).toEqual(bytes[0]);
  }
  const [first, second] = await Promise.all(
    [then!, since!].map((history) => checkpointBytes(ARCHIVE, history, 2)),
  );
  expect(second).toEqual(first);
});

it.each([
  ['before', [old(1), old(2)]],
  ['after', [old(1), young(2)]],
])('is the same on top of a snapshot from %s it', async (_, files) => {
  const later = [old(3), young(4), young(5)];
  const whole = added(new TableHistory(now), [...files, ...later]);
  const base = added(new TableHistory(now), files);
  const head = JSON.parse(JSON.stringify(base.head())) as TableHead;
  const onTop = added(new TableHistory(now, head, base.stateAt(1).files), later);
  for (const version of [2, 3, 4]) {
    const bytes = [whole, onTop].map((history) => versionBytes(ARCHIVE, history, version));
    expect(bytes[1]).toEqual(bytes[0]);
    const checkpoints = await Promise.all(
      [whole, onTop].map((history) => checkpointBytes(ARCHIVE, history, version)),
    );
    expect(checkpoints[1]).toEqual(checkpoints[0]);
  }
  expect(onTop.head()).toEqual(whole.head());
});
