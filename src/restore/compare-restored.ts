/** Compares the rows of a restored archive with those that were served: every column that says something of the data. */
import { createHash } from 'node:crypto';
import type { Archive, ArchiveReading } from '../archive/archive.js';
import { SAME_AS_OTHERS } from '../export/jobs/same-images.js';
import { doubtOfBytes } from '../artifacts/unproven-file.js';
import { rowsOfTable } from '../archive/reading/rows/selected-rows.js';
import { parseJson } from '../base/text/parse-json.js';
import { fileReferences } from '../flatten/file-references.js';
import { isWebUrl } from '../model/urls/file-url.js';
import { maskedStrings } from '../model/mask-secrets.js';
import { shownFileUrl } from '../model/urls/shown-url.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import {
  datasetsTable,
  deletionsTable,
  jobsTable,
  sessionsTable,
  TABLES,
} from '../model/tables.js';
import { parseTimestamp } from '../model/times/timestamp.js';
import type { ArchivedSessions, ServedJob, ServedSession } from './archived-sessions.js';
import { markOf, verbatimJob } from './archive-routes.js';

export interface RestoredDifference {
  readonly user: string;
  /** Null of a dataset. */
  readonly session: string | null;
  readonly table: string;
  /** Rows of the session in the table. */
  readonly archived: number;
  readonly restored: number;
}

export interface ComparedRows {
  readonly rows: number;
  /** Where the archive has the stored files: one that several answers show is one. */
  readonly files: ReadonlySet<string>;
  /** Places in answers whose file the archive does not have either, as gaps are counted. */
  readonly notStored: ReadonlySet<string>;
  readonly differences: readonly RestoredDifference[];
}

export interface ComparisonOptions extends ArchiveReading {
  readonly restored: Archive;
  readonly served: ArchivedSessions;
  /** The origin of the served files. */
  readonly filesUrl: string;
}

/**
 * They tell of the run, of when it was, or of what it read of a history (`job_index`, `job_count`: an
 * interrupted run has archived more jobs than its last row of the session says); of how long a URL is, or of a hash
 * over URLs; and where a file lies. What is folded for searches is made of the other columns.
 */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  ...['run_id', 'exported_at', 'job_version', 'session_version', 'is_settled', 'is_complete'],
  ...['job_index', 'job_count'],
  ...['expires_at', 'char_count', 'content_hash', 'path'],
  ...['search_text', 'search_version'],
]);
/** Columns of a file that is not stored: why not may differ, also in the block that points to it. */
const OF_STORED_FILES: ReadonlySet<string> = new Set([
  ...['status', 'reason', 'suspicious', 'sha256', 'bytes', 'media_type'],
  ...['row_count', 'column_count', 'width', 'height'],
]);
/** Columns of a job that its history tells, as far as it was known when the row was written. */
const TOLD_BY_HISTORY: ReadonlySet<string> = new Set([
  ...['created_at', 'created_at_source', 'created_after', 'created_before'],
]);
const EXPIRY_BEFORE = /"expires_at"\s*:\s*$/;
const COMPARED = TABLES.filter((table) => table !== deletionsTable);
const DATASETS = 'datasets';

/** Rows of one session in one table: how many, and a sum of their digests, in which their order does not count. */
interface Sum {
  rows: number;
  digest: bigint;
}
type Sums = Map<string, Sum>;
/** Changes the URLs of files in a text to something that both archives have. */
type Normalise = (text: string) => string;

