/**
 * The conversations of a workbook, user by user, in the order in which they began: the newest version of each job, with the files
 * of its question and its final answer.
 */
import { artifactOf } from '../archive/objects/artifact-rows.js';
import { pathWithoutErasure } from '../archive/paths.js';
import { blockKey, inBlockOrder } from '../archive/reading/rows/session-rows.js';
import { Conversations, type MadeConversation, type MadeJob } from '../making/conversations.js';
import type { Survey, SurveyedSession } from '../making/survey.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import { sessionKey } from '../model/ids.js';
import { textOrEmpty } from '../model/mask-secrets.js';
import { ANALYZE } from '../model/blocks/stages.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../model/tables.js';
import type { Storage } from '../storage/storage.js';
import type { PeopleRows } from './people-rows.js';

/** A job as the sheets of a workbook show it. */
export interface SheetJob {
  readonly session: SurveyedSession;
  /** The session's newest name; empty of one without. */
  readonly name: string;
  readonly made: MadeJob;
  /** Rows of the table `artifacts`. */
  readonly files: readonly Row[];
}

const TABLES = [sessionsTable, jobsTable, artifactsTable, blocksTable];

export class WorkbookConversations {
  readonly #conversations: Conversations<SurveyedSession>;

  private constructor(conversations: Conversations<SurveyedSession>) {
    this.#conversations = conversations;
  }

  /** @param target where rows are set aside */
  static async of(
    rows: PeopleRows,
    survey: Survey,
    target: Storage,
  ): Promise<WorkbookConversations> {
    const shown = (table: TableSchema, row: Row): Row | undefined => {
      if (table !== blocksTable) return row;
      return isOfAnalysis(row) ? { ...row, content_text: null, content_json: null } : undefined;
    };
    const sessions = await sessionsOf(rows, survey);
    const given = { rows, tables: TABLES, target, shown };
    return new WorkbookConversations(await Conversations.of(survey.making, sessions, given));
  }

  /** @param hear of each conversation, before its jobs come */
  async *jobs(
    hear: (conversation: MadeConversation<SurveyedSession>) => void = () => undefined,
  ): AsyncGenerator<SheetJob> {
    for await (const conversation of this.#conversations.read()) {
      hear(conversation);
      const { session, name, jobs } = conversation;
      for (const made of jobs) yield { session, name: name ?? '', made, files: filesOf(made) };
    }
  }

  async discard(): Promise<void> {
    await this.#conversations.discard();
  }
}

/** The sessions that have jobs, user by user, in the order in which they began. */
async function sessionsOf(rows: PeopleRows, survey: Survey): Promise<SurveyedSession[]> {
  /** When the first job was asked, or exported where that is not known; in microseconds. */
  const began = new Map<string, bigint>();
  for await (const row of rows.rows(jobsTable)) {
    const key = sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
    const { created_at: created, exported_at: exported } = row;
    const time = created ?? exported;
    const asked = typeof time === 'bigint' ? time : 0n;
    const before = began.get(key);
    if (before === undefined || asked < before) began.set(key, asked);
  }
  return survey.usersById.flatMap(({ sessions }) =>
    sessions
      .flatMap((session) => {
        const at = began.get(sessionKey(session.user, session.session));
        return at === undefined ? [] : [{ session, at }];
      })
      .sort((a, b) =>
        a.at === b.at ? (a.session.session < b.session.session ? -1 : 1) : a.at < b.at ? -1 : 1,
      )
      .map(({ session }) => session),
  );
}

/** The files that its questions have in all their versions, each once, though it was stored again after an erasure. */
export function storedFilesOf({ jobs }: Pick<MadeConversation<unknown>, 'jobs'>): string[] {
  const rows = jobs.flatMap((job) => [job, ...job.earlier]).flatMap(({ artifacts }) => artifacts);
  const files = rows.map(artifactOf).filter((file) => file !== undefined);
  return [...new Set(files.map(({ path }) => pathWithoutErasure(path)))];
}

/** Those of the question, then those of the answer itself, and what was lost elsewhere. */
function filesOf({ blocks, artifacts }: MadeJob): Row[] {
  const steps = new Set(blocks.map(blockKey));
  const files = artifacts.filter((row) => !steps.has(blockKey(row)));
  const lost = artifacts.filter((row) => row['status'] === LOST_STATUS);
  const told = inBlockOrder([...files, ...lostElsewhere(lost, files)], 'file_index');
  return told.sort((a, b) => Number(isOfQuestion(b)) - Number(isOfQuestion(a)));
}

function isOfQuestion(file: Row): boolean {
  return file['role'] === 'question';
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
