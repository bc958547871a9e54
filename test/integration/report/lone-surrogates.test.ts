/** Ids with half of a character: the log has them as the service sent them, and rows have U+FFFD instead. */
import { expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { conversationOf } from '../../../src/archive/reading/conversation.js';
import { writeEvidence } from '../../../src/evidence/write-evidence.js';
import { writeReport } from '../../../src/report/write-report.js';
import { writeWorkbook } from '../../../src/workbook/write-workbook.js';
import { archiveSettings } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { commitJobs } from '../../support/store/written-jobs.js';

const [USER, SESSION, JOB] = ['an\ud800n', 's\udc00', 'j\ud800'];
const SPELLINGS = [
  ['as the service sent it', SESSION],
  ['as rows have it', SESSION.toWellFormed()],
] as const;

async function archiveOfOne() {
  const settings = archiveSettings({ formats: ['jsonl'] });
  const archive = await createOrOpenArchive(createMemoryStorage(), settings);
  await commitJobs(archive, [
    { user: USER, session: SESSION, job: JOB, files: ['x;y'] },
    { user: USER, session: 'other', job: 'k' },
  ]);
  await archive.index.refresh();
  return archive;
}

async function options() {
  const archive = await archiveOfOne();
  const target = createMemoryStorage();
  return { archive, target };
}

it.each(SPELLINGS)('a session whose id is given %s is shown with its jobs', async (_, session) => {
  const shown = await conversationOf({ archive: await archiveOfOne() }, { session });
  expect(shown.session['name']).toContain('called it s\ufffd');
  const [only] = shown.jobs;
  expect(only?.job['job_id']).toBe('j\ufffd');
  expect([only?.blocks.length, only?.artifacts.length]).toEqual([2, 1]);
  expect(shown.jobs).toHaveLength(1);
});

it.each(SPELLINGS)('a job whose id is given %s is shown', async (_, session) => {
  const isRaw = session === SESSION;
  const job = isRaw ? JOB : JOB.toWellFormed();
  const shown = await conversationOf({ archive: await archiveOfOne() }, { session, job });
  expect(shown.jobs.map((one) => one.job['job_id'])).toEqual(['j\ufffd']);
});

it.each(SPELLINGS)('a pack of a session given %s has its record and file', async (_, session) => {
  const summary = await writeEvidence({ ...(await options()), sessions: [session] });
  expect(summary).toMatchObject({ users: 1, sessions: 1, jobs: 1, records: 1, artifacts: 1 });
});

it.each(SPELLINGS)('a report of a session given %s has its job', async (_, session) => {
  const summary = await writeReport({ ...(await options()), sessions: [session] });
  expect(summary).toMatchObject({ users: 1, sessions: 1, jobs: 1, artifacts: 1 });
});

it.each([
  ['as the service sent it', USER],
  ['as rows have it', USER.toWellFormed()],
])('pack, report and workbook of a user given %s have the jobs', async (_, user) => {
  const users = [user];
  const pack = await writeEvidence({ ...(await options()), users });
  expect(pack).toMatchObject({ users: 1, sessions: 2, jobs: 2, records: 2, artifacts: 1 });
  const report = await writeReport({ ...(await options()), users });
  expect(report).toMatchObject({ users: 1, sessions: 2, jobs: 2, artifacts: 1 });
  const workbook = await writeWorkbook({ ...(await options()), users: [user], name: 'ann.xlsx' });
  expect(workbook).toMatchObject({ sessions: 2, jobs: 2, artifacts: 1 });
});
