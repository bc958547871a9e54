/** Reads the part files of a batch once each: records go straight into the pack, everything else is set aside. */
import { concurrently } from '../base/concurrently.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import { presentableRow } from '../model/mask-secrets.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { textIn } from '../model/text-in.js';
import { artifactsTable, jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import type { Bag } from './bag.js';
import { artifactFact, jobFact, numberOrZero, originOf, sessionFact } from './fact-rows.js';
import type { Fact } from './facts.js';
import { recordPath } from './pack-paths.js';
import type { Packed } from './packed.js';
import type { Batch, JobPlan, SessionPlan } from './plan.js';
import type { Scratch } from './scratch.js';
import type { Part } from '../archive/reading/selected-rows.js';
import type { EvidenceSurvey } from './survey.js';

export interface FactsOptions {
  readonly survey: EvidenceSurvey;
  readonly batch: Batch;
  readonly bag: Bag;
  readonly scratch: Scratch<Fact>;
  readonly packed: Packed;
}

/** Records written at a time: most of it is waiting for the disk to say that they are safe. */
const WRITERS = 16;

/**
 * @throws {IntegrityError} a part file is damaged, or holds what the log does not name
 * @throws {FormatError} a part file does not read as its table
 */
export async function gatherBatch(options: FactsOptions): Promise<void> {
  const { scratch, bag } = options;
  await eachRow(options, sessionsTable, async (row, part) => {
    const session = sessionOf(options, row, part);
    const version = numberOrZero(row, 'session_version');
    if (version < 1 || version > session.state.version) throw unnamed(part, 'version of a session');
    session.pieces.push(await scratch.add(sessionFact(row, version, part)));
  });
  await eachRow(options, jobsTable, async (row, part) => {
    const { job, version } = jobOf(options, row, part);
    job.pieces.push(await scratch.add(jobFact(row, version, part)));
  });
  await eachRow(options, artifactsTable, async (row, part) => {
    const { job, version } = jobOf(options, row, part);
    job.pieces.push(await scratch.add(artifactFact(row, version, part)));
  });
  await eachRow(options, rawJobsTable, async (row, part) => {
    const { job, version } = jobOf(options, row, part);
    const packPath = recordPath(job.firstRecord + version - 1);
    const digest = await bag.add(packPath, textIn(row, 'record') ?? '');
    const fact = { kind: 'record', version, packPath, ...digest, ...originOf(row, part) } as const;
    job.pieces.push(await scratch.add(fact));
  });
}

async function eachRow(
  options: FactsOptions,
  table: TableSchema,
  take: (row: Row, part: Part) => Promise<void>,
): Promise<void> {
  const { survey, batch } = options;
  const users = [...batch.users.values()].map(({ view }) => view.user);
  for (const part of survey.rows.partsOf(table, users)) {
    const rows = rowsOfBatch(options, table, part);
    await concurrently(rows, WRITERS, async (row) => {
      options.packed.parts.add(part.path);
      await take(row, part);
    });
  }
}

async function* rowsOfBatch(
  { survey, batch }: FactsOptions,
  table: TableSchema,
  part: Part,
): AsyncGenerator<Row> {
  for await (const row of survey.rows.rowsOf(table, part)) {
    if (!batch.users.has(textIn(row, 'user_id') ?? '')) continue;
    // a record goes into the pack verbatim, and nothing else of this table does
    yield table === rawJobsTable ? row : presentableRow(table, row);
  }
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
): { readonly job: JobPlan; readonly version: number } {
  const job = sessionOf(options, row, part).jobs.get(textIn(row, 'job_id') ?? '');
  const version = numberOrZero(row, 'job_version');
  if (!job || version < 1 || version > job.state.version) throw unnamed(part, 'version of a job');
  return { job, version };
}

function unnamed({ path }: Part, what: string): IntegrityError {
  return new IntegrityError(path, 'rows', `holds a ${what} that the log does not name`);
}
