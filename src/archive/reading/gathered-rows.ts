/** Reads every part file once and sets its rows aside by session, so that a session's rows come together. */
import { sessionKey } from '../../model/ids.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { textOrEmpty } from '../../model/text-in.js';
import { blocksTable } from '../../model/tables.js';
import type { Storage } from '../../storage/storage.js';
import type { SelectedRows } from './selected-rows.js';
import { SessionSpool } from './session-spool.js';
import { lineOf, rowOf } from './spooled-row.js';

export interface SessionToGather {
  /** Ids as rows have them. */
  readonly user: string;
  readonly session: string;
  /** How many the archive has of it. */
  readonly jobs: number;
}

/** By name of the table: rows in all versions, in the order of the log. */
export type RowsByTable = ReadonlyMap<string, readonly Row[]>;

export interface GatherOptions {
  readonly tables: readonly TableSchema[];
  /** Where rows are set aside. */
  readonly target: Storage;
  /** What is kept of a row. Default: all of it. */
  readonly shown?: (table: TableSchema, row: Row) => Promise<Row>;
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
    rows: SelectedRows,
    sessions: readonly Session[],
    { tables, target, shown, signal }: GatherOptions,
  ): Promise<GatheredRows<Session>> {
    const keys = sessions.map(({ user, session }) => sessionKey(user, session));
    const numbers = new Map(keys.map((key, number) => [key, number]));
    const blocks = rows.partsOf(blocksTable).reduce((sum, part) => sum + part.rows, 0);
    const buckets = Math.min(MAX_BUCKETS, Math.ceil(blocks / BUCKET_BLOCKS) + 1);
    const weights = sessions.map(({ jobs }) => jobs);
    const spool = await SessionSpool.open(target, weights, buckets);
    try {
      for (const table of tables) {
        for await (const row of rows.rows(table)) {
          signal?.throwIfAborted();
          const key = sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
          const number = numbers.get(key);
          if (number === undefined) continue;
          await spool.add(number, lineOf(table, shown ? await shown(table, row) : row));
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
  async *sessions(): AsyncGenerator<{ readonly of: Session; readonly rows: RowsByTable }> {
    let next = 0;
    for await (const lines of this.#spool.sessions()) {
      const of = this.#sessions[next++];
      if (of) yield { of, rows: decoded(this.#tables, lines) };
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
