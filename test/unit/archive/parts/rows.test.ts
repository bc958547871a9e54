import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { traceSessions } from '../../../../src/archive/log/session-traces.js';
import { conversationOf } from '../../../../src/archive/parts/conversation.js';
import { rowsOfSession, rowsOfTable, rowsOfUser } from '../../../../src/archive/parts/read-rows.js';
import { listSessions } from '../../../../src/archive/parts/session-list.js';
import { createOrOpenArchive } from '../../../../src/archive/open-archive.js';
import { UsageError } from '../../../../src/base/usage-error.js';
import { createParquetFormat } from '../../../../src/formats/parquet/parquet-format.js';
import { asUserId } from '../../../../src/model/ids.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { blocksTable, jobsTable, sessionsTable } from '../../../../src/model/tables.js';
import { archiveSettings } from '../../../support/store/archive-samples.js';
import { createMemoryStorage, type MemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs, jsonl } from '../../../support/store/written-jobs.js';

/** Ids with times: the older one and the newer one. */
const [OLD, NEW] = ['0192b000-0000-7000-8000-000000000000', '0193b000-0000-7000-8000-000000000000'];

/** Ann has `a` in two versions, with two jobs, and `b`; Ben has `c`. */
async function archiveOfTwo() {
  const storage = createMemoryStorage();
  const archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
  const a = { user: 'ann', session: 'a' };
  await commitJobs(archive, [
    { ...a, job: OLD, files: ['x;y'] },
    { ...a, job: 'k' },
  ]);
  await commitJobs(archive, [{ ...a, job: OLD, version: 2, files: ['x;z'] }], { checkpoint: 2 });
  await commitJobs(archive, [{ user: 'ann', session: 'b', job: NEW }], { run: 'B' });
  await commitJobs(archive, [{ user: 'ben', session: 'c', job: 'm' }], { run: 'C' });
  await archive.index.refresh();
  return { storage, archive };
}