/** @throws {IntegrityError | FormatError} one of the archives is damaged */
export async function compareRestored(options: ComparisonOptions): Promise<ComparedRows> {
  const { archive, restored, served } = options;
  const normalisers = new Normalisers(served, options.filesUrl);
  const sums = { archived: new Map<string, Sum>(), restored: new Map<string, Sum>() };
  const [files, notStored] = [new Set<string>(), new Set<string>()];
  let all = 0;
  for (const table of COMPARED) {
    for await (const row of rowsOfTable({ ...options, archive }, table)) {
      const subject = subjectOf(table, row, served);
      if (!subject) continue;
      all++;
      if (table.name === 'artifacts') {
        if (row['status'] === 'stored') files.add(String(row['path']));
        else if (isCounted(row, served)) notStored.add(placeOf(row));
      }
      add(
        sums.archived,
        subject.key,
        lineOf(table, row, await normalisers.ofJob(subject.job), served.age),
      );
    }
    const back = rowsOfTable({ ...options, archive: restored }, table);
    for await (const row of table === sessionsTable ? newestOf(back) : back) {
      // a restored job has one version: that which was served
      const subject = subjectOf(table, row, served, true);
      if (!subject && isNameless(table, row, served)) continue;
      const key = subject?.key ?? keyOf(table, String(row['user_id']), String(row['session_id']));
      add(
        sums.restored,
        key,
        lineOf(table, row, await normalisers.ofJob(subject?.job), served.age),
      );
    }
  }
  for (const sessions of served.users.values()) {
    for (const session of sessions.values()) markLostJobs(sums.archived, session);
  }
  return { rows: all, files, notStored, differences: differencesOf(sums) };
}

/** The same in every version of a job. */
function placeOf(row: Row): string {
  const columns = ['user_id', 'session_id', 'job_id', 'role', 'block_index', 'file_index'] as const;
  return JSON.stringify(columns.map((column) => String(row[column])));
}

function isCounted(row: Row, served: ArchivedSessions): boolean {
  const session = served.sessionOf(row);
  return session !== undefined && served.isCounted(session);
}

/** A session whose first reading was interrupted has no row yet, and is served without a name. */
function isNameless(table: TableSchema, row: Row, served: ArchivedSessions): boolean {
  const session = table === sessionsTable ? served.sessionOf(row) : undefined;
  return session !== undefined && !session.row;
}

/** An export that reads a session twice, as one that two users list, leaves two rows of it. */
async function* newestOf(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const newest = new Map<string, Row>();
  for await (const row of rows) {
    const key = keyOf(sessionsTable, String(row['user_id']), String(row['session_id']));
    const { session_version: known = 0 } = newest.get(key) ?? {};
    if (Number(row['session_version']) > Number(known)) newest.set(key, row);
  }
  yield* newest.values();
}

/** The log has more jobs than there are rows: nothing of them is served, so they are missing in both archives. */
function markLostJobs(archived: Sums, { user, id, jobs }: ServedSession): void {
  const key = keyOf(jobsTable, user, id);
  const rows = archived.get(key)?.rows ?? 0;
  if (rows < jobs.size) add(archived, key, `${jobs.size - rows} without a row`, 0);
}

interface Subject {
  readonly key: string;
  readonly job: ServedJob | undefined;
}

/** Undefined of a row that is not served: of another version, or outside of a sample. */
function subjectOf(
  table: TableSchema,
  row: Row,
  served: ArchivedSessions,
  isRestored = false,
): Subject | undefined {
  if (table === datasetsTable) {
    const dataset = served.datasets.get(String(row['dataset_id']));
    const isServed = isRestored || dataset?.['exported_at'] === row['exported_at'];
    return dataset && isServed ? { key: keyOf(table, DATASETS, null), job: undefined } : undefined;
  }
  const session = served.sessionOf(row);
  if (!session) return undefined;
  const key = keyOf(table, session.user, session.id);
  if (table === sessionsTable) {
    const isServed = isRestored || isSameVersion(session, row);
    return session.row && isServed ? { key, job: undefined } : undefined;
  }
  const job = isRestored ? served.jobNamed(row) : served.jobOf(row);
  return job && { key, job };
}

function isSameVersion({ row }: ServedSession, other: Row): boolean {
  return row?.['session_version'] === other['session_version'];
}

function keyOf(table: TableSchema, user: string, session: string | null): string {
  return JSON.stringify([user, session, table.name]);
}

