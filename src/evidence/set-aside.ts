/** Facts set aside on disk while tables are read one after the other, and read again session by session. */
import { present } from '../base/error.js';
import { IntegrityError } from '../archive/archive-errors.js';
import { SessionSpool } from '../archive/reading/session-spool.js';
import { groupBy } from '../base/group-by.js';
import { parseJson } from '../base/text/parse-json.js';
import { jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import type { Storage } from '../storage/storage.js';
import type { ArtifactFact, CodeFact, EntryFact, Fact, SessionFact } from './facts.js';
import type { JobVersion } from './item-rows.js';
import type { Batch, JobPlan, SessionPlan } from './plan.js';

/** The jobs of a bucket: some MB, all of which is in memory at a time. */
const BUCKET_JOBS = 1000;
const MAX_BUCKETS = 256;

export interface JobFacts extends JobVersion {
  /**
   * All code of a job that a search has found by its code; the texts of the steps of one found by its answer. In the
   * order of their blocks.
   */
  readonly code: readonly CodeFact[];
  /** All entries of a job that a search has found by its answer. In the order of their blocks. */
  readonly entries: readonly EntryFact[];
  /** In the order of their blocks. */
  readonly artifacts: readonly ArtifactFact[];
}

export interface SessionFacts {
  /** Every version that there is a row of, oldest first. */
  readonly versions: readonly SessionFact[];
  /** Every version of each job, oldest first. @throws {IntegrityError} one is missing or doubled */
  readonly jobs: () => Iterable<readonly JobFacts[]>;
}

export class SetAside {
  readonly #spool: SessionSpool;
  readonly #sessions: readonly SessionPlan[];
  readonly #numbers: ReadonlyMap<SessionPlan, number>;

  private constructor(spool: SessionSpool, sessions: readonly SessionPlan[]) {
    this.#spool = spool;
    this.#sessions = sessions;
    this.#numbers = new Map(sessions.map((session, number) => [session, number]));
  }

  static async open(storage: Storage, { users }: Batch): Promise<SetAside> {
    const sessions = [...users.values()].flatMap((user) => [...user.sessions.values()]);
    const weights = sessions.map(({ jobs }) => jobs.size);
    const jobs = weights.reduce((sum, weight) => sum + weight, 0);
    const buckets = Math.min(MAX_BUCKETS, Math.ceil(jobs / BUCKET_JOBS) + 1);
    return new SetAside(await SessionSpool.open(storage, weights, buckets), sessions);
  }

  /** @param job undefined: of the session itself @param fact plain JSON */
  async add(session: SessionPlan, job: JobPlan | undefined, fact: Fact): Promise<void> {
    const number = present(this.#numbers.get(session), `session ${session.session} of the batch`);
    await this.#spool.add(number, `${job?.firstRecord ?? 0} ${JSON.stringify(fact)}`);
  }

  /** Nothing more will be added; from now on it can be read. */
  async close(): Promise<void> {
    await this.#spool.close();
  }

  /** Yields every session of the batch, in its order. @throws {IntegrityError} rows of one are missing or doubled */
  async *sessions(): AsyncGenerator<SessionFacts, undefined> {
    let next = 0;
    for await (const lines of this.#spool.sessions()) {
      yield factsOf(present(this.#sessions[next++], 'the session of set-aside rows'), lines);
    }
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }
}

function factsOf(session: SessionPlan, lines: readonly string[]): SessionFacts {
  // a fact is decoded when its job is due: texts of all jobs at once would take too much memory
  const byRecord = groupBy(lines, (line) => Number(line.slice(0, line.indexOf(' '))));
  const read = (record: number): Fact[] =>
    (byRecord.get(record) ?? []).map(
      (line) => parseJson(line.slice(line.indexOf(' ') + 1)) as Fact,
    );
  const sessions = read(0).filter((fact) => fact.kind === 'session');
  return {
    versions: inVersions(sessionsTable.name, sessions, session.state.version),
    jobs: function* () {
      for (const job of session.jobs.values()) {
        yield factsOfJob(session, job, read(job.firstRecord));
      }
    },
  };
}

function factsOfJob(session: SessionPlan, job: JobPlan, facts: readonly Fact[]): JobFacts[] {
  const { version } = job.state;
  const jobs = facts.filter((fact) => fact.kind === 'job');
  const records = facts.filter((fact) => fact.kind === 'record');
  const artifacts = facts.filter((fact) => fact.kind === 'artifact');
  const codes = facts.filter(({ kind }) => kind === 'code' || kind === 'step');
  const entries = facts.filter(({ kind }) => kind === 'source' || kind === 'question');
  // a version that took the job out of its session has no record: it came back with a later one
  const archived = inVersions(jobsTable.name, jobs, version).filter((fact) => !fact.isWithdrawn);
  const recordsInOrder = inVersions(rawJobsTable.name, records, archived.length);
  return archived.map((fact, index) => {
    const record = present(recordsInOrder[index], `the record of ${job.job}`);
    const versionArtifacts = artifacts.filter((artifact) => artifact.version === fact.version);
    const code = (codes as CodeFact[]).filter((candidate) => candidate.version === fact.version);
    return {
      session,
      job,
      fact,
      record,
      code: code.sort((a, b) => a.block - b.block),
      entries: (entries as EntryFact[])
        .filter((entry) => entry.version === fact.version)
        .sort((a, b) => a.block - b.block || a.index - b.index),
      artifacts: versionArtifacts.sort((a, b) => a.block - b.block),
    };
  });
}

function inVersions<T extends { readonly version: number; readonly path: string }>(
  table: string,
  facts: readonly T[],
  newest: number,
): T[] {
  const sorted = facts.toSorted((a, b) => a.version - b.version);
  for (const [index, { version, path }] of sorted.entries()) {
    if (sorted[index - 1]?.version !== version) continue;
    throw new IntegrityError(path, 'rows', `holds version ${version} of something a second time`);
  }
  if (sorted.length === newest) return sorted;
  throw new IntegrityError(
    `tables/${table}`,
    'rows',
    `has ${sorted.length} of ${newest} versions that the log names of something that belongs into the pack`,
  );
}
