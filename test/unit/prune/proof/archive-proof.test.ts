import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import type { ArchiveFormat } from '../../../../src/formats/formats.js';
import { LogFacts } from '../../../../src/archive/state/log-facts.js';
import type { RowFormat } from '../../../../src/formats/format.js';
import { asUserId, sessionKey } from '../../../../src/model/ids.js';
import { ArchiveProof } from '../../../../src/prune/proof/archive-proof.js';
import { artifactFor, knowing, reopened } from '../../../support/store/archive-samples.js';
import { archiveOfThree } from '../../../support/store/begun-erasure.js';
import { jsonl } from '../../../support/store/written-jobs.js';

const second: RowFormat = { ...jsonl, name: 'parquet', extension: 'parquet' };
const ann = asUserId('ann');

/** Of Ann's session `a1`. */
async function refusalIn(opened: Archive, formats: readonly RowFormat[] = [jsonl, second]) {
  const archive = { ...opened, ...knowing(...formats) };
  await archive.index.refresh();
  const facts = new LogFacts(archive);
  const { sessions } = await facts.sessionsOf(ann);
  const archived = sessions.find(({ session }) => session === 'a1');
  if (!archived) throw new Error('the archive has no a1');
  const proof = new ArchiveProof({
    archive,
    facts,
    wanted: new Set([sessionKey('ann', 'a1')]),
    unfetched: new Set(),
    signal: new AbortController().signal,
  });
  return proof.refusalOf(archived);
}

const failingIn = (format: RowFormat, table: string, error: Error): RowFormat => ({
  ...format,
  readRows: (wanted, source) => {
    if (wanted.name === table) throw error;
    return format.readRows(wanted, source);
  },
});

/** As many rows as there are, of a job of which nobody knows. */
const ofOtherJobs = (format: RowFormat): RowFormat => ({
  ...format,
  readRows: async function* (...of) {
    for await (const rows of format.readRows(...of)) {
      yield rows.map((row) => ('job_id' in row ? { ...row, job_id: 'other' } : row));
    }
  },
});

it.each([[[jsonl]], [[jsonl, second]]])(
  'a session whose files and rows are all there may go',
  async (formats) => {
    const { archive } = await archiveOfThree(undefined, formats);
    expect(await refusalIn(reopened(archive))).toBeUndefined();
  },
);

it('is told from one read of each of its files, tables and images', async () => {
  const { archive, storage, commits } = await archiveOfThree(undefined, [jsonl, second]);
  storage.calls.clear();
  expect(await refusalIn(reopened(archive))).toBeUndefined();
  const own = [...commits[0].files, artifactFor('of ann'), artifactFor('shared')];
  expect(own.map(({ path }) => [path, storage.calls.get(`read ${path}`)])).toEqual(
    own.map(({ path }) => [path, 1]),
  );
});

it('a session stays where its rows are fewer than the log says', async () => {
  const { archive, commits } = await archiveOfThree();
  const blank: RowFormat = { ...jsonl, readRows: async function* () {} };
  const raw = commits[0].files.find(({ table }) => table === 'raw_jobs');
  expect(await refusalIn(reopened(archive), [blank])).toEqual({
    reason: 'damaged',
    detail: `${raw?.path} has 0 rows instead of ${raw?.rows}`,
  });
});

it('a session stays where a file with rows of it is damaged', async () => {
  const { archive, storage, commits } = await archiveOfThree();
  const [one] = commits;
  for (const { path } of [one.files[0], one.files.at(-1)].flatMap((file) => file ?? [])) {
    const bytes = await storage.get(path);
    await storage.delete(path);
    expect(await refusalIn(reopened(archive))).toEqual({
      reason: 'damaged',
      detail: `${path} is missing`,
    });
    await storage.put(path, bytes);
  }
  expect(await refusalIn(reopened(archive))).toBeUndefined();
});

it.each(['of ann', 'shared'])(
  'a session stays where one of its files is damaged: %s',
  async (text) => {
    const { archive, storage } = await archiveOfThree();
    const { path } = artifactFor(text);
    await storage.put(path, Buffer.from('of bob'));
    expect(await refusalIn(reopened(archive))).toEqual({
      reason: 'damaged',
      detail: `${path} is damaged: its SHA-256 differs`,
    });
  },
);

it('a session may go where the files of others are damaged', async () => {
  const { archive, storage, commits } = await archiveOfThree();
  await storage.delete(artifactFor('of cyd').path);
  for (const { path } of commits[2].files) await storage.delete(path);
  expect(await refusalIn(reopened(archive))).toBeUndefined();
});

it('a session stays where a row names a table or image under another SHA-256', async () => {
  const { archive } = await archiveOfThree();
  const { path, entry } = artifactFor('of ann');
  const other: RowFormat = {
    ...jsonl,
    readRows: async function* (...reading) {
      for await (const rows of jsonl.readRows(...reading)) {
        yield rows.map((row) => {
          const isIt = row['path'] === path;
          return isIt ? { ...row, path: path.replace(entry.sha256, 'a'.repeat(64)) } : row;
        });
      }
    },
  };
  const refusal = await refusalIn(reopened(archive), [other]);
  expect(refusal?.detail).toMatch(/is in a row of artifacts that has another SHA-256$/);
});

it.each([
  ['first', 0],
  ['second', 1],
])('a session stays where its rows in the %s format are not those of the log', async (_, which) => {
  const { archive } = await archiveOfThree(undefined, [jsonl, second]);
  const formats = [jsonl, second].map((format, at) =>
    at === which ? ofOtherJobs(format) : format,
  );
  expect(await refusalIn(reopened(archive), formats)).toMatchObject({
    reason: 'rows',
    detail: expect.stringMatching(
      new RegExp(`^${formats[which]?.name}: raw_jobs holds version 1 of job other`),
    ) as string,
  });
});

it('a session stays where a file does not read as its table', async () => {
  const { archive, commits } = await archiveOfThree();
  const formats = [failingIn(jsonl, 'raw_jobs', new Error('a line is odd'))];
  const raw = commits[0].files.find(({ table }) => table === 'raw_jobs');
  expect(await refusalIn(reopened(archive), formats)).toEqual({
    reason: 'damaged',
    detail: `${raw?.path} does not read as its table: a line is odd`,
  });
});

it('a session stays where jobvault.json names a format without rows alone', async () => {
  const { archive } = await archiveOfThree(undefined, [jsonl, second]);
  expect(await refusalIn(reopened(archive), [])).toEqual({
    reason: 'rows',
    detail: 'no rows can be read back of what is kept as parquet and jsonl alone',
  });
});

it('a session stays where jobvault.json leaves out a format that the log has', async () => {
  const { archive, commits } = await archiveOfThree(undefined, [jsonl, second]);
  const { identity } = archive;
  const foreign = commits[0].files.find(({ path }) => path.endsWith('.parquet'));
  const formats: ArchiveFormat[] = ['jsonl'];
  const lessened = { ...reopened(archive), identity: { ...identity, formats } };
  expect(await refusalIn(lessened)).toEqual({
    reason: 'rows',
    detail: `${foreign?.path} is in none of the formats that jobvault.json names (jsonl)`,
  });
});

it('proves nothing where the storage fails', async () => {
  const { archive, storage } = await archiveOfThree();
  const failure = new Error('no connection');
  const fresh = reopened(archive);
  await fresh.index.refresh();
  const { path } = artifactFor('of ann');
  const read = storage.read.bind(storage);
  storage.read = (wanted, range) => {
    if (wanted === path) throw failure;
    return read(wanted, range);
  };
  await expect(refusalIn(fresh)).rejects.toBe(failure);
});