async function all(rows: AsyncIterable<Row>): Promise<Row[]> {
  const read: Row[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

const formats = [createParquetFormat(), jsonl];

async function ofSession(archive: Archive, session: string): Promise<Row[]> {
  const trace = (await traceSessions(archive.index, [session])).get(session);
  if (!trace) throw new Error(`there is no session ${session}`);
  return all(rowsOfSession({ archive, formats, session, trace }, jobsTable));
}

const jobIds = (rows: readonly Row[]) => rows.map((row) => row['job_id']);
const opened = ({ calls }: MemoryStorage) =>
  new Set([...calls.keys()].filter((call) => call.startsWith('read tables/'))).size;

describe('rows', () => {
  it('of a session are all its versions, from its own files only', async () => {
    const { archive, storage } = await archiveOfTwo();
    await traceSessions(archive.index, ['a']);
    storage.calls.clear();
    const rows = await ofSession(archive, 'a');
    expect(rows.map((row) => [row['job_id'], row['job_version']])).toEqual([
      [OLD, 1],
      ['k', 1],
      [OLD, 2],
    ]);
    expect(opened(storage)).toBe(2);
  });

  it('of a user are those of the files of the user', async () => {
    const { archive, storage } = await archiveOfTwo();
    storage.calls.clear();
    const ben = { archive, formats, user: asUserId('ben') };
    expect(jobIds(await all(rowsOfUser(ben, jobsTable)))).toEqual(['m']);
    expect(opened(storage)).toBe(1);
    const ann = { archive, formats, user: asUserId('ann') };
    expect(jobIds(await all(rowsOfUser(ann, jobsTable)))).toEqual([OLD, 'k', OLD, NEW]);
  });

  it('of others in the same file are left out', async () => {
    const storage = createMemoryStorage();
    const archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
    await commitJobs(archive, [
      { user: 'ann', session: 'a', job: 'j' },
      { user: 'ben', session: 'c', job: 'm' },
    ]);
    await archive.index.refresh();
    expect(jobIds(await ofSession(archive, 'c'))).toEqual(['m']);
    const ann = { archive, formats, user: asUserId('ann') };
    expect(jobIds(await all(rowsOfUser(ann, jobsTable)))).toEqual(['j']);
  });

  it('of a table are all of them, and none where no known format is archived', async () => {
    const { archive } = await archiveOfTwo();
    const rows = await all(rowsOfTable({ archive, formats }, jobsTable));
    expect(jobIds(rows)).toEqual([OLD, 'k', OLD, NEW, 'm']);
    expect(await all(rowsOfTable({ archive, formats: [] }, jobsTable))).toEqual([]);
  });

  it('are read once where the archive has them in two formats', async () => {
    const storage = createMemoryStorage();
    const settings = archiveSettings({ formats: ['jsonl', 'parquet'] });
    const archive = await createOrOpenArchive(storage, settings);
    await commitJobs(archive, [{ user: 'ann', session: 'a', job: 'j' }], { formats });
    await archive.index.refresh();
    storage.calls.clear();
    expect(jobIds(await all(rowsOfTable({ archive, formats }, jobsTable)))).toEqual(['j']);
    expect([...storage.calls.keys()].filter((call) => call.endsWith('.jsonl.gz'))).toEqual([]);
  });
});

describe('a conversation', () => {
  it('is the newest version of each job, the oldest first, with its blocks and files', async () => {
    const { archive } = await archiveOfTwo();
    const { session, jobs } = await conversationOf(archive, formats, { session: 'a' });
    expect(session).toMatchObject({ session_id: 'a', session_version: 2 });
    expect(jobs.map(({ job }) => [job['job_id'], job['job_version']])).toEqual([
      [OLD, 2],
      ['k', 1],
    ]);
    expect(jobs.map(({ blocks, artifacts }) => [blocks.length, artifacts.length])).toEqual([
      [2, 1],
      [1, 0],
    ]);
    for (const { job, blocks, artifacts } of jobs) {
      const versions = [...blocks, ...artifacts].map((row) => [row['job_id'], row['job_version']]);
      const expected = versions.map(() => [job['job_id'], job['job_version']]);
      expect(versions).toEqual(expected);
    }
  });

  it('has the newest version, whichever was written last', async () => {
    const { archive } = await archiveOfTwo();
    const late = { user: 'ann', session: 'b', job: 'late' };
    await commitJobs(archive, [{ ...late, version: 2 }], { run: 'D' });
    await commitJobs(archive, [late], { run: 'E' });
    const choice = { session: 'b', job: 'late' };
    const { jobs } = await conversationOf(archive, formats, choice);
    expect(jobs.map(({ job }) => job['job_version'])).toEqual([2]);
  });

  it('may be limited to one job', async () => {
    const { archive } = await archiveOfTwo();
    const { jobs } = await conversationOf(archive, formats, { session: 'a', job: 'k' });
    expect(jobs.map(({ job }) => job['job_id'])).toEqual(['k']);
  });

  it('that is not there is refused in one sentence', async () => {
    const { archive } = await archiveOfTwo();
    const error = async (choice: { session: string; job?: string }) => {
      const reason: unknown = await conversationOf(archive, formats, choice).catch(
        (thrown: unknown) => thrown,
      );
      expect(reason).toBeInstanceOf(UsageError);
      return (reason as UsageError).message;
    };
    expect(await error({ session: 'x' })).toBe(
      'memory has no session "x"; sessions in it: a, b, c',
    );
    expect(await error({ session: 'a', job: 'm' })).toBe('session "a" in memory has no job "m"');
  });
});

describe('the list of sessions', () => {
  it('begins with the newest job, and has the newest name of each', async () => {
    const { archive } = await archiveOfTwo();
    const listed = await listSessions(archive, formats);
    const named = listed.map((one) => [one.user_id, one.session_id, one.name, one.jobs]);
    expect(named).toEqual([
      ['ann', 'b', 'ann called it b', 1],
      ['ann', 'a', 'ann called it a', 2],
      ['ben', 'c', 'ben called it c', 1],
    ]);
    const times = listed.map((one) => [one.newest_job_after, one.newest_job_before]);
    expect(times[0]?.[0]).toMatch(/^2024-12-/);
    expect(times[0]?.[1]).toBe(times[0]?.[0]);
    expect(times[1]?.[0]).toMatch(/^2024-10-/);
    expect(times[2]).toEqual([null, null]);
  });

  it('goes by the newest of several jobs, in whatever order, and then by the id', async () => {
    const storage = createMemoryStorage();
    const archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
    const jobs = { z: [OLD], x: [NEW, OLD], w: ['k', OLD, 'l'], y: [OLD, NEW], v: ['m'] };
    await commitJobs(
      archive,
      Object.entries(jobs).flatMap(([session, ids]) =>
        ids.map((job) => ({ user: 'ann', session, job })),
      ),
    );
    const listed = await listSessions(archive, formats);
    expect(listed.map((one) => one.session_id)).toEqual(['x', 'y', 'w', 'z', 'v']);
    const months = listed.map((one) => one.newest_job_before?.slice(0, 7));
    expect(months).toEqual(['2024-12', '2024-12', '2024-10', '2024-10', undefined]);
  });

  it('of one user has no others, and of nobody is refused with who is meant', async () => {
    const { archive, storage } = await archiveOfTwo();
    storage.calls.clear();
    const listed = await listSessions(archive, formats, 'ben');
    expect(listed.map((one) => one.session_id)).toEqual(['c']);
    expect(opened(storage)).toBe(1);
    await expect(listSessions(archive, formats, 'bem')).rejects.toThrow(
      'memory has no user "bem"; ',
    );
  });

  it('of an empty archive is empty', async () => {
    const settings = archiveSettings({ formats: ['jsonl'] });
    const archive = await createOrOpenArchive(createMemoryStorage(), settings);
    expect(await listSessions(archive, formats)).toEqual([]);
    expect(await all(rowsOfTable({ archive, formats }, sessionsTable))).toEqual([]);
    expect(await all(rowsOfTable({ archive, formats }, blocksTable))).toEqual([]);
  });
});
