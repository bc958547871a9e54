/** The bounds of times in the log: those of the rows there are, and no trace of when an erased person spoke. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FileEntry } from '../../../src/archive/log/commit.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { compactArchive, eraseFromArchive } from '../../support/http/one-call.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { duckDbRows, sqlText } from '../../support/tables/duckdb-rows.js';
import { fault } from '../../support/base/fault.js';

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ artifactsPerJob: 0 });
});
afterEach(() => rig[Symbol.asyncDispose]());

const ANN_MS = Date.parse('2022-02-03T04:05:06.789Z');
const BEN_MS = Date.parse('2024-02-03T04:05:06.789Z');

async function talk(user: string, session: string, atMs: number): Promise<void> {
  rig.state.addSession(user, { id: session }, [oldJob(rig.state.newJobId(atMs))]);
  await rig.export({ formats: ['parquet', 'jsonl'] });
}

/** Files of `jobs` and `sessions` in the log, and whether each is still in the archive. */
async function bounded(): Promise<{ readonly file: FileEntry; readonly stays: boolean }[]> {
  const archive = await rig.open();
  await archive.index.refresh();
  const found: FileEntry[] = [];
  for await (const { files } of archive.log.commits(1, archive.index.through)) {
    found.push(...files.filter(({ created }) => created !== undefined));
  }
  const { files } = archive.index.contents;
  return found.map((file) => ({ file, stays: files.has(file.path) }));
}

async function expectBoundsOfRows(): Promise<void> {
  for (const { file, stays } of await bounded()) {
    if (!stays) continue;
    const [row = {}] = await duckDbRows(
      `SELECT epoch_us(min(created_at))::VARCHAR AS low, epoch_us(max(created_at))::VARCHAR AS high
       FROM read_parquet(${sqlText(join(rig.out, file.path))})`,
    );
    const wanted = row['low'] === null ? null : [Number(row['low']), Number(row['high'])];
    expect([file.path, file.created]).toEqual([file.path, wanted]);
  }
}

/** In any object, gzipped ones aside. */
async function isTold(ms: number): Promise<boolean> {
  const texts = await Promise.all(
    (await rig.files()).map((path) => readFile(join(rig.out, path), 'latin1')),
  );
  const spellings = [String(ms), new Date(ms).toISOString()];
  return texts.some((text) => spellings.some((spelling) => text.includes(spelling)));
}

it('an erasure takes bounds of files that held the erased out of the log, also of merged ones', async () => {
  await talk('ben', 'b1', BEN_MS);
  await talk('ann', 'a1', ANN_MS);
  await expectBoundsOfRows();
  await compactArchive({ archive: rig.out, clock: rig.clock });
  await talk('ben', 'b2', BEN_MS + 1000);
  await compactArchive({ archive: rig.out, clock: rig.clock });
  await expectBoundsOfRows();
  expect(await isTold(ANN_MS)).toBe(true);
  expect(await eraseFromArchive({ archive: rig.out, users: ['ann'] })).toMatchObject({
    status: 'erased',
  });
  expect(await isTold(ANN_MS)).toBe(false);
  expect(await isTold(BEN_MS)).toBe(true);
  await expectBoundsOfRows();
  await talk('ben', 'b3', BEN_MS + 2000);
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
});

it('an erasure leaves the bounds of files that have no row of the erased', async () => {
  await talk('ben', 'b1', BEN_MS);
  await talk('ann', 'a1', ANN_MS);
  const before = await bounded();
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  const after = await bounded();
  const bens = before.filter(({ file }) =>
    after.some((of) => of.stays && of.file.path === file.path),
  );
  expect(bens.length).toBeGreaterThan(0);
  expect(after.filter(({ stays }) => stays).map(({ file }) => file.created)).toEqual(
    bens.map(({ file }) => file.created),
  );
  expect(await isTold(ANN_MS)).toBe(false);
});

it(
  'an erasure of somebody without jobs leaves what the Delta log tells of those of others',
  fault('F-143'),
  async () => {
    await talk('ann', 'a1', ANN_MS);
    rig.state.addSession('dan', { id: 'd1' }, []);
    rig.state.addSession('ben', { id: 'b1' }, [oldJob(rig.state.newJobId(BEN_MS))]);
    await rig.export(); // of both in one commit
    await eraseFromArchive({ archive: rig.out, users: ['ann'] });
    await talk('cyd', 'c1', BEN_MS + 1000);
    await compactArchive({ archive: rig.out, clock: rig.clock });
    await eraseFromArchive({ archive: rig.out, users: ['dan'] });
    expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
  },
);
