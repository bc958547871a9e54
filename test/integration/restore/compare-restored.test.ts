/** What a drill compares: a change in any column that it does not leave out on purpose is a difference, and so is every row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveOf, type Archive } from '../../../src/archive/archive.js';
import { systemClock, systemRandom } from '../../../src/base/runtime.js';
import type { RowFormat } from '../../../src/formats/format.js';
import type { Row } from '../../../src/model/table-schema.js';
import { deletionsTable, TABLES } from '../../../src/model/tables.js';
import { ArchivedSessions } from '../../../src/restore/archived-sessions.js';
import { compareRestored, type ComparedRows } from '../../../src/restore/compare-restored.js';
import { makeTemporaryDirectory } from '../../../src/storage/local/temporary-directory.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { allFormats } from '../../support/base/memory-bytes.js';
import { knowing } from '../../support/store/archive-samples.js';
import { inMemoryCopy } from '../../support/store/memory-storage.js';

/** As src/restore/README.md says: of the run, of URLs, of settling, of order; the place of a file, whose SHA-256 is compared; and what is made of other columns. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['run_id', 'exported_at', 'job_version', 'session_version', 'is_settled', 'is_complete'],
  ...['job_index', 'job_count'],
  ...['expires_at', 'char_count', 'content_hash', 'path'],
  ...['search_text', 'search_version'],
]);

/** Of jobs, for their history tells them, as far as it was known when the row was written. */
const LEFT_OUT_OF_JOBS: ReadonlySet<string> = new Set([
  ...['created_at', 'created_at_source', 'created_after', 'created_before'],
]);

type Change = (rows: readonly Row[]) => readonly Row[];

let rig: ExportRig;
let archive: Archive;
let scratch: Awaited<ReturnType<typeof makeTemporaryDirectory>>;
let served: ArchivedSessions;
const rowsOf = new Map<string, Row[]>();

beforeAll(async () => {
  rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 3, odd: true, gaps: true });
  await rig.export({ withDatasets: true });
  const { storage, identity } = await rig.open();
  const inMemory = await inMemoryCopy(storage);
  archive = archiveOf(inMemory, identity, { clock: systemClock, random: systemRandom });
  scratch = await makeTemporaryDirectory();
  served = await ArchivedSessions.read({ archive, scratch: scratch.storage });
  await compare('none', (rows) => rows);
});
afterAll(async () => {
  await served.discard();
  await scratch.remove();
  await rig[Symbol.asyncDispose]();
});

/** Compares the archive with itself, but for the rows of one table as they are restored. */
async function compare(table: string, change: Change): Promise<ComparedRows> {
  const formats = allFormats.map((format): RowFormat => {
    const read = new Map<string, number>();
    return {
      ...format,
      openWriter: format.openWriter.bind(format),
      countRows: format.countRows.bind(format),
      async *readRows(schema, source) {
        // the archive has one file of a table, which is read as what was archived, and then as what was restored
        const all = rowsOf.get(schema.name) ?? [];
        if (!rowsOf.has(schema.name)) {
          for await (const rows of format.readRows(schema, source)) all.push(...rows);
          rowsOf.set(schema.name, all);
        }
        const times = (read.get(schema.name) ?? 0) + 1;
        read.set(schema.name, times);
        // what reads a part file expects as many rows as the log has
        const changed = schema.name === table && times === 2 ? change(all) : all;
        yield changed;
      },
    };
  });
  const filesUrl = rig.emulator.filesUrl;
  const read = { ...archive, ...knowing(...formats) };
  return compareRestored({ archive: read, restored: read, served, filesUrl });
}

