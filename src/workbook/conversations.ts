/**
 * The conversations of a workbook, user by user, in the order in which they began: the newest version of each job, with the files
 * of its question and its final answer. Rows are set aside by conversation, so that memory holds a few.
 */
import { type Remark, remarksOn, withRemarked } from '../archive/reading/caveats/job-remarks.js';
import type { Reading } from '../archive/reading/caveats/reading.js';
import { GatheredRows } from '../archive/reading/selected-rows.js';
import { jobsInOrder } from '../archive/reading/session-rows.js';
import { ANALYZE } from '../model/stages.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../model/tables.js';
import type { Storage } from '../storage/storage.js';
import { rowId, sessionKey } from '../model/ids.js';
import type { PeopleRows } from './people-rows.js';
import type { UnsettledJobs } from './survey-people.js';

/** A job as the sheets of a workbook show it. */
export interface SheetJob {
  /** The session's newest name. */
  readonly name: string;
  /** A row of the table `jobs`. */
  readonly job: Row;
  /** Rows of the table `artifacts`. */
  readonly files: readonly Row[];
  /** Whether its answer may still change. */
  readonly mayChange: boolean;
  readonly remarks: readonly Remark[];
}

interface Session {
  readonly user: string;
  readonly session: string;
  readonly name: string;
  /** When its first job was asked, or exported where that is not known; in microseconds. */
  readonly began: bigint;
  /** Rows of the table `jobs`. */
  readonly jobs: number;
}

interface ConversationsOptions {
  /** Where rows are set aside. */
  readonly target: Storage;
  readonly reading: Reading;
  readonly unsettled: UnsettledJobs;
  readonly signal?: AbortSignal | undefined;
}

const READ = withRemarked({ tables: [jobsTable, artifactsTable, blocksTable], omitted: {} });

export class WorkbookConversations {
  readonly #rows: GatheredRows<Session>;
  readonly #unsettled: UnsettledJobs;

  private constructor(rows: GatheredRows<Session>, unsettled: UnsettledJobs) {
    this.#rows = rows;
    this.#unsettled = unsettled;
  }

  /**
   * @param users in the order in which they are to stand
   * @param reading hears of titles
   */
  static async of(
    rows: PeopleRows,
    users: readonly string[],
    { target, reading, unsettled, signal }: ConversationsOptions,
  ): Promise<WorkbookConversations> {
    const sessions = await sessionsOf(rows, users);
    for (const { user, session, name } of sessions) reading.addTitle(user, session, name || null);
    const shown = (table: TableSchema, row: Row): Row | undefined => {
      if (table !== blocksTable) return row;
      return isOfAnalysis(row) ? { ...row, content_text: null, content_json: null } : undefined;
    };
    const given = { ...READ, target, shown, signal };
    const gathered = await GatheredRows.of(rows, sessions, given);
    return new WorkbookConversations(gathered, unsettled);
  }

  async *jobs(): AsyncGenerator<SheetJob> {
    for await (const { session, rows } of this.#rows.sessions()) {
      const mayChange = (job: string): boolean =>
        this.#unsettled.has(session.user, session.session, job);
      for (const jobRows of jobsInOrder(rows)) {
        const { job, blocks, artifacts } = jobRows;
        const steps = new Set(blocks.map(placeOf));
        const files = artifacts.filter((row) => !steps.has(placeOf(row)));
        const lost = artifacts.filter((row) => row['status'] === LOST_STATUS);
        yield {
          name: session.name,
          job,
          files: inOrder([...files, ...lostElsewhere(lost, files)]),
          mayChange: mayChange(textOrEmpty(job, 'job_id')),
          remarks: remarksOn([jobRows], mayChange),
        };
      }
    }
  }

  async discard(): Promise<void> {
    await this.#rows.discard();
  }
}

/** The sessions that have jobs, user by user, in the order in which they began. */
async function sessionsOf(rows: PeopleRows, users: readonly string[]): Promise<Session[]> {
  const named = new Map<string, { name: string; version: number }>();
  for await (const row of rows.rows(sessionsTable)) {
    const key = keyOf(row);
    const version = Number(row['session_version']);
    if ((named.get(key)?.version ?? 0) <= version) {
      named.set(key, { name: textOrEmpty(row, 'name'), version });
    }
  }
  const found = new Map<string, Omit<Session, 'name'>>();
  for await (const row of rows.rows(jobsTable)) {
    const key = keyOf(row);
    const [user, session] = [textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id')];
    const { created_at: created, exported_at: exported } = row;
    const time = created ?? exported;
    const asked = typeof time === 'bigint' ? time : 0n;
    const before = found.get(key);
    const began = before && before.began < asked ? before.began : asked;
    found.set(key, { user, session, began, jobs: (before?.jobs ?? 0) + 1 });
  }
  const placeOfUser = new Map(users.map((user, at) => [rowId(user), at]));
  return [...found]
    .map(([key, session]): Session => ({ name: named.get(key)?.name ?? '', ...session }))
    .sort(
      (a, b) =>
        (placeOfUser.get(a.user) ?? 0) - (placeOfUser.get(b.user) ?? 0) ||
        (a.began === b.began ? (a.session < b.session ? -1 : 1) : a.began < b.began ? -1 : 1),
    );
}

/** Its files belong to a step, not to the answer itself. */
function isOfAnalysis(block: Row): boolean {
  return block['stage'] === ANALYZE;
}

/** A loss is told where it was, also in a step: each file once, and not where the answer itself has it. */
function lostElsewhere(lost: readonly Row[], files: readonly Row[]): Row[] {
  const told = new Set(files.map(({ reason }) => reason));
  return lost.filter(({ reason }) => !told.has(reason) && told.add(reason));
}

function keyOf(row: Row): string {
  return sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
}

/** Key of a block of a job, and of the files that it points to. */
function placeOf(row: Row): string {
  return `${String(row['role'])}/${String(row['block_index'])}`;
}

/** The files in order, those of the question first. */
function inOrder(files: readonly Row[]): Row[] {
  const rank = (row: Row): number => (row['role'] === 'question' ? 0 : 1);
  return files.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(a['block_index']) - Number(b['block_index']) ||
      Number(a['file_index']) - Number(b['file_index']),
  );
}
