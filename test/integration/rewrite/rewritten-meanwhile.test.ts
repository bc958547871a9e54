/** Readers who have listed an archive's files when somebody compacts it, or erases from it, for good. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { archiveOf, type Archive } from '../../../src/archive/archive.js';
import { systemRandom, systemClock } from '../../../src/base/runtime.js';
import { writeEvidence, type EvidenceSummary } from '../../../src/evidence/write-evidence.js';
import type { ReportSummary } from '../../../src/report/report-options.js';
import { writeReport } from '../../../src/report/write-report.js';
import { createLocalStorage } from '../../../src/storage/local/local-storage.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import type { ExportRig } from '../../support/rigs/export-rig.js';
import { ask, askOne } from '../../support/rigs/query-rig.js';
import { compactArchive, eraseFromArchive } from '../../support/http/one-call.js';
import { allFormats } from '../../support/base/memory-bytes.js';
import { knowing } from '../../support/store/archive-samples.js';

let people: EraseRig;
let rig: ExportRig;
beforeEach(async () => {
  people = await EraseRig.start();
  rig = people.rig;
  await people.archived(['parquet']);
});
afterEach(() => people[Symbol.asyncDispose]());

/** The archive, in which something happens when the log has been read and before a file is opened: each thing once. */
async function unsteady(...events: (() => Promise<unknown>)[]): Promise<Archive> {
  const { storage, identity } = await rig.open();
  const archive = archiveOf(storage, identity, { clock: systemClock, random: systemRandom });
  const commits = archive.log.commits.bind(archive.log);
  archive.log.commits = async function* (first, last) {
    yield* commits(first, last);
    await events.shift()?.();
  };
  return archive;
}

const compactForGood = () => compactArchive({ archive: rig.out, graceMs: 0 });
const erase = (user: string) => () => eraseFromArchive({ archive: rig.out, users: [user] });

/** @param event happens when the first table's files are known and none of them is open */
function interrupted(archive: Archive, event?: () => Promise<unknown>): Archive {
  const formats = allFormats.map((format) => ({
    ...format,
    async *readRows(...of: Parameters<typeof format.readRows>) {
      const happens = event;
      event = undefined;
      await happens?.();
      yield* format.readRows(...of);
    },
  }));
  return { ...archive, ...knowing(...formats) };
}

async function evidenceOf(archive: Archive, user: string): Promise<EvidenceSummary> {
  const directory = await mkdtemp(join(rig.directory, 'pack-'));
  const target = createLocalStorage({ directory });
  try {
    return await writeEvidence({ archive, target, users: [user] });
  } finally {
    await target.close();
  }
}

async function reportOf(archive: Archive): Promise<ReportSummary> {
  const directory = await mkdtemp(join(rig.directory, 'report-'));
  const target = createLocalStorage({ directory });
  try {
    return await writeReport({ archive, target });
  } finally {
    await target.close();
  }
}

it('a query is answered as the newest commit has it, whoever was erased meanwhile', async () => {
  const before = await askOne({ archive: await rig.open(), sql: 'SELECT count(*) FROM jobs' });
  expect(before).toBe('8');
  const archive = await unsteady(compactForGood, erase('ann'));
  const { rows } = await ask({
    archive,
    sql: 'SELECT user_id, count(*) FROM jobs GROUP BY ALL ORDER BY ALL',
  });
  expect(rows).toEqual([
    ['ben', '2'],
    ['cyd', '3'],
  ]);
});

it.each([
  ['a compaction', compactForGood],
  // all sessions of hers that were listed are there
  ['an erasure of somebody else', erase('ben')],
])(
  'evidence that %s has come between ends in one sentence, and is made whole the next time',
  async (_, event) => {
    const archive = await rig.open();
    await expect(evidenceOf(interrupted(archive, event), 'cyd')).rejects.toMatchObject({
      failure: 'locked',
      message: `${rig.out} was compacted or erased from while the pack was made: try again`,
    });
    expect(await evidenceOf(archive, 'cyd')).toMatchObject({ status: 'complete', jobs: 3 });
  },
);

it.each([
  ['a compaction', compactForGood],
  ['an erasure', erase('ben')],
])('a report that %s has come between ends in one sentence, not as damage', async (_, event) => {
  const archive = await rig.open();
  await expect(reportOf(interrupted(archive, event))).rejects.toMatchObject({
    failure: 'locked',
    message: `${rig.out} was compacted or erased from while the report was made: try again`,
  });
  expect(await reportOf(archive)).toMatchObject({ jobs: event === compactForGood ? 8 : 6 });
});

it('evidence of those who were erased meanwhile is refused by name', async () => {
  const archive = await unsteady(erase('ann'));
  await expect(evidenceOf(archive, 'ann')).rejects.toMatchObject({ failure: 'locked' });
  await expect(evidenceOf(archive, 'ann')).rejects.toThrow('ann');
  await expect(evidenceOf(archive, 'ann')).rejects.toMatchObject({ failure: 'usage' });
});

it('the command begins again by itself until the pack is whole', async () => {
  const [handed, erased] = await Promise.all([
    handOver(rig, '--user', 'cyd', '--user', 'ben'),
    cli(['erase', rig.out, '--user', 'ann', '--yes']),
  ]);
  expect([handed.exitCode, handed.stderr]).toEqual([0, expect.any(String)]);
  expect([erased.exitCode, erased.stderr]).toEqual([0, expect.any(String)]);
  expect(handed.summary()).toMatchObject({ status: 'complete', users: 2, jobs: 5 });
});

it('damage is told as damage although somebody has compacted before', async () => {
  await compactForGood();
  const [part = ''] = await rig.parts('tables/raw_jobs');
  const bytes = await readFile(join(rig.out, part));
  bytes[10]! ^= 1;
  await rig.place.write(part, bytes);
  const handed = await handOver(rig, '--user', 'cyd');
  expect([handed.exitCode, handed.stderr]).toEqual([4, expect.stringContaining(part)]);
});
