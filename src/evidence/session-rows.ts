/** The rows of one conversation, compared with the log: none is missing or doubled, and none is of what it does not name. */
import { IntegrityError } from '../archive/archive-errors.js';
import type { JobRows } from '../archive/reading/rows/session-rows.js';
import { groupBy } from '../base/group-by.js';
import { present } from '../base/error.js';
import type { MadeConversation, MadeJob } from '../making/conversations.js';
import type { SurveyedSession } from '../making/survey.js';
import { textIn, textOrEmpty } from '../model/mask-secrets.js';
import type { Row, TableSchema } from '../model/table-schema.js';
import { jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import { notNamed } from './pack-rows.js';
import type { JobPlan, SessionPlan } from './plan.js';
import { numberIn } from './row-cells.js';

/** A job in the pack. */
export interface PackedJob {
  readonly plan: JobPlan;
  /** Its newest version, and what was found and decided of it. */
  readonly made: MadeJob;
  /** Oldest first. */
  readonly versions: readonly JobRows[];
}

export type PackedConversation = MadeConversation<SurveyedSession>;

/** @returns in the order of the plan @throws {IntegrityError} rows are missing or doubled */
export function jobsOf(plan: SessionPlan, conversation: PackedConversation): PackedJob[] {
  assertVersions(sessionsTable, conversation.versions, plan.version);
  const made = new Map(conversation.jobs.map((job) => [job.id, job]));
  const rows = groupBy(conversation.rows.get(jobsTable.name) ?? [], (row) => row['job_id']);
  return [...plan.jobs].map(([id, job]) => {
    assertVersions(jobsTable, rows.get(id) ?? [], job.state.version);
    const newest = made.get(id);
    if (!newest) throw notWhole(jobsTable, 0, job.state.version);
    const versions = [...newest.earlier.toReversed(), newest];
    for (const { raw_jobs: records } of versions) {
      if (records.length !== 1) throw notWhole(rawJobsTable, records.length, 1);
    }
    return { plan: job, made: newest, versions };
  });
}

/** @returns its row of the table `raw_jobs` @param version one of `jobsOf` */
export function recordIn({ raw_jobs: [record] }: JobRows): Row {
  return present(record, 'the record of a job');
}

/** @returns the part files with a row of the conversation @throws {IntegrityError} a row is of a job or a version that the log does not name */
export function partsOf(
  { version, jobs, withdrawn }: SessionPlan,
  { rows }: PackedConversation,
): Set<string> {
  const parts = new Set<string>();
  for (const row of [...rows.values()].flat()) {
    const job = textIn(row, 'job_id');
    if (job !== null && withdrawn.has(job)) continue;
    const newest = job === null ? version : (jobs.get(job)?.state.version ?? 0);
    const rowVersion = numberIn(row, job === null ? 'session_version' : 'job_version');
    if (rowVersion < 1 || rowVersion > newest) {
      throw notNamed(row, `version of a ${job === null ? 'session' : 'job'}`);
    }
    parts.add(textOrEmpty(row, 'archive_path'));
  }
  return parts;
}

/** @param rows of a session or a job */
function assertVersions(table: TableSchema, rows: readonly Row[], newest: number): void {
  const seen = new Set<number>();
  for (const row of rows) {
    const version = numberIn(row, table === sessionsTable ? 'session_version' : 'job_version');
    if (seen.has(version)) {
      const problem = `holds version ${version} of something a second time`;
      throw new IntegrityError(textOrEmpty(row, 'archive_path'), 'rows', problem);
    }
    seen.add(version);
  }
  if (seen.size !== newest) throw notWhole(table, seen.size, newest);
}

function notWhole({ name }: TableSchema, there: number, named: number): IntegrityError {
  return new IntegrityError(
    `tables/${name}`,
    'rows',
    `has ${there} of ${named} versions that the log names of something that belongs into the pack`,
  );
}
