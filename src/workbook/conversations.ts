/**
 * The conversations of a workbook, user by user, in the order in which they began: the newest version of each job, with the files
 * of its question and its final answer. Rows are set aside by conversation, so that memory holds a few.
 */
import { SessionSpool, lineOf, rowOf } from '../archive/reading/spool.js';
import { jobsInOrder } from '../archive/reading/conversation.js';
import { parseJson } from '../base/text/parse-json.js';
import type { CellValue, Row } from '../model/table-schema.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../model/tables.js';
import type { Storage } from '../storage/storage.js';
import { rowId, sessionKey } from '../model/ids.js';
import type { PeopleRows } from './people-rows.js';

/** A job as the sheets of a workbook show it. */
export interface SheetJob {
  /** The session's newest name. */
  readonly name: string;
  /** A row of the table `jobs`. */
  readonly job: Row;
  /** Rows of the table `artifacts`. */
  readonly files: readonly Row[];
}

interface Session {
  /** As from `sessionKey`. */
  readonly key: string;
  readonly user: string;
  readonly name: string;
  /** When its first job was asked, or exported where that is not known; in microseconds. */
  readonly began: bigint;
  /** Rows of the table `jobs`. */
  readonly rows: number;
}

const BUCKET_ROWS = 400;
const MAX_BUCKETS = 128;
const TABLES = [jobsTable, artifactsTable];

export class WorkbookConversations {
  /** Stored files, each once. */
  readonly files = new Set<string>();
  /** In microseconds, as far as ids tell it; null where none does. */
  firstAsked: bigint | null = null;
  lastAsked: bigint | null = null;
  readonly #sessions: readonly Session[];
  readonly #numberOf: ReadonlyMap<string, number>;
  readonly #spool: SessionSpool;

  private constructor(sessions: readonly Session[], spool: SessionSpool) {
    this.#sessions = sessions;
    this.#numberOf = new Map(sessions.map(({ key }, index) => [key, index]));
    this.#spool = spool;
  }

  /**
   * @param users in the order in which they are to stand
   * @param target where rows are set aside
   */
  static async of(
    rows: PeopleRows,
    users: readonly string[],
    target: Storage,
    signal?: AbortSignal,
  ): Promise<WorkbookConversations> {
    const sessions = await sessionsOf(rows, users);
    const weights = sessions.map((session) => session.rows);
    const buckets = Math.min(MAX_BUCKETS, Math.ceil(rows.count(jobsTable) / BUCKET_ROWS));
    const spool = await SessionSpool.open(target, weights, buckets);
    const conversations = new WorkbookConversations(sessions, spool);
    try {
      await conversations.#setAside(rows, signal);
      return conversations;
    } catch (error) {
      await conversations.discard();
      throw error;
    }
  }

  async *jobs(): AsyncGenerator<SheetJob> {
    let next = 0;
    for await (const lines of this.#spool.sessions()) {
      const name = this.#sessions[next++]?.name ?? '';
      const { rows, steps } = rowsIn(lines);
      for (const { newest } of jobsInOrder(rows)) {
        const files = newest.artifacts.filter((row) => !steps.has(placeOf(row)));
        yield { name, job: newest.job, files: inOrder(files) };
      }
    }
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }

  async #setAside(rows: PeopleRows, signal: AbortSignal | undefined): Promise<void> {
    const add = async (row: Row, line: string): Promise<void> => {
      signal?.throwIfAborted();
      const session = this.#numberOf.get(keyOf(row));
      if (session !== undefined) await this.#spool.add(session, line);
    };
    for await (const row of rows.rows(jobsTable)) {
      this.#asked(row['created_at']);
      await add(row, lineOf(jobsTable, row));
    }
    for await (const row of rows.rows(artifactsTable)) {
      if (row['status'] === 'stored') this.files.add(textOrEmpty(row, 'path'));
      await add(row, lineOf(artifactsTable, row));
    }
    for await (const row of rows.rows(blocksTable)) {
      if (textOrEmpty(row, 'stage').toLowerCase() === 'analyze') {
        await add(row, JSON.stringify(placeOf(row)));
      }
    }
    await this.#spool.close();
  }

  #asked(time: CellValue | undefined): void {
    if (typeof time !== 'bigint') return;
    if (this.firstAsked === null || time < this.firstAsked) this.firstAsked = time;
    if (this.lastAsked === null || time > this.lastAsked) this.lastAsked = time;
  }
}

function rowsIn(lines: readonly string[]) {
  const rows = new Map(TABLES.map(({ name }): [string, Row[]] => [name, []]));
  /** Places of blocks that belong to steps of an analysis. */
  const steps = new Set<string>();
  for (const line of lines) {
    if (line.startsWith('"')) steps.add(parseJson(line) as string);
    else {
      const { table, row } = rowOf(TABLES, line);
      rows.get(table)?.push(row);
    }
  }
  return { rows, steps };
}

/** Those that have jobs, user by user, in the order in which they began. */
async function sessionsOf(rows: PeopleRows, users: readonly string[]): Promise<Session[]> {
  const named = new Map<string, { name: string; version: number }>();
  for await (const row of rows.rows(sessionsTable)) {
    const key = keyOf(row);
    const version = Number(row['session_version']);
    if ((named.get(key)?.version ?? 0) <= version) {
      named.set(key, { name: textOrEmpty(row, 'name'), version });
    }
  }
  const found = new Map<string, { user: string; id: string; began: bigint; rows: number }>();
  for await (const row of rows.rows(jobsTable)) {
    const key = keyOf(row);
    const [user, id] = [textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id')];
    const time = row['created_at'] ?? row['exported_at'];
    const asked = typeof time === 'bigint' ? time : 0n;
    const before = found.get(key);
    const began = before && before.began < asked ? before.began : asked;
    found.set(key, { user, id, began, rows: (before?.rows ?? 0) + 1 });
  }
  const placeOfUser = new Map(users.map((user, at) => [rowId(user), at]));
  return [...found]
    .map(([key, session]) => ({ key, name: named.get(key)?.name ?? '', ...session }))
    .sort(
      (a, b) =>
        (placeOfUser.get(a.user) ?? 0) - (placeOfUser.get(b.user) ?? 0) ||
        (a.began === b.began ? (a.id < b.id ? -1 : 1) : a.began < b.began ? -1 : 1),
    );
}

function keyOf(row: Row): string {
  return sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
}

/** Key of a block, and of the files that it points to. */
function placeOf(row: Row): string {
  return JSON.stringify(
    ['job_id', 'job_version', 'role', 'block_index'].map((key) => String(row[key])),
  );
}

/** Those of the question first. */
function inOrder(files: readonly Row[]): Row[] {
  const rank = (row: Row): number => (row['role'] === 'question' ? 0 : 1);
  return files.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(a['block_index']) - Number(b['block_index']) ||
      Number(a['file_index']) - Number(b['file_index']),
  );
}
