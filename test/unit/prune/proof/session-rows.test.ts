/** What is read back of a session's rows, by a format that yields what a test says. */
import { describe, expect, it } from 'vitest';
import { IntegrityError } from '../../../../src/archive/archive-errors.js';
import { sha256Hex } from '../../../../src/base/digest.js';
import type { FileEntry } from '../../../../src/archive/log/commit.js';
import { contentHash } from '../../../../src/flatten/content-hash.js';
import type { RowFormat } from '../../../../src/formats/format.js';
import { asJobId, sessionKey } from '../../../../src/model/ids.js';
import type { JobRecord } from '../../../../src/model/records.js';
import type { Row } from '../../../../src/model/table-schema.js';
import { SessionRowReader } from '../../../../src/prune/proof/session-rows.js';
import { StorageError } from '../../../../src/storage/storage-errors.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { jsonl } from '../../../support/store/written-jobs.js';

const ids = { user_id: 'ann', session_id: 'a1' };
const key = sessionKey('ann', 'a1');

/** Without a byte: the format says which rows it has. */
const fileOf = (table: string, { n = 1, rows = 1 } = {}): FileEntry => ({
  path: `tables/${table}/${n}.jsonl.gz`,
  table,
  rows,
  bytes: 0,
  sha256: sha256Hex(''),
  schema: 'f',
});

/** Yields the rows in batches of one. */
function formatOf(rows: readonly object[] | Error): RowFormat & { readonly reads: string[] } {
  const reads: string[] = [];
  const readRows: RowFormat['readRows'] = async function* (table) {
    reads.push(table.name);
    if (rows instanceof Error) throw rows;
    for (const row of rows) yield await Promise.resolve([row as Row]);
  };
  return { ...jsonl, readRows, reads };
}

const storage = { ...createMemoryStorage(), read: async function* () {} };
const { signal } = new AbortController();
const reader = () => new SessionRowReader(storage, new Set([key]), signal);

async function rawOf(record: string, job = '17') {
  const format = formatOf([{ ...ids, job_id: job, job_version: 2, record }]);
  const { raw } = await reader().rowsOf(key, [fileOf('raw_jobs')], format);
  return raw;
}

const unusable = (job = '17') => [{ job, version: 2, hash: undefined, urls: null, filePlaces: [] }];

describe('session rows', () => {
  const text = '{"job_id":"17","answer":{"blocks":[]}}';
  const hash = contentHash({ value: JSON.parse(text) as JobRecord, text });

  it('a record that was read back has the hash of its content, and the places of its files', async () => {
    expect(await rawOf(text)).toEqual([
      { job: '17', version: 2, hash, urls: null, filePlaces: [] },
    ]);
    const table = '{"type":"TABLE","content":"https://files.example/1.csv","stage":"Respond"}';
    const [row] = await rawOf(`{"job_id":"17","answer":{"blocks":[${table}]}}`);
    expect(row?.filePlaces).toHaveLength(1);
  });

  it('a record that was read back may have a number for its id, which was hashed as its digits', async () => {
    const numbered = text.replace('"17"', '17');
    const value = { ...(JSON.parse(numbered) as JobRecord), job_id: asJobId('17') };
    const expected = contentHash({ value, text: numbered });
    expect((await rawOf(numbered))[0]?.hash).toBe(expected);
  });

  it.each([
    ['of another job', text.replace('17', '18')],
    ['without an id', '{"answer":{"blocks":[]}}'],
    ['that is cut off', text.slice(0, -1)],
    ['that is nothing', 'null'],
    ['that is empty', ''],
  ])('a record that was read back %s has no hash', async (_, record) => {
    expect(await rawOf(record)).toEqual(unusable());
  });
});

it('rows are those of the session alone, in order, from all files of the table', async () => {
  const versions = (numbers: number[], of = ids) =>
    numbers.map((session_version) => ({ ...of, session_version }));
  const others = versions([9], { user_id: 'ben', session_id: 'a1' });
  const format = formatOf([...versions([1]), ...others, ...versions([2])]);
  const files = [
    fileOf('sessions', { rows: 3 }),
    fileOf('blocks'),
    fileOf('sessions', { n: 2, rows: 3 }),
  ];
  const rows = await reader().rowsOf(key, files, format);
  expect(rows).toEqual({ raw: [], jobs: [], artifacts: [], sessions: [1, 2, 1, 2] });
  expect(format.reads).toEqual(['sessions', 'sessions']);
});