function add(sums: Sums, key: string, line: string, rows = 1): void {
  const sum = sums.get(key) ?? { rows: 0, digest: 0n };
  const digest = createHash('sha256').update(line).digest('hex').slice(0, 32);
  sum.rows += rows;
  sum.digest = BigInt.asUintN(128, sum.digest + BigInt(`0x${digest}`));
  sums.set(key, sum);
}

function differencesOf(sums: {
  readonly archived: Sums;
  readonly restored: Sums;
}): RestoredDifference[] {
  const keys = new Set([...sums.archived.keys(), ...sums.restored.keys()]);
  return [...keys].sort().flatMap((key) => {
    const [archived, restored] = [sums.archived.get(key), sums.restored.get(key)];
    if (archived?.rows === restored?.rows && archived?.digest === restored?.digest) return [];
    const [user, session, table] = parseJson(key) as [string, string | null, string];
    return [{ user, session, table, archived: archived?.rows ?? 0, restored: restored?.rows ?? 0 }];
  });
}

function lineOf(table: TableSchema, row: Row, normalise: Normalise, age: number): string {
  const isLost = table.name === 'artifacts' && row['status'] !== 'stored';
  const cells = table.columns
    .filter(({ name }) => !NOT_COMPARED.has(name) && !(isLost && OF_STORED_FILES.has(name)))
    .filter(({ name }) => table !== jobsTable || !TOLD_BY_HISTORY.has(name))
    // it comes from the session's jobs, of which only those are there that have so many versions
    .filter(({ name }) => age === 0 || table !== sessionsTable || name !== 'created_before')
    .map(({ name, isJson }) => {
      const cell = row[name] ?? null;
      if (name === 'suspicious' && cell !== null) {
        return cell === SAME_AS_OTHERS ? null : doubtOfBytes(String(cell));
      }
      if (typeof cell === 'bigint') return String(cell);
      if (typeof cell !== 'string') return cell;
      return isJson ? normalisedJson(cell, normalise) : normalise(cell);
    });
  return JSON.stringify(cells);
}

function normalisedJson(json: string, normalise: Normalise): string {
  return maskedStrings(json, (whole, at) =>
    EXPIRY_BEFORE.test(whole.slice(Math.max(0, at - 40), at))
      ? (value) => (parseTimestamp(value) === undefined ? value : 'TIME')
      : normalise,
  );
}

/** Remembers that of the last job: rows of a job stand together. */
class Normalisers {
  readonly #served: ArchivedSessions;
  readonly #ours: RegExp;
  #last: { readonly job: ServedJob; readonly normalise: Normalise } | undefined;

  constructor(served: ArchivedSessions, filesUrl: string) {
    this.#served = served;
    this.#ours = new RegExp(
      `${escaped(filesUrl)}/session-files/([0-9a-f]{16})/[\\w./%-]*${QUERY}`,
      'g',
    );
  }

  async ofJob(job: ServedJob | undefined): Promise<Normalise> {
    if (!job) return (text) => text;
    if (this.#last?.job === job) return this.#last.normalise;
    const record = await this.#served.record(job);
    const urls = record ? fileReferences(verbatimJob(record.text)).map(({ url }) => url) : [];
    const normalise = this.#normalise(urls.filter((url) => url !== null));
    this.#last = { job, normalise };
    return normalise;
  }

  #normalise(urls: readonly string[]): Normalise {
    const keys = new Set(urls.filter((url) => !isWebUrl(url)));
    const addresses = [...new Set(urls.filter(isWebUrl).map((url) => shownFileUrl(url.trim())))]
      .sort((a, b) => b.length - a.length)
      .map((address) => [new RegExp(escaped(address) + QUERY, 'g'), markOf(address)] as const);
    return (text) => {
      if (keys.has(text)) return `<${markOf(text)}>`;
      if (!text.includes('://')) return text;
      return addresses.reduce(
        (changed, [pattern, mark]) => changed.replace(pattern, `<${mark}>`),
        text.replace(this.#ours, '<$1>'),
      );
    };
  }
}

/** The query of a URL in a text, also where its values are masked. */
const QUERY = String.raw`(?:[?#][^\s"'<>)\]\\]*)?`;

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
