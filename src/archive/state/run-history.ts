/** Summarises runs from their commits, the newest first. */
import { sessionKey, type RunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { isRewrite, type CommitKind } from '../log/commit-kind.js';
import type { Commit } from '../log/commit.js';
import { readAhead } from '../../base/concurrently.js';
import { partitionOf } from '../paths.js';

export interface RunStatus {
  readonly run: RunId;
  /** The kind of its first commit; `export` if any of its commits is. */
  readonly kind: CommitKind;
  /** When its first and its last commit were made; ISO 8601. */
  readonly began: string;
  readonly ended: string;
  /** Numbers of its first and its last commit. */
  readonly commits: readonly [number, number];
  /** Users that it finished; if `redacted`, without erased users. */
  readonly users: number;
  /** Users of these that were archived without a gap. */
  readonly complete: number;
  /** Users whom it was to read; null if its commits do not say that, as those of a fleet. */
  readonly of: number | null;
  /** As in the metrics of runs; `all` of what is no export. */
  readonly scope: 'all' | 'named' | 'part';
  /**
   * `not_all_read`: by an early end or a budget. Null if its commits do not say that, or do so no more after an erasure.
   * Of a run of scope `part` it says nothing of users whom the run did not read.
   */
  readonly outcome: 'complete' | 'gaps' | 'not_all_read' | null;
  /** Sessions with an entry in its commits. */
  readonly sessions: number;
  /** Job versions written, including those erased since. */
  readonly jobs: number;
  /** Sessions deleted from the service, or found deleted. */
  readonly deletions: number;
  /** Whether an erasure has redacted one of its commits. */
  readonly redacted: boolean;
  /** Whether another run found it dead. */
  readonly abandoned: boolean;
}

/** Commits read at a time. */
const READ_AHEAD = 8;

/**
 * The runs, that which committed last first. Reads the commits of those that are asked for, and no others.
 *
 * @param archive whose index is up to date
 * @throws {IntegrityError} a commit is damaged
 */
export async function* newestRuns({ log, index }: Archive): AsyncGenerator<RunStatus> {
  const numbersOf = new Map<RunId, number[]>();
  for (const { run, number } of index.commits) {
    const numbers = numbersOf.get(run) ?? [];
    numbersOf.delete(run);
    numbers.push(number);
    numbersOf.set(run, numbers);
  }
  for (const [run, numbers] of [...numbersOf].reverse()) {
    const tally = new RunTally(run, index.abandonedRuns.has(run));
    for await (const commit of readAhead(numbers, READ_AHEAD, (n) => log.read(n))) {
      tally.add(commit);
    }
    yield* tally.status();
  }
}

class RunTally {
  readonly #run: RunId;
  readonly #isAbandoned: boolean;
  #first: Commit | undefined;
  #last: Commit | undefined;
  #kind: CommitKind | undefined;
  #users = 0;
  #complete = 0;
  #deletions = 0;
  #isRedacted = false;
  readonly #sessions = new Set<string>();
  /** Rows of the table `jobs` by format: each format has the same rows. */
  readonly #rowsByExtension = new Map<string, number>();

  constructor(run: RunId, isAbandoned: boolean) {
    this.#run = run;
    this.#isAbandoned = isAbandoned;
  }

  /** Commits come in order. */
  add(commit: Commit): void {
    this.#first ??= commit;
    this.#last = commit;
    if (this.#kind === undefined || commit.kind === 'export') this.#kind = commit.kind;
    this.#users += commit.users?.rows ?? 0;
    this.#complete += commit.users?.complete ?? 0;
    this.#deletions += commit.deletions.length;
    this.#isRedacted ||= commit.redacted_by !== undefined;
    for (const { user, session } of commit.sessions) {
      this.#sessions.add(sessionKey(user, session));
    }
    if (isRewrite(commit)) return;
    for (const { path, table, rows } of commit.files) {
      const { extension } = partitionOf(path) ?? {};
      if (table !== 'jobs' || extension === undefined) continue;
      this.#rowsByExtension.set(extension, (this.#rowsByExtension.get(extension) ?? 0) + rows);
    }
  }

  /** A user who was doubted later in the run is counted twice: then not all are complete. */
  #proven(): Pick<RunStatus, 'of' | 'scope' | 'outcome'> {
    const { users, sessions, search, retry_gaps: retries, named } = this.#first?.scope ?? {};
    const isPart =
      retries === true ||
      (Array.isArray(sessions) && sessions.length > 0) ||
      typeof search === 'string';
    const scope = isPart ? 'part' : named === true ? 'named' : 'all';
    const of = this.#kind === 'export' && typeof users === 'number' ? users : null;
    if (of === null || this.#isRedacted) return { of, scope, outcome: null };
    if (this.#users < of) return { of, scope, outcome: 'not_all_read' };
    return { of, scope, outcome: this.#complete === this.#users ? 'complete' : 'gaps' };
  }

  /** Empty if no commit was added. */
  status(): RunStatus[] {
    if (!this.#first || !this.#last || !this.#kind) return [];
    return [
      {
        run: this.#run,
        kind: this.#kind,
        began: this.#first.created_at,
        ended: this.#last.created_at,
        commits: [this.#first.number, this.#last.number],
        users: this.#users,
        complete: this.#complete,
        ...this.#proven(),
        sessions: this.#sessions.size,
        jobs: Math.max(0, ...this.#rowsByExtension.values()),
        deletions: this.#deletions,
        redacted: this.#isRedacted,
        abandoned: this.#isAbandoned,
      },
    ];
  }
}
