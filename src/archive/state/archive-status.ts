/** What an archive holds and how well, user by user, and what the last runs did: from the log, and the notes of when each session was checked. */
import { GrowingContents } from '../log/contents.js';
import type { Archive } from '../archive.js';
import type { Commit, UserEntry } from '../log/commit.js';
import { foreignFiles } from '../foreign-files.js';
import type { CommitRef } from '../log/commit-log.js';
import { CheckSurvey, type CheckStatus, type Pace } from './check-status.js';
import { RunHistory, type RunStatus } from './run-history.js';
import { loadChecks } from './user-checks.js';
import { UserTally, type UserStatus } from './user-status.js';
import type { UserId } from '../../model/ids.js';

export interface ArchiveStatus {
  readonly location: string;
  readonly service: { readonly base_url: string; readonly project: string | null };
  readonly formats: readonly string[];
  /** The newest commit; null of an empty log. */
  readonly head: CommitRef | null;
  readonly users: {
    readonly total: number;
    /** Users of whom every session is complete, and whose last listing was. */
    readonly complete: number;
    /** Users whom the last run that asked could not list to the end. */
    readonly failed: number;
  };
  readonly sessions: UserStatus['sessions'];
  readonly jobs: UserStatus['jobs'];
  /** How many, by status: `expired`, `missing`, `incomplete`, …; keys in alphabetical order. */
  readonly gaps: Readonly<Record<string, number>>;
  readonly size: {
    /** Part files and workbooks. */
    readonly files: number;
    readonly artifacts: number;
    /** Of both; the log and the states are not counted. */
    readonly bytes: number;
  };
  /** Paths beside the tables and files that jobvault does not make: left alone. Ordered. */
  readonly foreign: readonly string[];
  readonly checks: CheckStatus;
  /** The newest first. */
  readonly runs: readonly RunStatus[];
}

export interface StatusOptions {
  /** How many of the last runs are told. */
  readonly runs: number;
  /** What the cost of a full check is computed with. Default 20 requests a second, 100 sessions a page. */
  readonly pace?: Pace | undefined;
  /** Called with each user, in the order in which they came into the archive. */
  readonly onUser?: (status: UserStatus) => void;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_PACE: Pace = { rate: 20, pageSize: 100 };

/**
 * Reads the log once and the state of one user at a time.
 *
 * @throws {IntegrityError} the log is damaged
 */
export async function archiveStatus(
  archive: Archive,
  options: StatusOptions,
): Promise<ArchiveStatus> {
  const { storage, identity, log } = archive;
  const { signal, onUser } = options;
  const head = await log.head();
  const survey = new LogSurvey(options.runs);
  for await (const commit of log.commits(1, head?.number ?? 0)) {
    signal?.throwIfAborted();
    survey.add(commit);
  }
  const total = new UserTally();
  const checkSurvey = new CheckSurvey(options.pace ?? DEFAULT_PACE);
  const counts = { total: 0, complete: 0, failed: 0 };
  for (const [user, entry] of survey.entries) {
    signal?.throwIfAborted();
    const tally = new UserTally();
    const state = await archive.states.load(user);
    tally.add(state);
    checkSurvey.add(state, await loadChecks(storage, user));
    const status = tally.statusOf(user, entry);
    onUser?.(status);
    counts.total++;
    if (status.complete) counts.complete++;
    if (status.last_listing?.error != null) counts.failed++;
    total.merge(tally);
  }
  const { sessions, jobs, gaps } = total.counts();
  return {
    location: storage.location,
    service: identity.service,
    formats: identity.formats,
    head,
    users: counts,
    sessions,
    jobs,
    gaps,
    size: survey.size(),
    foreign: await foreignFiles(storage, '_'),
    checks: checkSurvey.status(),
    runs: survey.runs.newestFirst(),
  };
}

class LogSurvey {
  /** Everyone who is in the log, with the newest word on them. */
  readonly entries = new Map<UserId, UserEntry | undefined>();
  readonly runs: RunHistory;
  readonly #contents = new GrowingContents();

  constructor(runs: number) {
    this.runs = new RunHistory(runs);
  }

  add(commit: Commit): void {
    this.#contents.add(commit);
    this.runs.add(commit);
    for (const { user } of [...commit.sessions, ...commit.deletions]) {
      if (!this.entries.has(user)) this.entries.set(user, undefined);
    }
    for (const entry of commit.users) this.entries.set(entry.user, entry);
  }

  size(): ArchiveStatus['size'] {
    const { files, artifacts } = this.#contents;
    const bytes = [...files.values(), ...artifacts.values()].reduce(
      (sum, object) => sum + object.bytes,
      0,
    );
    return { files: files.size, artifacts: artifacts.size, bytes };
  }
}
