/** Which workbooks belong in an archive, what they have, and when one is made again. */
import { beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../../../src/base/logger.js';
import type { Archive } from '../../../../src/archive/archive.js';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { workbookPath } from '../../../../src/archive/paths.js';
import {
  commitIn,
  dueWorkbooks,
  leaveWorkbook,
  runsLosing,
  tryWriteWorkbook,
} from '../../../../src/archive/workbooks/run-workbooks.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { readPart } from '../../../../src/archive/parts/read-part.js';
import { finishErasure } from '../../../../src/archive/erasing/finish-erasure.js';
import { verifyAndRepair } from '../../../../src/repair/repair.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { jobsTable } from '../../../../src/model/tables.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { BegunErasure } from '../../../support/store/begun-erasure.js';
import { descriptionOf } from '../../../../src/formats/xlsx/read-back.js';
import type { RunId } from '../../../../src/model/ids.js';
import { archiveSettings, draft, reopened, runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs, jsonl, putRows } from '../../../support/store/written-jobs.js';
import { fault } from '../../../support/base/fault.js';
import { foundSheets } from '../../../support/tables/workbook-cells.js';
import { memorySource } from '../../../support/base/memory-bytes.js';

const { signal } = new AbortController();
const [A, B, C, E] = ['A', 'B', 'C', 'E'].map(runOf) as [RunId, RunId, RunId, RunId];
const of = (user: string, job: string) => ({ user, session: `of ${user}`, job });

let storage: MemoryStorage;
let archive: Archive;
beforeEach(async () => {
  storage = createMemoryStorage();
  archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl', 'xlsx'] }));
  await commitJobs(archive, [of('ann', 'j1'), of('ben', 'k1')]);
  await commitJobs(archive, [of('ann', 'j2')], { run: 'B' });
  await archive.index.refresh();
});

/** Ids in the sheet of jobs. */
async function jobsIn(run: RunId): Promise<unknown[]> {
  const sheets = await foundSheets(Buffer.from(await storage.get(workbookPath(run))));
  const [head = [], ...rows] = sheets.find(({ name }) => name === 'jobs')?.rows ?? [];
  return rows.map((row) => row[head.indexOf('job_id')]);
}

const due = () => dueWorkbooks(archive).map(({ run, since }) => [run, since]);
const notes = async () =>
  (await verifyArchive(reopened(archive))).notes.filter(({ path }) => path.endsWith('.xlsx'));

/** The part files of the table `jobs` become one, of the given day. */
async function compact(day: string): Promise<void> {
  const { files } = archive.index.contents;
  const old = [...files.values()].filter(({ table }) => table === 'jobs');
  const rows: Row[] = [];
  for (const file of old) {
    for await (const batch of readPart(archive, file, { table: jobsTable, format: jsonl })) {
      rows.push(...batch);
    }
  }
  const tables = [{ table: jobsTable, rows }];
  const written = await putRows(archive, tables, { format: jsonl, run: 'C', n: 1, day });
  const removed = old.map(({ path }) => path);
  const base = archive.index.through;
  await archive.log.append(draft({ kind: 'compact', base, run: C, files: written, removed }));
  for (const path of removed) await storage.delete(path);
  await archive.index.refresh();
}

async function erase(...users: string[]): Promise<void> {
  const erasure = new BegunErasure(archive, { users, sessions: [] });
  await erasure.begin();
  await finishErasure({ archive, run: E, checkpoint: 2 }, E);
}

it('a workbook has the rows that its run has brought, and says what its writer knew', async () => {
  expect(due()).toEqual([
    [A, 1],
    [B, 2],
  ]);
  for (const run of [A, B]) await leaveWorkbook({ archive, signal }, run);
  expect([await jobsIn(A), await jobsIn(B)]).toEqual([['j1', 'k1'], ['j2']]);
  const description = await descriptionOf(memorySource(await storage.get(workbookPath(A))));
  expect(description).toBe(`jobvault run ${A}, commit 2`);
  expect([commitIn(description, A), commitIn(description, B)]).toEqual([2, undefined]);
  expect(await notes()).toEqual([]);
});

it('a run leaves no workbook where the archive has none', async () => {
  const other = createMemoryStorage();
  const plain = await createOrOpenArchive(other, archiveSettings({ formats: ['jsonl'] }));
  await commitJobs(plain, [of('ann', 'j1')]);
  await leaveWorkbook({ archive: plain, signal }, A);
  expect([...other.place.objects.keys()].filter((path) => path.endsWith('.xlsx'))).toEqual([]);
  expect(dueWorkbooks(plain)).toEqual([]);
});

// I-64 in FORMAT.md
it.each(['2026-11-05', '2026-11-01'])(
  'a workbook has the same rows after a compaction into %s',
  async (day) => {
    await leaveWorkbook({ archive, signal }, B);
    const before = await storage.get(workbookPath(B));
    await compact(day);
    expect(due()).toEqual([
      [A, 1],
      [B, 2],
    ]);
    expect(await storage.get(workbookPath(B))).toEqual(before);
    for (const run of [A, B]) await tryWriteWorkbook({ archive, signal }, run);
    expect([await jobsIn(A), await jobsIn(B)]).toEqual([['j1', 'k1'], ['j2']]);
    expect(await notes()).toEqual([]);
  },
);

it('a workbook is deleted by an erasure if it may have the erased, and only then', async () => {
  await commitJobs(archive, [of('cyd', 'l1')], { run: 'D' });
  await archive.index.refresh();
  for (const run of [A, B, runOf('D')]) await leaveWorkbook({ archive, signal }, run);
  await erase('ben');
  const left = (await notes()).map(({ path, detail }) => [path, detail]);
  expect(left).toEqual([
    [workbookPath(A), 'is not there: its run makes it when it ends, or --repair'],
  ]);
  await tryWriteWorkbook({ archive, signal }, A);
  expect([await jobsIn(A), await jobsIn(B)]).toEqual([['j1'], ['j2']]);
  expect(await notes()).toEqual([]);
});

it('a workbook is deleted by an erasure also where rows of several runs were compacted', async () => {
  for (const run of [A, B]) await leaveWorkbook({ archive, signal }, run);
  await compact('2026-11-01');
  await erase('ben');
  expect((await notes()).map(({ path }) => path)).toEqual([workbookPath(A), workbookPath(B)]);
});

it('a workbook is deleted by an erasure of all that its run has brought, and not missed', async () => {
  for (const run of [A, B]) await leaveWorkbook({ archive, signal }, run);
  await erase('ann', 'ben');
  expect([await notes(), due()]).toEqual([[], []]);
  expect([...storage.place.objects.keys()].filter((path) => path.endsWith('.xlsx'))).toEqual([]);
});

it('a workbook is outdated where a late writer put it after an erasure', async () => {
  await leaveWorkbook({ archive, signal }, A);
  const late = await storage.get(workbookPath(A));
  await erase('ben');
  await storage.put(workbookPath(A), late);
  expect(await notes()).toEqual([
    { path: workbookPath(A), detail: 'has not the rows of now: --repair makes it again' },
    { path: workbookPath(B), detail: 'is not there: its run makes it when it ends, or --repair' },
  ]);
});

it('a workbook is made again if an erasure came while it was made', async () => {
  let isErased = false;
  const stage: Storage['stage'] = async (options) => {
    const staged = await storage.stage(options);
    const publish: typeof staged.publish = async (path) => {
      if (!isErased && path === workbookPath(A)) {
        isErased = true;
        await erase('ben'); // has its receipt, and is finished, before the workbook is there
      }
      await staged.publish(path);
    };
    return Object.assign(Object.create(staged) as typeof staged, { publish });
  };
  const slow = { ...reopened(archive), storage: { ...storage, stage } };
  expect(await tryWriteWorkbook({ archive: slow, signal }, A)).toBe(true);
  expect(await jobsIn(A)).toEqual(['j1']);
});

it('a workbook cannot be made of a damaged part file: that is logged, and none is left', async () => {
  await leaveWorkbook({ archive, signal }, A);
  const [file] = [...archive.index.contents.files.values()].filter(({ path }) => path.includes(A));
  await storage.put(file!.path, Buffer.from('x'));
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (...given: unknown[]) => void warnings.push(given) };
  const made = await tryWriteWorkbook({ archive: { ...archive, logger }, signal }, A);
  expect([made, storage.place.objects.has(workbookPath(A))]).toEqual([false, false]);
  expect(warnings).toEqual([
    [
      { workbook: workbookPath(A), reason: expect.stringContaining(file!.path) as string },
      'cannot make the workbook; verify --repair does',
    ],
  ]);
});