it('rows have only the columns decoded that are compared', async () => {
  const decoded = new Map<string, string[]>();
  const format: RowFormat = {
    ...jsonl,
    readRows: async function* (table, _source, omitted = []) {
      const columns = table.columns.map(({ name }) => name);
      decoded.set(
        table.name,
        columns.filter((name) => !omitted.includes(name)),
      );
      yield await Promise.resolve([{ ...ids, record: '{}' }]);
    },
  };
  const files = ['raw_jobs', 'jobs', 'sessions', 'artifacts'].map((table) => fileOf(table));
  await reader().rowsOf(key, files, format);
  const job = ['user_id', 'session_id', 'job_id', 'job_version'];
  const place = ['role', 'block_index', 'file_index'];
  const expected = {
    raw_jobs: [...job, 'record'],
    jobs: [...job, 'content_hash'],
    sessions: ['user_id', 'session_id', 'session_version'],
    artifacts: [...job, ...place, 'kind', 'status', 'sha256', 'path', 'bytes'],
  };
  for (const [table, columns] of Object.entries(expected)) {
    expect(decoded.get(table)?.toSorted()).toEqual(columns.toSorted());
  }
});

it('rows of a file are read once for all sessions, and again where the storage failed', async () => {
  const other = sessionKey('ann', 'a2');
  const one = new SessionRowReader(storage, new Set([key, other]), signal);
  const files = [fileOf('sessions', { rows: 2 })];
  const failing = formatOf(new StorageError('no connection'));
  await expect(one.rowsOf(key, files, failing)).rejects.toThrow('no connection');
  const versions = { session_version: 1 };
  const format = formatOf([
    { ...ids, ...versions },
    { ...ids, session_id: 'a2', ...versions },
  ]);
  expect((await one.rowsOf(key, files, format)).sessions).toEqual([1]);
  expect((await one.rowsOf(other, files, format)).sessions).toEqual([1]);
  expect(format.reads).toEqual(['sessions']);
  // forgotten: of 100,000 jobs they took 300 MB
  expect((await one.rowsOf(key, files, format)).sessions).toEqual([]);
});

it('rows that cannot be read are damage, which is found once for all sessions', async () => {
  const one = reader();
  const files = [fileOf('sessions')];
  const cause = new Error('a line is odd');
  const failing = formatOf(cause);
  for (let session = 0; session < 2; session++) {
    const error = await one.rowsOf(key, files, failing).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IntegrityError);
    const detail = 'does not read as its table: a line is odd';
    expect(error).toMatchObject({ path: files[0]?.path, detail, cause });
  }
  expect(failing.reads).toEqual(['sessions']);
});

it('rows prove nothing, either way, where the storage fails', async () => {
  const failure = new StorageError('no connection');
  const reading = reader().rowsOf(key, [fileOf('jobs')], formatOf(failure));
  await expect(reading).rejects.toBe(failure);
});

it('rows of files say where each one is, what it is and whether it is stored', async () => {
  const artifact = {
    role: 'content',
    block_index: 3,
    file_index: 1,
    kind: 'TABLE',
    status: 'stored',
    sha256: 'abc',
    path: 'artifacts/abc.csv',
  };
  const row = { ...ids, job_id: 'j', job_version: 4, ...artifact };
  const { artifacts } = await reader().rowsOf(key, [fileOf('artifacts')], formatOf([row]));
  const { kind, status, sha256, path } = artifact;
  expect(artifacts).toMatchObject([{ job: 'j', version: 4, kind, status, sha256, path }]);
  const moved = formatOf([row, { ...row, block_index: 4 }, { ...row, file_index: 2 }]);
  const all = (await reader().rowsOf(key, [fileOf('artifacts', { rows: 3 })], moved)).artifacts;
  expect(new Set(all.map(({ place }) => place)).size).toBe(3);
});
