/** Reads rows from the part files that may contain them: of what is in scope, or of a table. */
import type { RowFormat } from '../../../formats/format.js';
import { sessionKey } from '../../../model/ids.js';
import { presentableRow, textOrEmpty } from '../../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../../model/table-schema.js';
import { rowFormatsOf, type ArchiveReading } from '../../archive.js';
import { isRewrite } from '../../log/commit-kinds.js';
import type { FileEntry } from '../../log/commit.js';
import { firstOfMonth, partitionOf } from '../../paths.js';
import { readPart } from '../../parts/read-part.js';
import { dayColumns, withDays } from '../known-days.js';
import type { Selection } from '../selection.js';
import { artifactsTable, blocksTable, SEARCH_COLUMNS } from '../../../model/tables.js';
import type { Storage } from '../../../storage/storage.js';
import { lineOf, rowOf } from './row-lines.js';
import { SessionSpool } from './session-spool.js';

/** A part file, and the newest commit that names it. */
export interface Part extends FileEntry {
  readonly commit: number;
}

/** Rows of files as what is made shows them. */
interface ShownFiles {
  readonly shown: (row: Row) => Row;
}

/** The rows of a selection, from the part files that the log names when this is made. Only files of commits that touch the selection are opened. */
export class SelectedRows {
  /** The parts of every table, in the order of the log. */
  readonly parts: readonly Part[];
  readonly #options: ArchiveReading;
  readonly #selection: Selection;
  readonly #format: RowFormat;
  /** Commits of compactions and erasures, whose files may have rows of every user. */
  readonly #rewrites: ReadonlySet<number>;
  readonly #lost: ShownFiles | undefined;

  private constructor(
    options: ArchiveReading,
    selection: Selection,
    format: RowFormat,
    lost: ShownFiles | undefined,
  ) {
    const { index } = options.archive;
    this.#options = options;
    this.#selection = selection;
    this.#format = format;
    this.#lost = lost;
    this.parts = partsIn(options, format);
    this.#rewrites = new Set([...index.commits].filter(isRewrite).map(({ number }) => number));
  }

  /** @param options.archive its index must be up to date @param lost their rows are those of files that are not stored */
  static async of(
    options: ArchiveReading,
    selection: Selection,
    lost?: ShownFiles,
  ): Promise<SelectedRows> {
    return new SelectedRows(options, selection, await formatOf(options), lost);
  }

  /** The files that may have rows of the selection. */
  partsOf(table: TableSchema): Part[] {
    const parts = this.parts.filter((part) => part.table === table.name);
    const commits = this.#commits();
    if (commits === undefined || !isOfUsers(table)) return parts;
    const days = this.#daysOf(commits);
    return parts.filter(({ commit, path }) => {
      const isRewritten = this.#rewrites.has(commit) && days.has(partitionOf(path)?.day);
      return commits.has(commit) || isRewritten;
    });
  }

  /** About how many rows of a table are read: files may have rows of others. */
  count(table: TableSchema): number {
    return this.partsOf(table).reduce((sum, part) => sum + part.rows, 0);
  }

  /**
   * The selected rows of a part file, some at a time, verbatim but for `SEARCH_COLUMNS`.
   *
   * @param omitted columns whose cells may be null
   * @throws {IntegrityError | FormatError} as `readPart`
   */
  async *rowsOf(
    table: TableSchema,
    part: Part,
    omitted?: readonly string[],
  ): AsyncGenerator<readonly Row[]> {
    yield* this.#read(table, part, omitted);
  }

  /** As `rowsOf`, with `SEARCH_COLUMNS`, and as they are stored. */
  async *verbatimRowsOf(table: TableSchema, part: Part): AsyncGenerator<readonly Row[]> {
    const { archive, signal } = this.#options;
    const { wanted } = this.#selection;
    for await (const rows of readPart(archive, part, {
      table,
      format: this.#format,
      wanted,
      signal,
    })) {
      const selected = rows.filter((row) => this.#selection.hasRow(row));
      yield this.#asDecided(table, selected);
    }
  }

  #asDecided(table: TableSchema, rows: readonly Row[]): readonly Row[] {
    const { decisions } = this.#selection;
    if (decisions.isEmpty) return rows;
    return rows.map((row) => decisions.shown(table, row)).filter((row) => row !== undefined);
  }