it('a workbook is not made by a run that was stopped', async () => {
  const stopped = AbortSignal.abort();
  expect(await tryWriteWorkbook({ archive, signal: stopped }, A)).toBe(false);
});

it('runs that may lose rows are those of the removed part files', () => {
  const paths = [...archive.index.contents.files.keys()];
  expect(runsLosing(archive, [])).toEqual([]);
  expect(
    runsLosing(
      archive,
      paths.filter((path) => path.includes(B)),
    ),
  ).toEqual([B]);
});

it.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1), /^is damaged/],
  ['with a byte that differs', withOtherByte, /^is damaged: .*sheet1\.xml is damaged/],
  ['no workbook', () => Buffer.from('x'), /^is damaged: .*too short/],
])(
  'a workbook is noted and made again where it is %s, and no data is lost',
  fault('F-30'),
  async (_, damage, detail) => {
    for (const run of [A, B]) await leaveWorkbook({ archive, signal }, run);
    const right = await storage.get(workbookPath(A));
    await storage.put(workbookPath(A), damage(Buffer.from(right)));
    const { problems, notes: all } = await verifyArchive(reopened(archive));
    expect([problems, all]).toEqual([
      [],
      [{ path: workbookPath(A), detail: expect.stringMatching(detail) as string }],
    ]);
    const repaired = await verifyAndRepair(reopened(archive), {}, signal);
    expect([repaired.workbooks, await storage.get(workbookPath(A))]).toEqual([
      [workbookPath(A)],
      right,
    ]);
    expect(await notes()).toEqual([]);
  },
);

it('a repair makes the workbook of a dead run, and puts right a wrong one', async () => {
  await leaveWorkbook({ archive, signal }, A);
  const right = await storage.get(workbookPath(A));
  for (const run of [B, C]) await storage.put(workbookPath(run), right);
  await storage.delete(workbookPath(A));
  expect(await notes()).toEqual([
    { path: workbookPath(A), detail: 'is not there: its run makes it when it ends, or --repair' },
    { path: workbookPath(B), detail: 'is not the workbook of its run: --repair makes it again' },
    { path: workbookPath(C), detail: 'is not the workbook of its run: --repair makes it again' },
  ]);
  await verifyAndRepair(reopened(archive), {}, signal);
  expect([await jobsIn(A), await jobsIn(B)]).toEqual([['j1', 'k1'], ['j2']]);
  expect(storage.place.objects.has(workbookPath(C))).toBe(false);
  expect(await notes()).toEqual([]);
});

/** Of the first sheet, which is packed: its bytes are the largest part. */
function withOtherByte(bytes: Buffer): Buffer {
  const at = bytes.indexOf('xl/worksheets/sheet1.xml') + 'xl/worksheets/sheet1.xml'.length + 40;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}
