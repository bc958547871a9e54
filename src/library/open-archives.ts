/** Several open archives, read as one. The code of each operation is loaded when it is called. */
import { fromSnapshot } from '../archive/archive.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import { UsageError } from '../base/error.js';
import type { StatusOptions } from '../completeness/archive-status.js';
import type { StatusOfSeveral, UnreadArchive } from '../completeness/status-of-several.js';
import type { ArchiveViews, ViewsOptions } from '../query/views/archive-views.js';
import type { QueryChoices } from '../query/query-archive.js';
import type { QueryRow } from '../query/result-objects.js';
import type { QueryResult } from '../query/query-result.js';
import type { CallContext, ContextOption } from './call-context.js';

type Opened = CallContext | UnreadArchive;

export class OpenArchives {
  readonly #opened: readonly Opened[];

  private constructor(opened: readonly Opened[]) {
    this.#opened = opened;
  }

  /** Use `openArchives`. */
  static async of(
    locations: readonly string[],
    open: (location: string) => Promise<CallContext>,
  ): Promise<OpenArchives> {
    if (locations.length === 0) throw new UsageError('no archive is named');
    const opened = await Promise.all(
      locations.map((location) =>
        open(location).catch((error: unknown): UnreadArchive => ({ location, error })),
      ),
    );
    const archives = new OpenArchives(opened);
    try {
      assertDifferent(opened);
    } catch (error) {
      await archives.close().catch(() => undefined);
      throw error;
    }
    return archives;
  }

  /**
   * The status of each, and of all together. Reads the logs, one after the other. What keeps one from being read is in
   * its place, not thrown.
   */
  async status(
    options: Omit<StatusOptions, ContextOption | 'onUser'> & {
      /** Called with each user, and where the archive is. */
      readonly onUser?: (
        user: Parameters<NonNullable<StatusOptions['onUser']>>[0],
        archive: string,
      ) => void;
    } = {},
  ): Promise<StatusOfSeveral> {
    const { statusOfSeveral } = await import('../completeness/status-of-several.js');
    const sources = this.#opened.map((entry) => ('error' in entry ? entry : entry.archive));
    return statusOfSeveral(sources, options);
  }

  /**
   * The rows of an SQL query over all, in memory: each table and view of rows has one more column, `archive`.
   *
   * @throws {QueryError} DuckDB cannot answer the query
   * @throws what kept one of them from being opened
   */
  async query<R extends QueryRow = QueryRow>(sql: string, options?: QueryChoices): Promise<R[]> {
    const { objectsOf } = await import('../query/result-objects.js');
    return (await this.queryResult(sql, objectsOf, options)) as R[];
  }

  /**
   * The same for many rows, and for what else is to be said of a result.
   *
   * @param use receives the result, whose cells are texts, and which can be read until `use` resolves
   * @throws {QueryError} DuckDB cannot answer the query
   * @throws what kept one of them from being opened
   */
  async queryResult<T>(
    sql: string,
    use: (result: QueryResult) => Promise<T>,
    options: QueryChoices = {},
  ): Promise<T> {
    const { queryArchive } = await import('../query/query-archive.js');
    const { archives, signal } = this.#all();
    const [archive, ...others] = archives;
    return queryArchive({ ...options, archive, others, sql, signal }, use);
  }

  /**
   * What qualifies an answer about everybody in each of them, by where it is. Reads the logs, one after the other.
   *
   * @throws what kept one of them from being opened
   */
  async caveats(): Promise<ReadonlyMap<string, readonly Caveat[]>> {
    const { caveatsOfScope } = await import('./caveats-of-scope.js');
    const { archives, signal } = this.#all();
    const caveats = new Map<string, readonly Caveat[]>();
    for (const archive of archives) {
      caveats.set(archive.storage.location, await caveatsOfScope({ archive, signal }));
    }
    return caveats;
  }

  /** The SQL that creates the tables and views of `query` in another DuckDB. */
  async views(options: Omit<ViewsOptions, 'signal'> = {}): Promise<ArchiveViews> {
    const { archiveViews } = await import('../query/views/archive-views.js');
    const { archives, signal } = this.#all();
    return archiveViews(archives, { ...options, signal });
  }

  /** Closes all, also where one cannot be closed. @throws what the first of those has thrown */
  async close(): Promise<void> {
    const closing = this.#opened.map(async (opened) => {
      if (!('error' in opened)) await opened.archive.storage.close();
    });
    const failed = (await Promise.allSettled(closing)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @throws what kept one of them from being opened: an answer without it would look whole */
  #all() {
    const [first, ...others] = this.#opened.map((entry) => {
      if ('error' in entry) throw entry.error;
      return entry;
    });
    if (!first) throw new UsageError('no archive is named');
    const archives = [
      fromSnapshot(first.archive),
      ...others.map(({ archive }) => fromSnapshot(archive)),
    ] as const;
    return { archives, signal: first.signal };
  }
}

/** @throws {UsageError} two are the same archive, or one a copy of the other */
function assertDifferent(opened: readonly Opened[]): void {
  const byId = new Map<string, string>();
  for (const entry of opened) {
    if ('error' in entry) continue;
    const { identity, storage } = entry.archive;
    const other = byId.get(identity.id);
    if (other !== undefined) {
      throw new UsageError(
        `${other} and ${storage.location} are the same archive or copies of one: everything would count twice; name it once`,
      );
    }
    byId.set(identity.id, storage.location);
  }
}
