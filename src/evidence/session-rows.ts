/** The rows of one session as facts, compared with the log: none is missing or doubled, and none is of what it does not name. */
import { IntegrityError } from '../archive/archive-errors.js';
import type { JobRows } from '../archive/reading/session-rows.js';
import type { MadeConversation, MadeJob } from '../making/conversations.js';
import type { SurveyedSession } from '../making/survey.js';
import { groupBy } from '../base/group-by.js';
import { textIn, textOrEmpty } from '../model/mask-secrets.js';
import type { Row } from '../model/table-schema.js';
import { jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import type { ArtifactFact, CodeFact, EntryFact, JobFact, SessionFact } from './facts.js';
import { notNamed } from './pack-rows.js';
import type { JobPlan, SessionPlan } from './plan.js';
import {
  artifactFact,
  codeFact,
  jobFact,
  numberOrZero,
  questionFact,
  sessionFact,
  sourceFact,
} from './row-facts.js';

/** A version of a job. */
export interface JobFacts {
  readonly fact: JobFact;
  /** Its row of the table `raw_jobs`. */
  readonly record: Row;
  /** In the order of their blocks. */
  readonly artifacts: readonly ArtifactFact[];
}

/** A job in the pack. */
export interface PackedJob {
  readonly plan: JobPlan;
  /** What was found and decided of it. */
  readonly made: MadeJob;
  /** Oldest first. */
  readonly versions: readonly JobFacts[];
  /** The newest of them. */
  readonly newest: JobFacts;
  /**
   * All code of a job that a search has found by its code; the texts of the steps of one found by its answer. In the
   * order of their blocks.
   */
  readonly code: readonly CodeFact[];
  /** Its sources and proposed questions, in the order of their blocks. */
  readonly entries: readonly EntryFact[];
}

export interface SessionFacts {
  /** Every version that there is a row of, oldest first. */
  readonly versions: readonly SessionFact[];
  /** In the order of the plan. */
  readonly jobs: readonly PackedJob[];
  /** The part files with a row of it. */
  readonly parts: ReadonlySet<string>;
}

type Conversation = MadeConversation<SurveyedSession>;

/** @throws {IntegrityError} rows are missing or doubled, or of what the log does not name */
export function factsOf(plan: SessionPlan, conversation: Conversation): SessionFacts {
  const versions = conversation.versions.map(sessionFact).reverse();
  assertVersions(sessionsTable.name, versions, plan.version);
  const parts = partsOf(plan, conversation);
  const made = new Map(conversation.jobs.map((job) => [job.id, job]));
  const rows = groupBy(conversation.rows.get(jobsTable.name) ?? [], (row) => row['job_id']);
  const jobs = [...plan.jobs].map(([id, job]) => {
    const archived = (rows.get(id) ?? []).map(jobFact);
    assertVersions(jobsTable.name, archived.sort(byVersion), job.state.version);
    const madeJob = made.get(id);
    if (!madeJob) throw notWhole(jobsTable.name, 0, job.state.version);
    return factsOfJob(job, madeJob);
  });
  return { versions, jobs, parts };
}

/** @throws {IntegrityError} a row is of a job or a version that the log does not name */
function partsOf({ version, jobs, withdrawn }: SessionPlan, { rows }: Conversation): Set<string> {
  const parts = new Set<string>();
  for (const row of [...rows.values()].flat()) {
    const path = textOrEmpty(row, 'archive_path');
    const job = textIn(row, 'job_id');
    if (job !== null && withdrawn.has(job)) continue;
    const [column, newest, what] =
      job === null
        ? ['session_version', version, 'version of a session']
        : ['job_version', jobs.get(job)?.state.version ?? 0, 'version of a job'];
    const rowVersion = numberOrZero(row, column);
    if (rowVersion < 1 || rowVersion > newest) throw notNamed(path, what);
    parts.add(path);
  }
  return parts;
}

function factsOfJob(plan: JobPlan, made: MadeJob): PackedJob {
  const newest = factsOfVersion(made);
  const versions = [...made.earlier.map(factsOfVersion).reverse(), newest];
  const entries = [
    ...inOrder(made.sources, 'source_index').map(sourceFact),
    ...inOrder(made.proposed_questions, 'question_index').map(questionFact),
  ];
  const code = inOrder(made.blocks).map(codeFact);
  return { plan, made, versions, newest, code, entries };
}

function factsOfVersion({ job, artifacts, raw_jobs: records }: JobRows): JobFacts {
  const [record] = records;
  // a version that took the job out of its session has none: it came back with a later one
  if (!record || records.length > 1) throw notWhole(rawJobsTable.name, records.length, 1);
  return { fact: jobFact(job), record, artifacts: inOrder(artifacts).map(artifactFact) };
}

function inOrder(rows: readonly Row[], within?: string): Row[] {
  const placeOf = (row: Row, column: string): number => numberOrZero(row, column);
  return rows.toSorted(
    (a, b) =>
      placeOf(a, 'block_index') - placeOf(b, 'block_index') ||
      (within === undefined ? 0 : placeOf(a, within) - placeOf(b, within)),
  );
}

interface Versioned {
  readonly version: number;
  readonly path: string;
}

const byVersion = (a: Versioned, b: Versioned): number => a.version - b.version;

/** @param facts oldest first */
function assertVersions(table: string, facts: readonly Versioned[], newest: number): void {
  for (const [index, { version, path }] of facts.entries()) {
    if (facts[index - 1]?.version !== version) continue;
    throw new IntegrityError(path, 'rows', `holds version ${version} of something a second time`);
  }
  if (facts.length !== newest) throw notWhole(table, facts.length, newest);
}

function notWhole(table: string, there: number, named: number): IntegrityError {
  return new IntegrityError(
    `tables/${table}`,
    'rows',
    `has ${there} of ${named} versions that the log names of something that belongs into the pack`,
  );
}
