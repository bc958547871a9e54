import { describe, expect, it } from 'vitest';
import type { Archive } from '../../../../../src/archive/archive.js';
import {
  conversationOf,
  type ConversationRows,
} from '../../../../../src/archive/reading/conversation.js';
import { conversationsOf } from '../../../../../src/making/open-making.js';
import { EVERYBODY, type Scope } from '../../../../../src/archive/reading/scope.js';
import { Selection } from '../../../../../src/archive/reading/selection.js';
import {
  rowsOfTable,
  SelectedRows,
} from '../../../../../src/archive/reading/rows/selected-rows.js';
import { listArchivedSessions } from '../../../../../src/archive/reading/session-list.js';
import { createOrOpenArchive } from '../../../../../src/archive/open-archive.js';
import { IntegrityError } from '../../../../../src/archive/archive-errors.js';
import { UsageError } from '../../../../../src/base/error.js';
import { createParquetFormat } from '../../../../../src/formats/parquet/parquet-format.js';
import type { Row } from '../../../../../src/model/table-schema.js';
import { blocksTable, jobsTable, sessionsTable } from '../../../../../src/model/tables.js';
import { archiveSettings, knowing, session } from '../../../../support/store/archive-samples.js';
import {
  createMemoryStorage,
  type MemoryStorage,
} from '../../../../support/store/memory-storage.js';
import { compacted } from '../../../../support/rigs/compact-rig.js';
import { commitJobs, jsonl } from '../../../../support/store/written-jobs.js';

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

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const row of rows) read.push(row);
  return read;
}

const formats = [createParquetFormat(), jsonl];

async function jobsOf(archive: Archive, scope: Partial<Scope>): Promise<Row[]> {
  const selection = await Selection.of(archive, { users: [], sessions: [], ...scope });
  return all((await SelectedRows.of({ archive }, selection)).rows(jobsTable));
}

const jobIds = (rows: readonly Row[]) => rows.map((row) => row['job_id']);
const opened = ({ calls }: MemoryStorage) =>
  new Set([...calls.keys()].filter((call) => call.startsWith('read tables/'))).size;

it('rows of a session are all its versions, from its own files only', async () => {
  const { archive, storage } = await archiveOfTwo();
  storage.calls.clear();
  const rows = await jobsOf(archive, { sessions: ['a'] });
  expect(rows.map((row) => [row['job_id'], row['job_version']])).toEqual([
    [OLD, 1],
    ['k', 1],
    [OLD, 2],
  ]);
  expect(opened(storage)).toBe(2);
});

it('rows of a user are those of the files of the user', async () => {
  const { archive, storage } = await archiveOfTwo();
  storage.calls.clear();
  expect(jobIds(await jobsOf(archive, { users: ['ben'] }))).toEqual(['m']);
  expect(opened(storage)).toBe(1);
  expect(jobIds(await jobsOf(archive, { users: ['ann'] }))).toEqual([OLD, 'k', OLD, NEW]);
});

// I-52 in FORMAT.md
it('rows of a user are not looked for in what a compaction has made of other months', async () => {
  const storage = createMemoryStorage();
  const archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
  const nights = [
    { user: 'ann', day: '2024-01-03', run: 'A' },
    { user: 'ann', day: '2024-01-04', run: 'B' },
    { user: 'ben', day: '2024-02-03', run: 'C' },
    { user: 'cyd', day: '2024-02-04', run: 'D' },
  ];
  for (const { user, day, run } of nights) {
    await commitJobs(archive, [{ user, session: `of ${user}`, job: day }], { day, run });
  }
  await compacted(archive);
  for (const [user, jobs] of [
    ['ann', ['2024-01-03', '2024-01-04']],
    ['cyd', ['2024-02-04']],
  ] as const) {
    storage.calls.clear();
    expect(jobIds(await jobsOf(archive, { users: [user] }))).toEqual(jobs);
    expect(opened(storage)).toBe(1);
  }
});

it('rows of everybody are those of every file, in the order of the log', async () => {
  const { archive } = await archiveOfTwo();
  expect(jobIds(await jobsOf(archive, {}))).toEqual([OLD, 'k', OLD, NEW, 'm']);
});

