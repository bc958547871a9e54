/** The counts that a checkpoint adds to the summary of its run once it is committed, and what it then has. */
import type { JobLine, UserEntry } from '../../archive/log/commit.js';
import { addCounts } from '../../base/group-by.js';
import { isSuspicious, type FileFacts } from '../../flatten/file-facts.js';
import type { FlattenedJob, TableRows } from '../../flatten/flatten-job.js';
import { sessionKey } from '../../model/ids.js';
import type { ArtifactStatus } from '../../model/records.js';
import { noWork, type ExportSummary } from '../export-summary.js';

export class CheckpointTally {
  readonly #work = noWork();
  readonly #ofSessions = new Map<string, SessionWork>();

  /** Versions of jobs that it archives: not those that only became settled. */
  get archivedJobs(): number {
    return this.#work.jobs.archived;
  }

  /** What each session adds. */
  get ofSessions(): Iterable<SessionWork> {
    return this.#ofSessions.values();
  }

  addJob(line: JobLine, { tables, alteredTexts }: FlattenedJob, files: Iterable<FileFacts>): void {
    const { artifacts } = this.#work;
    const ofSession = this.addVersion(line);
    this.#work.altered_texts += alteredTexts;
    tables.forEach((rows) => this.addRows(rows));
    for (const facts of files) {
      const isDoubtful = isSuspicious(facts);
      ofSession.files.push({ status: facts.status, isSuspicious: isDoubtful });
      if (isDoubtful) artifacts.suspicious++;
      if (facts.status !== 'stored') artifacts[facts.status]++;
    }
  }

  /**
   * A version of a job: whoever writes a row of `jobs` adds one.
   *
   * @param marked files of it that were archived before, and are doubtful from now on. Default: none
   */
  addVersion({ user, session }: Pick<JobLine, 'user' | 'session'>, marked = 0): SessionWork {
    const { jobs, artifacts } = this.#work;
    jobs.archived++;
    artifacts.suspicious += marked;
    const key = sessionKey(user, session);
    const ofSession = this.#ofSessions.get(key) ?? { user, session, jobs: 0, files: [], marked: 0 };
    this.#ofSessions.set(key, ofSession);
    ofSession.jobs++;
    ofSession.marked += marked;
    return ofSession;
  }

  addRows({ table, rows }: TableRows): void {
    addCounts(this.#work.rows, { [table.name]: rows.length });
  }

  /** @param newBytes the size of a file that is new to the archive; undefined otherwise */
  addStoredFile(newBytes: number | undefined): void {
    const counts = newBytes === undefined ? { reused: 1 } : { stored: 1, bytes: newBytes };
    addCounts(this.#work.artifacts, counts);
  }

  addTo(summary: ExportSummary): void {
    for (const name of ['jobs', 'rows', 'artifacts'] as const) {
      addCounts<string>(summary[name], this.#work[name]);
    }
    summary.altered_texts += this.#work.altered_texts;
  }
}

/** What one session adds to the counts. */
export interface SessionWork extends Pick<JobLine, 'user' | 'session'> {
  jobs: number;
  readonly files: { readonly status: ArtifactStatus; readonly isSuspicious: boolean }[];
  /** Files archived before that are doubtful from now on. */
  marked: number;
}

export interface CommittedCheckpoint {
  readonly number: number;
  readonly tally: CheckpointTally;
  readonly jobs: readonly JobLine[];
  readonly users: readonly UserEntry[];
}
