/** Reads the part files of a batch once each: records go straight into the pack, everything else is set aside. */
import { concurrently } from '../base/concurrently.js';
import { IntegrityError } from '../archive/archive-errors.js';
import { rowId } from '../model/ids.js';
import { presentableRow, textIn } from '../model/mask-secrets.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import {
  artifactsTable,
  blocksTable,
  jobsTable,
  proposedQuestionsTable,
  rawJobsTable,
  sessionsTable,
  sourcesTable,
} from '../model/tables.js';
import { RESPOND } from '../model/stages.js';
import type { Bag } from './bag.js';
import { type EntryFact, type Packed } from './facts.js';
import { recordPath } from './pack-paths.js';
import type { Batch, JobPlan, SessionPlan } from './plan.js';
import type { Making } from '../making/making.js';
import type { SetAside } from './set-aside.js';
import type { Part } from '../archive/reading/selected-rows.js';
import {
  isCode,
  sessionFact,
  jobFact,
  codeFact,
  sourceFact,
  questionFact,
  artifactFact,
  originOf,
  numberOrZero,
} from './row-facts.js';

export interface FactsOptions {
  readonly making: Making;
  readonly batch: Batch;
  readonly bag: Bag;
  readonly aside: SetAside;
  readonly packed: Packed;
}

/** Records written at a time: most of it is waiting for the disk to say that they are safe. */
const WRITERS = 16;

/**
 * @throws {IntegrityError} a part file is damaged, or holds what the log does not name
 * @throws {FormatError} a part file does not read as its table
 */
export async function gatherBatch(options: FactsOptions): Promise<void> {
  const { aside, bag } = options;
  await eachRow(options, sessionsTable, async (row, part) => {
    const session = sessionOf(options, row, part);
    const version = numberOrZero(row, 'session_version');
    if (version < 1 || version > session.state.version) throw unnamed(part, 'version of a session');
    await aside.add(session, undefined, sessionFact(row, version, part));
  });
  await eachRow(options, jobsTable, async (row, part) => {
    const { session, job, version } = jobOf(options, row, part);
    await aside.add(session, job, jobFact(row, version, part));
  });
  await eachRow(options, artifactsTable, async (row, part) => {
    const { session, job, version } = jobOf(options, row, part);
    await aside.add(session, job, artifactFact(row, version, part));
  });
  const searchedIn = options.making.found?.facts.searched_in ?? [];
  if (searchedIn.includes('code') || searchedIn.includes('answer')) await gatherCode(options);
  await gatherEntries(options, sourcesTable, sourceFact);
  await gatherEntries(options, proposedQuestionsTable, questionFact);
  await concurrently(rowsOfBatch(options, rawJobsTable), WRITERS, async ({ row, part }) => {
    const { session, job, version } = jobOf(options, row, part);
    const packPath = recordPath(job.firstRecord + version - 1);
    const digest = await bag.add(packPath, textIn(row, 'record') ?? '');
    const fact = { kind: 'record', version, packPath, ...digest, ...originOf(row, part) } as const;
    await aside.add(session, job, fact);
  });
}

/** Columns of blocks that say nothing of code or of a step. */
const NOT_OF_CODE = [
  'type_raw',
  'group_id',
  'content_json',
  'char_count',
  'artifact_sha256',
  'run_id',
];

/** Code and texts of steps, of jobs that were found by them: a hit whose place nobody sees proves nothing. */
async function gatherCode(options: FactsOptions): Promise<void> {
  const { making, aside } = options;
  const isTaken = (row: Row): boolean => isCode(row) || isStepText(row);
  const chosen = { omitted: NOT_OF_CODE, isTaken };
  for await (const { row, part } of rowsOfBatch(options, blocksTable, chosen)) {
    const { session, job, version } = jobOf(options, row, part);
    if (version !== job.state.version) continue;
    const places = making.found?.matchedIn(session.user, session.session, job.job) ?? [];
    const place = isCode(row) ? 'code' : 'answer';
    if (places.includes(place)) await aside.add(session, job, codeFact(row, version, part));
  }
}

/** Whether the text is one of the answer's, and not in `answer_text`. */
function isStepText(row: Row): boolean {
  const isRespond = row['stage'] === RESPOND;
  return row['role'] === 'answer' && !isRespond && textIn(row, 'content_text') !== null;
}

/** Sources and proposed questions, which belong to the answer. */
async function gatherEntries(
  options: FactsOptions,
  table: TableSchema,
  factOf: (row: Row, version: number, part: Part) => EntryFact,
): Promise<void> {
  const { aside } = options;
  await eachRow(options, table, async (row, part) => {
    const { session, job, version } = jobOf(options, row, part);
    if (version === job.state.version) await aside.add(session, job, factOf(row, version, part));
  });
}

async function eachRow(
  options: FactsOptions,
  table: TableSchema,
  take: (row: Row, part: Part) => Promise<void>,
): Promise<void> {
  for await (const { row, part } of rowsOfBatch(options, table)) await take(row, part);
}

interface RowOfPart {
  readonly row: Row;
  readonly part: Part;
}

/** @param chosen which rows; default: all, with all of their columns */
async function* rowsOfBatch(
  { making, batch, packed }: FactsOptions,
  table: TableSchema,
  { omitted, isTaken }: { omitted?: readonly string[]; isTaken?: (row: Row) => boolean } = {},
): AsyncGenerator<RowOfPart> {
  const users = [...batch.users.values()].map(({ view }) => view.user);
  for (const part of making.rows.partsOf(table, users)) {
    for await (const rows of making.rows.rowsOf(table, part, omitted)) {
      for (const row of rows) {
        if (!batch.users.has(textIn(row, 'user_id') ?? '')) continue;
        if (isWithdrawn(batch, row)) continue;
        packed.parts.add(part.path);
        if (isTaken?.(row) === false) continue;
        // a record goes into the pack verbatim, and nothing else of this table does
        yield { row: table === rawJobsTable ? row : presentableRow(table, row), part };
      }
    }
  }
}

/** Whether the row is of a job that is none of its session's any more. */
function isWithdrawn({ users }: Batch, row: Row): boolean {
  const [user, session, job] = ['user_id', 'session_id', 'job_id'].map((id) => textIn(row, id));
  const { withdrawn } = users.get(user ?? '')?.sessions.get(session ?? '')?.state ?? {};
  return job != null && withdrawn !== undefined && withdrawn.size > 0 && hasRowId(withdrawn, job);
}

function hasRowId(jobs: ReadonlyMap<string, unknown>, id: string): boolean {
  return [...jobs.keys()].some((job) => rowId(job) === id);
}

function sessionOf({ batch }: FactsOptions, row: Row, part: Part): SessionPlan {
  const user = batch.users.get(textIn(row, 'user_id') ?? '');
  const session = user?.sessions.get(textIn(row, 'session_id') ?? '');
  if (!session) throw unnamed(part, 'session');
  return session;
}

function jobOf(
  options: FactsOptions,
  row: Row,
  part: Part,
): { readonly session: SessionPlan; readonly job: JobPlan; readonly version: number } {
  const session = sessionOf(options, row, part);
  const job = session.jobs.get(textIn(row, 'job_id') ?? '');
  const version = numberOrZero(row, 'job_version');
  if (!job || version < 1 || version > job.state.version) throw unnamed(part, 'version of a job');
  return { session, job, version };
}

function unnamed({ path }: Part, what: string): IntegrityError {
  return new IntegrityError(path, 'rows', `holds a ${what} that the log does not name`);
}
