/** Ids with half of a character: the log has them as the service sent them, and rows have U+FFFD instead. */
import { expect, it } from 'vitest';
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import { conversationOf } from '../../../src/archive/parts/conversation.js';
import { archiveSettings } from '../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { commitJobs, jsonl } from '../../support/store/written-jobs.js';

const [USER, SESSION, JOB] = ['an\ud800n', 's\udc00', 'j\ud800'];

it.each([
  ['with all its jobs', undefined],
  ['with the one job that is asked for', JOB],
])('a session whose id has a lone surrogate is shown %s', async (_, job) => {
  const settings = archiveSettings({ formats: ['jsonl'] });
  const archive = await createOrOpenArchive(createMemoryStorage(), settings);
  await commitJobs(archive, [
    { user: USER, session: SESSION, job: JOB, files: ['x;y'] },
    { user: USER, session: 'other', job: 'k' },
  ]);
  await archive.index.refresh();
  const shown = await conversationOf(archive, [jsonl], { session: SESSION, job });
  expect(shown.jobs.map((one) => one.job['job_id'])).toEqual([JOB.toWellFormed()]);
  const [only] = shown.jobs;
  expect([only?.blocks.length, only?.artifacts.length]).toEqual([2, 1]);
});
