/** The few columns of a session's rows that a proof needs, read back from its part files. */
import { messageOf } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { RowFormat } from '../../formats/format.js';
import { contentHash } from '../../flatten/content-hash.js';
import { fileReferences, placeKey, type FileRole } from '../../flatten/file-references.js';
import { urlTraces, type UrlTraces } from '../../flatten/url-traces.js';
import { asJobId, sessionKey, type JobId } from '../../model/ids.js';
import type { JobRecord, Verbatim } from '../../model/records.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { textOrEmpty } from '../../model/mask-secrets.js';
import { artifactsTable, jobsTable, rawJobsTable, sessionsTable } from '../../model/tables.js';
import type { Storage } from '../../storage/storage.js';
import type { FileEntry } from '../../archive/log/commit.js';
import { columnsBut, readPart } from '../../archive/parts/read-part.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import { StorageError } from '../../storage/storage-errors.js';

interface JobRow {
  readonly job: JobId;
  readonly version: number;
}

export interface RawJobRow extends JobRow {
  /** Recomputed from the record; undefined where that is no record of this job. */
  readonly hash: string | undefined;
  /** The traces of the URLs in the record; null where it has none. */
  readonly urls: UrlTraces | null;
  /** Everything that points to a file, by `placeKey`. */
  readonly filePlaces: readonly string[];
}

interface HashedJobRow extends JobRow {
  readonly hash: string;
}

export interface ArtifactRow extends JobRow {
  /** As `placeKey` has it. */
  readonly place: string;
  readonly kind: string;
  readonly status: string;
  readonly sha256: string;
  readonly path: string;
  readonly bytes: number;
}

export interface SessionRows {
  readonly raw: readonly RawJobRow[];
  readonly jobs: readonly HashedJobRow[];
  readonly artifacts: readonly ArtifactRow[];
  /** Versions of the session's own row. */
  readonly sessions: readonly number[];
}

type RowsBySession<T> = Map<string, readonly T[]>;

interface TableReader<T> {
  readonly table: TableSchema;
  /** The columns that `take` reads, beside user and session. */
  readonly columns: readonly string[];
  readonly take: (row: Row) => T;
}

const OF_JOB = ['job_id', 'job_version'] as const;

// Members of their own stand before those of another object: else V8 of Node 20 gives each row a shape of its own (400 bytes)
const readers = {
  raw: { table: rawJobsTable, columns: [...OF_JOB, 'record'], take: rawJobRow },
  jobs: {
    table: jobsTable,
    columns: [...OF_JOB, 'content_hash'],
    take: (row: Row): HashedJobRow => ({ hash: textOrEmpty(row, 'content_hash'), ...jobOf(row) }),
  },
  sessions: {
    table: sessionsTable,
    columns: ['session_version'],
    take: (row: Row): number => Number(row['session_version']),
  },
  artifacts: {
    table: artifactsTable,
    columns: [
      ...OF_JOB,
      ...['role', 'block_index', 'file_index', 'kind', 'status', 'sha256', 'path', 'bytes'],
    ],
    take: (row: Row): ArtifactRow => ({
      place: placeKey({
        role: textOrEmpty(row, 'role') as FileRole,
        blockIndex: Number(row['block_index']),
        fileIndex: Number(row['file_index']),
      }),
      kind: textOrEmpty(row, 'kind'),
      status: textOrEmpty(row, 'status'),
      sha256: textOrEmpty(row, 'sha256'),
      path: textOrEmpty(row, 'path'),
      bytes: Number(row['bytes'] ?? 0),
      ...jobOf(row),
    }),
  },
} as const;

const tablesRead: ReadonlySet<string> = new Set(
  Object.values(readers).map(({ table }) => table.name),
);

/** Whether its rows are compared, and not its bytes alone. */
export function hasComparedRows({ table }: FileEntry): boolean {
  return tablesRead.has(table);
}

/**
 * Reads each part file once: its bytes are compared with the log, and what concerns the sessions that are wanted is
 * kept of its rows until it is asked for.
 */
export class SessionRowReader {
  readonly #files = new Map<string, Promise<RowsBySession<unknown>>>();

  /** @param wanted sessions, by `sessionKey` */
  constructor(
    readonly storage: Storage,
    readonly wanted: ReadonlySet<string>,
    readonly signal: AbortSignal,
  ) {}

  /**
   * The rows of a session, which are then forgotten: it cannot be asked for again in the same format.
   *
   * @param files of one format
   * @throws {IntegrityError} one is missing, is not what the log says, or does not read as its table
   */
  async rowsOf(key: string, files: readonly FileEntry[], format: RowFormat): Promise<SessionRows> {
    const gather = async <T>(reader: TableReader<T>): Promise<T[]> => {
      const rows: T[] = [];
      for (const file of files) {
        if (file.table !== reader.table.name) continue;
        const bySession = await this.#read(file, format, reader);
        for (const row of bySession.get(key) ?? []) rows.push(row);
        bySession.delete(key);
      }
      return rows;
    };
    return {
      raw: await gather(readers.raw),
      jobs: await gather(readers.jobs),
      artifacts: await gather(readers.artifacts),
      sessions: await gather(readers.sessions),
    };
  }

  #read<T>(file: FileEntry, format: RowFormat, reader: TableReader<T>): Promise<RowsBySession<T>> {
    const known = this.#files.get(file.path) as Promise<RowsBySession<T>> | undefined;
    if (known) return known;
    const reading = this.#readFile(file, format, reader);
    this.#files.set(file.path, reading);
    // what could not be read to the end proves nothing in either direction
    reading.catch((error: unknown) => {
      if (!(error instanceof IntegrityError)) this.#files.delete(file.path);
    });
    return reading;
  }

  async #readFile<T>(
    file: FileEntry,
    format: RowFormat,
    { table, columns, take }: TableReader<T>,
  ): Promise<RowsBySession<T>> {
    const bySession = new Map<string, T[]>();
    const { signal } = this;
    const omitted = columnsBut(table, ['user_id', 'session_id', ...columns]);
    try {
      for await (const rows of readPart(this, file, { table, format, omitted, signal })) {
        for (const row of rows) {
          const key = sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
          if (!this.wanted.has(key)) continue;
          const others = bySession.get(key);
          if (others) others.push(take(row));
          else bySession.set(key, [take(row)]);
        }
      }
    } catch (error) {
      if (error instanceof StorageError || error instanceof IntegrityError) throw error;
      signal.throwIfAborted();
      const detail = `does not read as its table: ${messageOf(error)}`;
      throw new IntegrityError(file.path, 'unreadable', detail, { cause: error });
    }
    return bySession;
  }
}

function rawJobRow(row: Row): RawJobRow {
  const { job, version } = jobOf(row);
  const record = recordOf(job, textOrEmpty(row, 'record'));
  if (!record) return { job, version, hash: undefined, urls: null, filePlaces: [] };
  const filePlaces = fileReferences(record).map(placeKey);
  return { job, version, hash: contentHash(record), urls: urlTraces(record), filePlaces };
}

/** The record as it was when it was hashed: an id that came as a number was hashed as its digits. */
function recordOf(job: JobId, text: string): Verbatim<JobRecord> | undefined {
  try {
    const value = parseJson(text) as JobRecord;
    const id: unknown = value.job_id;
    if (typeof id === 'number') return { value: { ...value, job_id: job }, text };
    return id === job ? { value, text } : undefined;
  } catch {
    return undefined;
  }
}

function jobOf(row: Row): JobRow {
  return { job: asJobId(textOrEmpty(row, 'job_id')), version: Number(row['job_version']) };
}
