/** Workbooks with rows of the erased: which are made again, of which part files, and what is left where that fails. */
import { beforeEach, expect, it } from 'vitest';
import type { FileEntry } from '../../../src/archive/log/commit.js';
import { runOf } from '../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../support/store/begun-erasure.js';
import type { MemoryStorage } from '../../support/store/memory-storage.js';
import { commitJobs, jsonl } from '../../support/store/written-jobs.js';
import { foundSheets } from '../../support/tables/workbook-cells.js';

type Rig = Awaited<ReturnType<typeof archiveOfThree>>;

let storage: MemoryStorage;
let erasure: BegunErasure;
/** The first has a workbook with rows of ann and ben; that of the third has rows of cyd alone. */
let commits: Rig['commits'];
let archive: Rig['archive'];
beforeEach(async () => {
  ({ storage, commits, archive } = await archiveOfThree());
  erasure = new BegunErasure(archive);
});

const partsOf = (files: readonly FileEntry[]) => files.filter(({ schema }) => schema !== null);
const workbooksOf = (files: readonly FileEntry[]) => files.filter(({ schema }) => schema === null);
const losing = (...files: readonly FileEntry[]) => new Set(files.map(({ path }) => path));
const rowsIn = (files: readonly FileEntry[]) => files.reduce((sum, { rows }) => sum + rows, 0);

/** Users and sessions in the sheet of jobs of the only workbook that was written. */
async function jobsIn(
  written: Awaited<ReturnType<typeof erasure.workbookEraser.erase>>['written'],
) {
  const users = [];
  for (const { entry, staged } of written) {
    await staged.publish(entry.path);
    const sheets = await foundSheets(Buffer.from(await storage.get(entry.path)));
    const jobs = sheets.find(({ name }) => name === 'jobs')?.rows ?? [];
    const at = jobs[0]?.indexOf('user_id') ?? -1;
    users.push(jobs.slice(1).map((row) => row[at]));
    const all = sheets.reduce((sum, { rows }) => sum + rows.length - 1, 0);
    expect(entry).toMatchObject({ table: 'workbook', schema: null, rows: all });
  }
  return users;
}

it('a workbook whose part files lose rows is made again from them, without the erased', async () => {
  const { files } = commits[0];
  const [part] = partsOf(files);
  const { removed, written } = await erasure.workbookEraser.erase(files, losing(part!));
  expect(removed).toEqual(workbooksOf(files));
  expect(written.map(({ entry }) => entry.path)).toEqual([`workbooks/${runOf('E')}-0001.xlsx`]);
  expect(await jobsIn(written)).toEqual([['ben']]);
});

it('a workbook whose part files lose rows has none in its place where no row is left, and nothing stays staged', async () => {
  const all = new BegunErasure(archive, { users: ['ann', 'ben'], sessions: [] });
  const { files } = commits[0];
  const { removed, written } = await all.workbookEraser.erase(files, losing(...files));
  expect([removed, written, storage.place.staged.size]).toEqual([workbooksOf(files), [], 0]);
});

it('a workbook whose part files lose rows is the only one: others, and part files without a workbook, stay', async () => {
  const { files } = commits[0];
  const all = [...files, ...commits[1].files];
  const of = (paths: ReadonlySet<string>) => erasure.workbookEraser.erase(all, paths);
  expect(await of(losing(...commits[1].files))).toEqual({ removed: [], written: [] });
  expect(await of(losing())).toEqual({ removed: [], written: [] });
  expect((await of(losing(...files))).removed).toEqual(workbooksOf(files));
});

it('a workbook whose part files lose rows is made once, however often the plan is made, and is given up with it', async () => {
  const { files } = commits[0];
  const first = await erasure.workbookEraser.erase(files, losing(...files));
  const again = await erasure.workbookEraser.erase(files, losing(...files));
  expect(again.written[0]).toBe(first.written[0]);
  expect(storage.place.staged.size).toBe(1);
  await erasure.workbookEraser.discard();
  expect(storage.place.staged.size).toBe(0);
});

it('a workbook whose part files lose rows leaves nothing where a part file cannot be read', async () => {
  const { files } = commits[0];
  const jobs = partsOf(files).find(({ table }) => table === 'jobs');
  await storage.delete(jobs!.path);
  await expect(erasure.workbookEraser.erase(files, losing(...files))).rejects.toThrow(jobs!.path);
  expect(storage.place.staged.size).toBe(0);
  await erasure.workbookEraser.discard();
});

it('workbooks whose part files were compacted are replaced together by one for each day of what is left', async () => {
  const other = await commitJobs(archive, [{ user: 'dan', session: 'd', job: 'm' }], {
    formats: [jsonl],
    run: 'C',
    day: '2026-11-06',
  });
  const [workbook] = workbooksOf(commits[0].files);
  // their names are not those of any part file
  const lost = ['D', 'F'].map((letter) => ({
    ...workbook!,
    path: `workbooks/${runOf(letter)}-0001.xlsx`,
  }));
  const files = [...lost, ...commits[0].files, ...commits[2].files, ...other.files];
  const apart = losing(...partsOf(commits[0].files));
  // the first commit's workbook has its own part files
  expect((await erasure.workbookEraser.erase(files, apart)).removed).toEqual([workbook]);
  const cyd = new BegunErasure(archive, { users: ['cyd'], sessions: [] }, 'G');
  const of = losing(...partsOf(commits[2].files));
  const { removed, written } = await cyd.workbookEraser.erase(files, of);
  expect(removed).toEqual(lost);
  expect(written).toHaveLength(1);
  expect(await jobsIn(written)).toEqual([['dan']]);
});

it('workbooks whose part files were compacted are also those that have fewer rows than their part files', async () => {
  const { files } = commits[0];
  const [workbook] = workbooksOf(files);
  expect(workbook?.rows).toBe(rowsIn(partsOf(files)));
  const larger = { ...workbook!, rows: workbook!.rows + 1 };
  const all = [larger, ...partsOf(files), ...partsOf(commits[2].files)];
  const { removed, written } = await erasure.workbookEraser.erase(all, losing(...files));
  expect(removed).toEqual([larger]);
  expect((await jobsIn(written)).flat().toSorted()).toEqual(['ben', 'cyd']);
});

it('Of an archive without rows nothing is made', async () => {
  const none = { ...archive, identity: { ...archive.identity, formats: ['xlsx'] as never } };
  const { files } = commits[0];
  const made = await new BegunErasure(none).workbookEraser.erase(files, losing(...files));
  expect(made).toEqual({ removed: [], written: [] });
});