  /**
   * The selected rows of a table, all versions, in the order of the log: without live signatures of URLs, as people may see
   * them. Of a time of which the day alone is known (`dayColumns`) they have the beginning. A table that is nobody's own,
   * such as the project's datasets, is selected as a whole.
   */
  async *rows(table: TableSchema, omitted?: readonly string[]): AsyncGenerator<Row> {
    const days = dayColumns(this.#options.archive.identity.pseudonymised);
    for (const part of this.partsOf(table)) {
      for await (const rows of this.#read(table, part, omitted)) {
        for (const row of rows) yield withDays(presentableRow(table, row), days);
      }
    }
  }

  async *#read(
    table: TableSchema,
    part: Part,
    omitted: readonly string[] = [],
  ): AsyncGenerator<readonly Row[]> {
    const { archive, signal } = this.#options;
    const unneeded = [...omitted, ...SEARCH_COLUMNS];
    const wanted = isOfUsers(table) ? this.#selection.wanted : undefined;
    const reading = { table, format: this.#format, omitted: unneeded, wanted, signal };
    for await (const rows of readPart(archive, part, reading)) {
      const selected = isOfUsers(table) ? rows.filter((row) => this.#selection.hasRow(row)) : rows;
      const plain = this.#asDecided(table, selected).map(withoutSearchColumns);
      yield table === artifactsTable ? plain.map((row) => this.#lost?.shown(row) ?? row) : plain;
    }
  }

  /**
   * The days of the files that rewrites have made from those of the commits: they stay in their day, or come to the first
   * of its month (I-52).
   */
  #daysOf(commits: Iterable<number>): ReadonlySet<string | undefined> {
    const { index } = this.#options.archive;
    const days = new Set<string | undefined>();
    for (const number of commits) {
      for (const path of index.commit(number)?.files ?? []) {
        const day = partitionOf(path)?.day;
        if (day !== undefined) days.add(day).add(firstOfMonth(day));
      }
    }
    return days;
  }

  /** Undefined: all. */
  #commits(): ReadonlySet<number> | undefined {
    const { commits, scope, chosen, users } = this.#selection;
    if (commits) return commits;
    if (scope.users.length === 0 && !chosen) return undefined;
    const { index } = this.#options.archive;
    return new Set([...users].flatMap((user) => index.commitsTouching(user)));
  }
}

/** A format that reads whole rows has read them all the same: as much as the texts. */
function withoutSearchColumns(row: Row): Row {
  const read = SEARCH_COLUMNS.filter((name) => (row[name] ?? null) !== null);
  if (read.length === 0) return row;
  return { ...row, ...Object.fromEntries(read.map((name) => [name, null])) };
}

function isOfUsers({ columns }: TableSchema): boolean {
  return columns.some(({ name }) => name === 'user_id');
}

/** All rows of a table as of the newest commit, all versions, verbatim, in the order of the log. @throws as `readPart` */
export async function* rowsOfTable(
  options: ArchiveReading,
  table: TableSchema,
): AsyncGenerator<Row> {
  const { archive, signal } = options;
  await archive.index.refresh();
  const format = await formatOf(options);
  for (const part of partsIn(options, format)) {
    if (part.table !== table.name) continue;
    for await (const rows of readPart(archive, part, { table, format, signal })) yield* rows;
  }
}

async function formatOf({ archive }: ArchiveReading): Promise<RowFormat> {
  const [format] = await rowFormatsOf(archive);
  if (!format) throw new Error(`no format of ${archive.identity.formats.join(',')} can be read`);
  return format;
}

/** A file that was removed and named again counts where it was named last. */
function partsIn({ archive: { index } }: ArchiveReading, { extension }: RowFormat): Part[] {
  const parts = new Map<string, Part>();
  for (const { number, files } of index.commits) {
    for (const path of files) {
      const file = index.contents.files.get(path);
      if (!file?.path.endsWith(`.${extension}`)) continue;
      parts.delete(path);
      parts.set(path, { ...file, commit: number });
    }
  }
  return [...parts.values()];
}

/** Reads every part file once and sets its rows aside by session, so that a session's rows come together. */
export interface SessionToGather {
  /** Ids as rows have them. */
  readonly user: string;
  readonly session: string;
  /** How many the archive has of it. */
  readonly jobs: number;
}

/** By name of the table: rows in all versions, in the order of the log. */
export type RowsByTable = ReadonlyMap<string, readonly Row[]>;

/** Where rows come from: the part files of a selection, or rows that were set aside before. */
interface RowSource {
  /** At least about how many rows a table has. */
  count(table: TableSchema): number;
  rows(table: TableSchema, omitted?: readonly string[]): AsyncIterable<Row>;
}

interface GatherOptions {
  readonly tables: readonly TableSchema[];
  /** Where rows are set aside. */
  readonly target: Storage;
  /** By table: columns whose cells may be null. */
  readonly omitted?: Readonly<Record<string, readonly string[]>> | undefined;
  /** What is kept of a row; undefined of one that is not. Default: all of it. */
  readonly shown?:
    ((table: TableSchema, row: Row) => Row | undefined | Promise<Row | undefined>) | undefined;
  /** Hears of a row that is of none of the sessions. Default: it is left out. */
  readonly strange?: ((row: Row) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Blocks of a bucket: some 20 MB. */
const BUCKET_BLOCKS = 20_000;
const MAX_BUCKETS = 256;

export class GatheredRows<Session extends SessionToGather> {
  readonly #sessions: readonly Session[];
  readonly #tables: readonly TableSchema[];
  readonly #spool: SessionSpool;

  private constructor(
    sessions: readonly Session[],
    tables: readonly TableSchema[],
    spool: SessionSpool,
  ) {
    this.#sessions = sessions;
    this.#tables = tables;
    this.#spool = spool;
  }

  /** @throws {IntegrityError | FormatError} as `readPart` */
  static async of<Session extends SessionToGather>(
    rows: RowSource,
    sessions: readonly Session[],
    { tables, target, omitted, shown, strange, signal }: GatherOptions,
  ): Promise<GatheredRows<Session>> {
    const keys = sessions.map(({ user, session }) => sessionKey(user, session));
    const numbers = new Map(keys.map((key, number) => [key, number]));
    const buckets = Math.min(MAX_BUCKETS, Math.ceil(rows.count(blocksTable) / BUCKET_BLOCKS) + 1);
    const weights = sessions.map(({ jobs }) => jobs);
    const spool = await SessionSpool.open(target, weights, buckets);
    try {
      for (const table of tables) {
        for await (const row of rows.rows(table, omitted?.[table.name])) {
          signal?.throwIfAborted();
          const key = sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
          const number = numbers.get(key);
          if (number === undefined) {
            strange?.(row);
            continue;
          }
          const kept = shown ? await shown(table, row) : row;
          if (kept) await spool.add(number, lineOf(table, kept));
        }
      }
      await spool.close();
      return new GatheredRows(sessions, tables, spool);
    } catch (error) {
      await spool.discard();
      throw error;
    }
  }

  /** Each of the sessions once, in their order, also those that have no rows. Memory holds a bucket of them. */
  async *sessions(): AsyncGenerator<{ readonly session: Session; readonly rows: RowsByTable }> {
    let next = 0;
    for await (const lines of this.#spool.sessions()) {
      const session = this.#sessions[next++];
      if (session) yield { session, rows: decoded(this.#tables, lines) };
    }
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }
}

function decoded(tables: readonly TableSchema[], lines: readonly string[]): RowsByTable {
  const rows = new Map(tables.map(({ name }): [string, Row[]] => [name, []]));
  for (const line of lines) {
    const { table, row } = rowOf(tables, line);
    rows.get(table)?.push(row);
  }
  return rows;
}