it('rows are those of the files that were named when the reading began, whatever comes since', async () => {
  const { archive } = await archiveOfTwo();
  const selection = await Selection.of(archive, { users: ['ann'], sessions: [] });
  const selected = await SelectedRows.of({ archive }, selection);
  await commitJobs(archive, [{ user: 'ann', session: 'a', job: 'late' }], { run: 'D' });
  await archive.index.refresh();
  expect(jobIds(await all(selected.rows(jobsTable)))).toEqual([OLD, 'k', OLD, NEW]);
});

it('rows of others in the same file are left out', async () => {
  const storage = createMemoryStorage();
  const archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
  await commitJobs(archive, [
    { user: 'ann', session: 'a', job: 'j' },
    { user: 'ben', session: 'c', job: 'm' },
  ]);
  await archive.index.refresh();
  expect(jobIds(await jobsOf(archive, { sessions: ['c'] }))).toEqual(['m']);
  expect(jobIds(await jobsOf(archive, { users: ['ann'] }))).toEqual(['j']);
});

it('rows of a table are all of them, and an archive in no known format is refused', async () => {
  const { archive } = await archiveOfTwo();
  const rows = await all(rowsOfTable({ archive }, jobsTable));
  expect(jobIds(rows)).toEqual([OLD, 'k', OLD, NEW, 'm']);
  const unread = all(rowsOfTable({ archive: { ...archive, ...knowing() } }, jobsTable));
  await expect(unread).rejects.toThrow('no format of jsonl can be read');
});

it('rows are read once where the archive has them in two formats', async () => {
  const storage = createMemoryStorage();
  const settings = archiveSettings({ formats: ['jsonl', 'parquet'] });
  const archive = await createOrOpenArchive(storage, settings);
  await commitJobs(archive, [{ user: 'ann', session: 'a', job: 'j' }], { formats });
  await archive.index.refresh();
  storage.calls.clear();
  expect(jobIds(await all(rowsOfTable({ archive }, jobsTable)))).toEqual(['j']);
  expect([...storage.calls.keys()].filter((call) => call.endsWith('.jsonl.gz'))).toEqual([]);
});