/** Another value of the same type. */
function another(value: Row[string]): Row[string] {
  if (typeof value === 'string') return /^[[{]/.test(value) ? `${value} ` : `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'bigint') return value + 1n;
  return value !== true;
}

it('An archive is equal to itself', async () => {
  const { differences, rows } = await compare('none', (rows) => rows);
  expect(differences).toEqual([]);
  expect(rows).toBe(
    [...rowsOf].filter(([name]) => name !== 'deletions').flatMap(([, all]) => all).length,
  );
});

describe.each(TABLES.filter((table) => table !== deletionsTable).map(({ name }) => name))(
  'of %s',
  (name) => {
    const table = TABLES.find((one) => one.name === name);

    it('a change in any column is a difference', async () => {
      const missed: string[] = [];
      for (const column of table?.columns ?? []) {
        // of a file that is not stored, why not may differ
        const rows = rowsOf.get(name) ?? [];
        const at = rows.findIndex(
          (row) => row[column.name] != null && (name !== 'artifacts' || row['status'] === 'stored'),
        );
        if (at === -1) continue;
        const change: Change = (all) =>
          all.map((row, n) =>
            n === at ? { ...row, [column.name]: another(row[column.name] ?? null) } : row,
          );
        const { differences } = await compare(name, change);
        const isFound = differences.some((one) => one.table === name);
        const isLeftOut =
          LEFT_OUT.has(column.name) || (name === 'jobs' && LEFT_OUT_OF_JOBS.has(column.name));
        if (isFound === isLeftOut) missed.push(column.name);
      }
      expect(missed).toEqual([]);
    });

    it('a row that stands twice for another, and rows that changed places, are differences', async () => {
      const rows = rowsOf.get(name) ?? [];
      expect(rows.length).toBeGreaterThan(1);
      const doubled = await compare(name, (all) => [all[1]!, ...all.slice(1)]);
      expect(doubled.differences.map((one) => one.table)).toContain(name);
      const lost = await compare(name, (all) =>
        all.map((row, n) => (n === 0 ? otherJob(row) : row)),
      );
      expect(lost.differences.map((one) => one.table)).toContain(name);
    });
  },
);

/** The row as that of something that nobody has archived. */
function otherJob(row: Row): Row {
  const key = ['job_id', 'session_id', 'dataset_id'].find((name) => typeof row[name] === 'string');
  return { ...row, [key ?? '']: 'nobody-s' };
}

it('a file whose restored bytes are others is a difference, also where all else is equal', async () => {
  const stored = (rowsOf.get('artifacts') ?? []).filter(({ status }) => status === 'stored');
  const [one, two] = [stored[0]!, stored.find(({ sha256 }) => sha256 !== stored[0]!['sha256'])!];
  const swap: Change = (all) =>
    all.map((row) =>
      row === all.find(({ path }) => path === one['path'])
        ? { ...row, sha256: two['sha256']! }
        : row,
    );
  expect((await compare('artifacts', swap)).differences).toHaveLength(1);
});

it('a file whose end nothing proved when it was sent is equal where its bytes are', async () => {
  const withDoubt = (of: (suspicious: string | null) => string) =>
    compare('artifacts', (rows) =>
      rows.map((row) =>
        row['status'] === 'stored'
          ? { ...row, suspicious: of(row['suspicious'] as string | null) }
          : row,
      ),
    );
  const sent = await withDoubt((doubt) => [doubt, 'unproven end'].filter(Boolean).join('; '));
  expect(sent.differences).toEqual([]);
  const other = await withDoubt((doubt) => `${doubt ?? ''}unproven end of the world`);
  expect(other.differences).not.toEqual([]);
});

it('a file that is not restored is a difference; one never archived is none', async () => {
  const artifacts = rowsOf.get('artifacts') ?? [];
  const at = artifacts.findIndex(({ status }) => status === 'stored');
  const lost: Change = (all) =>
    all.map((row, n) => (n === at ? { ...row, status: 'expired', sha256: null, path: null } : row));
  expect((await compare('artifacts', lost)).differences).toHaveLength(1);
  const gap = artifacts.findIndex(({ status }) => status !== 'stored');
  const otherReason: Change = (all) =>
    all.map((row, n) => (n === gap ? { ...row, status: 'missing', reason: 'another' } : row));
  const { differences, notStored } = await compare('artifacts', otherReason);
  expect([differences, notStored.size > 0]).toEqual([[], true]);
});

it('a job that the log has, and of which neither archive has a row, is a difference', async () => {
  const [session] = [...served.users.values()].flatMap((own) => [...own.values()]);
  session?.jobs.set('without rows', { version: 1, record: undefined, files: [] });
  const { differences } = await compare('none', (rows) => rows);
  session?.jobs.delete('without rows');
  const archived = session?.jobs.size;
  expect(differences).toMatchObject([{ session: session?.id, table: 'jobs', archived }]);
});