it("a conversation is each job's newest version, the oldest first, with blocks and files", async () => {
  const { archive } = await archiveOfTwo();
  const { session, jobs } = await conversationOf({ archive }, { session: 'a' });
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

it('a conversation has the newest version, whichever was written last', async () => {
  const { archive } = await archiveOfTwo();
  const late = { user: 'ann', session: 'b', job: 'late' };
  await commitJobs(archive, [{ ...late, version: 2 }], { run: 'D' });
  await commitJobs(archive, [late], { run: 'E' });
  const choice = { session: 'b', job: 'late' };
  const { jobs } = await conversationOf({ archive }, choice);
  expect(jobs.map(({ job }) => job['job_version'])).toEqual([2]);
});

it('a conversation may be limited to one job', async () => {
  const { archive } = await archiveOfTwo();
  const { jobs } = await conversationOf({ archive }, { session: 'a', job: 'k' });
  expect(jobs.map(({ job }) => job['job_id'])).toEqual(['k']);
});

it('a conversation that is not there is refused in one sentence', async () => {
  const { archive } = await archiveOfTwo();
  const error = async (choice: { session: string; job?: string }) => {
    const reason: unknown = await conversationOf({ archive }, choice).catch(
      (thrown: unknown) => thrown,
    );
    expect(reason).toBeInstanceOf(UsageError);
    return (reason as UsageError).message;
  };
  expect(await error({ session: 'x' })).toBe('memory has no session "x"; sessions in it: a, b, c');
  expect(await error({ session: 'a', job: 'm' })).toBe('session "a" in memory has no job "m"');
});

describe('rows', () => {
  const idsOf = async (archive: Archive, scope: Partial<Scope>) => {
    const target = createMemoryStorage();
    const whole = { users: [], sessions: [], ...scope };
    const found: unknown[] = [];
    for await (const { session, jobs } of conversationsOf({ archive }, whole, target)) {
      const versions = jobs.map(({ job }) => `${job['job_id']} ${String(job['job_version'])}`);
      found.push([session['session_id'], versions]);
    }
    expect(target.place.staged.size).toBe(0);
    return found;
  };

  it('the conversations of a scope come user by user, each as it is shown alone', async () => {
    const { archive } = await archiveOfTwo();
    const each = [
      ['a', [`${OLD} 2`, 'k 1']],
      ['b', [`${NEW} 1`]],
      ['c', ['m 1']],
    ];
    expect(await idsOf(archive, {})).toEqual(each);
    expect(await idsOf(archive, { users: ['ann'] })).toEqual(each.slice(0, 2));
    expect(await idsOf(archive, { sessions: ['b', 'c'] })).toEqual(each.slice(1));
    const conversations = conversationsOf({ archive }, EVERYBODY, createMemoryStorage());
    for await (const conversation of conversations) {
      const session = conversation.session['session_id'];
      expect(conversation).toEqual(await conversationOf({ archive }, { session }));
    }
  });

  it('the conversations of a scope are read once from each file, before the first of them comes', async () => {
    const { archive, storage } = await archiveOfTwo();
    storage.calls.clear();
    const conversations = conversationsOf({ archive }, EVERYBODY, createMemoryStorage());
    await conversations.next();
    const files = [...archive.index.contents.files.keys()].filter((path) =>
      /^tables.(sessions|jobs|blocks|artifacts)/.test(path),
    );
    expect(opened(storage)).toBe(files.length);
    storage.calls.clear();
    expect(await all(conversations)).toHaveLength(2);
    expect(opened(storage)).toBe(0);
  });

  it('conversations leave nothing behind where their reader stops early or a file is damaged', async () => {
    const { archive, storage } = await archiveOfTwo();
    const target = createMemoryStorage();
    const stopped = conversationsOf({ archive }, EVERYBODY, target);
    await stopped.next();
    await stopped.return(undefined);
    expect(target.place.staged.size).toBe(0);
    const [path = ''] = archive.index.contents.files.keys();
    await storage.put(path, Buffer.from('altered'));
    const damaged = conversationsOf({ archive }, EVERYBODY, target).next();
    await expect(damaged).rejects.toThrow(IntegrityError);
    expect(target.place.staged.size).toBe(0);
  });

  it('the conversations of a scope are refused as a whole where a user or a session is not there', async () => {
    const { archive } = await archiveOfTwo();
    await expect(idsOf(archive, { users: ['bem'] })).rejects.toThrow(UsageError);
    await expect(idsOf(archive, { sessions: ['x'] })).rejects.toThrow(UsageError);
  });
});

describe('rows', () => {
  const read = async (archive: Archive, rows: ConversationRows, scope: Partial<Scope> = {}) => {
    const whole = { ...EVERYBODY, ...scope };
    return all(conversationsOf({ archive }, whole, createMemoryStorage(), rows));
  };

  it('conversations of named tables have their rows, and no file of another is opened', async () => {
    const { archive, storage } = await archiveOfTwo();
    storage.calls.clear();
    const [a] = await read(archive, { tables: ['raw_jobs'] }, { sessions: ['a'] });
    const tables = [...storage.calls.keys()].flatMap((call) => /^read tables.(\w+)/.exec(call)?.[1] ?? []); // prettier-ignore
    expect([...new Set(tables)].toSorted()).toEqual(['jobs', 'raw_jobs', 'sessions']);
    const records = a?.jobs.map(({ raw_jobs: raw, blocks, artifacts }) => [
      raw.map((row) => row['job_version']),
      blocks.length + artifacts.length,
    ]);
    expect(records).toEqual([
      [[2], 0],
      [[1], 0],
    ]);
    const [alone] = await read(archive, { tables: [] }, { sessions: ['c'] });
    expect(alone?.jobs).toMatchObject([{ job: { job_id: 'm' }, raw_jobs: [], blocks: [] }]);
  });

  it('conversations have the newest version, or all, newest first, each with its own rows', async () => {
    const { archive } = await archiveOfTwo();
    const [newest] = await read(archive, {});
    expect([newest?.earlier, newest?.jobs[0]?.earlier]).toEqual([undefined, undefined]);
    const [a] = await read(archive, { versions: 'all' });
    expect(a?.session).toMatchObject({ session_id: 'a', session_version: 2 });
    expect(a?.earlier).toMatchObject([{ session_id: 'a', session_version: 1 }]);
    const [old, k] = a?.jobs ?? [];
    expect(old?.job).toMatchObject({ job_id: OLD, job_version: 2 });
    expect(old?.earlier?.map(({ job }) => job['job_version'])).toEqual([1]);
    expect(k?.earlier).toEqual([]);
    for (const one of [...(old ? [old] : []), ...(old?.earlier ?? [])]) {
      const { job_version: version } = one.job;
      expect(one.artifacts).toHaveLength(1);
      const rows = [...one.blocks, ...one.artifacts];
      expect(new Set(rows.map((row) => row['job_version']))).toEqual(new Set([version]));
    }
  });

  it('conversations have what was deleted from the service, where it is asked for', async () => {
    const { archive } = await archiveOfTwo();
    const [a] = await read(archive, { tables: ['deletions'] });
    expect(a?.deletions).toEqual([]);
    expect((await read(archive, {}))[0]?.deletions).toBeUndefined();
  });

  it('conversations have the ids of a session without a row: nobody need ask whose it is', async () => {
    const { archive } = await archiveOfTwo();
    const unread = { user: 'eve', session: 'unread' };
    const over = { files: [], jobs: [], sessions: [session('eve', 'unread')] };
    await commitJobs(archive, [{ ...unread, job: 'none' }], { run: 'E', over });
    const found = await read(archive, {}, { users: ['eve'] });
    expect(found).toEqual([
      {
        session: { user_id: 'eve', session_id: 'unread' },
        jobs: [],
        caveats: [expect.objectContaining({ kind: 'without_questions' })],
        order_known: true,
      },
    ]);
  });

  it('conversations are refused where a table is none, or of no conversation', async () => {
    const { archive } = await archiveOfTwo();
    const tables = ['datasets'] as unknown as ConversationRows['tables'];
    await expect(read(archive, { tables })).rejects.toThrow(
      'conversations have no table "datasets"; allowed is sessions, jobs, deletions, blocks',
    );
  });
});

it('the list of sessions begins with the newest job, and has the newest name of each', async () => {
  const { archive } = await archiveOfTwo();
  const { sessions: listed } = await listArchivedSessions({ archive }, EVERYBODY);
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

it('the list goes by the newest of several jobs, in whatever order, and then by the id', async () => {
  const storage = createMemoryStorage();
  const archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
  const jobs = { z: [OLD], x: [NEW, OLD], w: ['k', OLD, 'l'], y: [OLD, NEW], v: ['m'] };
  await commitJobs(
    archive,
    Object.entries(jobs).flatMap(([session, ids]) =>
      ids.map((job) => ({ user: 'ann', session, job })),
    ),
  );
  const { sessions: listed } = await listArchivedSessions({ archive }, EVERYBODY);
  expect(listed.map((one) => one.session_id)).toEqual(['x', 'y', 'w', 'z', 'v']);
  const months = listed.map((one) => one.newest_job_before?.slice(0, 7));
  expect(months).toEqual(['2024-12', '2024-12', '2024-10', '2024-10', undefined]);
});

it('the list of sessions of one user has no others, and of nobody is refused with who is meant', async () => {
  const { archive, storage } = await archiveOfTwo();
  storage.calls.clear();
  const { sessions: listed } = await listArchivedSessions(
    { archive },
    { users: ['ben'], sessions: [] },
  );
  expect(listed.map((one) => one.session_id)).toEqual(['c']);
  expect(opened(storage)).toBe(1);
  await expect(listArchivedSessions({ archive }, { users: ['bem'], sessions: [] })).rejects.toThrow(
    'memory has no user "bem"; ',
  );
});

it('the list of sessions of an empty archive is empty', async () => {
  const settings = archiveSettings({ formats: ['jsonl'] });
  const archive = await createOrOpenArchive(createMemoryStorage(), settings);
  expect(await listArchivedSessions({ archive }, EVERYBODY)).toEqual({ total: 0, sessions: [] });
  expect(await all(rowsOfTable({ archive }, sessionsTable))).toEqual([]);
  expect(await all(rowsOfTable({ archive }, blocksTable))).toEqual([]);
});
