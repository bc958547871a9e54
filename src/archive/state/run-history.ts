/** Summarises runs from their commits, the newest first. */
import { timeOfUlid } from '../../base/ulid.js';
import type { RunId } from '../../model/ids.js';
import { runWord, type RunWord } from '../../model/run-outcome.js';
import type { CommitKind } from '../log/commit-kinds.js';
import type { LogIndex } from '../log/log-index.js';
import type { CountsOfCommit, CommitFacts } from '../log/log-view.js';

export interface RunStatus extends Pick<
  CountsOfCommit,
  'scope' | 'shard' | 'queue' | 'dataset_gaps' | 'gaps_of_unread_users'
> {
  readonly run: RunId;
  /** The kind of its first commit; `export` if any of its commits is. */
  readonly kind: CommitKind;
  /** Before it read anything; ISO 8601. */
  readonly began: string;
  /** When its last commit was made; ISO 8601. */
  readonly ended: string;
  /** Numbers of its first and its last commit. */
  readonly commits: readonly [number, number];
  /** Users that it finished; if `redacted`, without erased users. */
  readonly users: number;
  /** Users whom it did not finish: it listed their sessions, and its budget left some of these unchecked. */
  readonly partly: number;
  /** Users of these of whom nothing is missing, and who were not doubted later in the run. */
  readonly complete: number;
  /** Users of whom only what somebody has decided on is missing; of those with gaps, the users manifests alone tell it. */
  readonly incomplete_by_decision: number;
  /** Users whom it was to read, without those it skipped; null if its commits do not say that, as those of a fleet. */
  readonly users_to_read: number | null;
  /** Users who were skipped: they were erased, and are not to come back. */
  readonly users_suppressed: number;
  /**
   * `doubtful_list`: its list of users could not be right, so whatever it has read, nobody knows of whom it has not. Null if
   * its commits do not say that, as those of a run of scope `part`, or do so no more after the erasure of a user.
   */
  readonly outcome: RunWord | 'doubtful_list' | null;
  /** Entries of sessions in its commits: a session that was written in two of them counts twice. */
  readonly sessions: number;
  /** Job versions written, including those erased since. */
  readonly jobs: number;
  /** Sessions that its DELETEs have taken; those found deleted are not among them. */
  readonly deletions: number;
  /** Whether an erasure has redacted one of its commits. */
  readonly redacted: boolean;
  /** Whether another run found it dead. */
  readonly abandoned: boolean;
}

/** The runs, that which committed last first. @param index up to date */
export function* newestRuns({ commits, abandonedRuns }: LogIndex): Generator<RunStatus> {
  const commitsOf = new Map<RunId, CommitFacts[]>();
  for (const commit of commits) {
    const runCommits = commitsOf.get(commit.run) ?? [];
    commitsOf.delete(commit.run);
    runCommits.push(commit);
    commitsOf.set(commit.run, runCommits);
  }
  for (const [run, runCommits] of [...commitsOf].reverse()) {
    yield* statusOf(runCommits, abandonedRuns.has(run));
  }
}

/** When the run of a commit began, before it read anything; ISO 8601. Runs are named by it. */
export function beginOf({ run, counts }: CommitFacts): string {
  const beganMs = timeOfUlid(run);
  return beganMs === undefined ? counts.at : new Date(beganMs).toISOString();
}

/**
 * Exports that could tell somebody what they have found: they reached their last user. One that died, was interrupted or
 * ended early is none, nor is one whose budget has left users. Whoever hears of the night hears nothing of exports by hand:
 * to an export of everybody these have told nothing, and one of a part of the conversations tells nobody of the others.
 *
 * @param index up to date
 * @param options.byHand to whom: an export that is not of everybody
 * @returns the newest first
 */
export function runsThatTold(
  index: LogIndex,
  { byHand = false }: { readonly byHand?: boolean } = {},
): ReadonlyMap<RunId, RunStatus> {
  const told = [...newestRuns(index)].filter(
    (run) =>
      run.kind === 'export' &&
      (run.scope === 'all' || (byHand && run.scope === 'named')) &&
      hasListedAll(run) &&
      !(run.outcome === 'doubtful_list' && listedBy(run) < (run.users_to_read ?? 0)) &&
      !run.abandoned,
  );
  return new Map(told.map((run) => [run.run, run]));
}

/** How many users it listed. */
export function listedBy({ users, partly }: RunStatus): number {
  return users + partly;
}

/** Whether an export came to its last user; it may have left some of their sessions. True where its commits do not say that. */
export function hasListedAll(run: RunStatus): boolean {
  return run.outcome !== 'not_all_read' || listedBy(run) >= (run.users_to_read ?? 0);
}

/** Whether it is an export of everybody, whose commits say how many users it was to read. */
export function isOfEverybody({ kind, scope, users_to_read: toRead }: RunStatus): boolean {
  return kind === 'export' && scope === 'all' && toRead !== null;
}

/** Runs of everybody that came to their last user, the newest first; those that could not say whom they read are none. */
export function fullRuns(index: LogIndex, except?: string): readonly RunStatus[] {
  return [...newestRuns(index)].filter(
    (run) =>
      run.run !== except &&
      isOfEverybody(run) &&
      hasListedAll(run) &&
      run.outcome !== 'doubtful_list',
  );
}

/** Users whom the newest export of everybody was to read, and of whom the archive has nothing, not even a listing. */
export interface UnreadUsers {
  /** The fewest that there may be: the log has their number, and not their ids. */
  readonly count: number;
  readonly isExact: boolean;
  /** Something was erased since: of whom nothing was left is counted, too. */
  readonly orErased: boolean;
  /** How many it was to read. */
  readonly total: number;
}

/** @param index up to date @param known how many users the archive has, also those of whom it has a listing alone */
export function unreadUsers(index: LogIndex, known: number): UnreadUsers | undefined {
  for (const run of newestRuns(index)) {
    if (!isOfEverybody(run)) continue;
    const { users_to_read: toRead, outcome, commits } = run;
    const count = (toRead ?? 0) - known;
    if (outcome === null || toRead === null || count <= 0) return undefined;
    const orErased = index.erasures.some((number) => number > commits[1]);
    return { count, isExact: listedBy(run) === known, orErased, total: toRead };
  }
  return undefined;
}

/** @param commits of the run, in order. @returns nothing of a run without any */
function statusOf(commits: readonly CommitFacts[], isAbandoned: boolean): RunStatus[] {
  const [first, last] = [commits.at(0), commits.at(-1)];
  if (!first || !last) return [];
  // a run that cleans up after a dead one first says nothing of its own users there
  const exported = commits.find(({ kind }) => kind === 'export');
  const isExport = exported !== undefined;
  const sum = (
    count: keyof CountsOfCommit &
      ('users' | 'complete' | 'by_decision' | 'left' | 'sessions' | 'jobs' | 'deletions'),
  ) => commits.reduce((total, { counts }) => total + counts[count], 0);
  const redacted = commits.some(({ redactedBy }) => redactedBy > 0);
  // whom it may not read, a run may learn while it goes on
  const counts = commits.findLast(({ kind }) => kind === 'export')?.counts;
  const { of = null, suppressed = 0, dataset_gaps = 0, gaps_of_unread_users = 0 } = counts ?? {};
  const toRead = of === null ? null : of - suppressed;
  const decided = sum('by_decision');
  const partly = sum('left');
  const { users: listed, complete } = countedOnce(
    { users: sum('users'), complete: sum('complete') },
    toRead,
  );
  const users = Math.max(0, listed - partly);
  const read = {
    users,
    complete,
    incomplete_by_decision: decided,
    users_to_read: toRead,
    dataset_gaps,
    gaps_of_unread_users,
  };
  const { scope, shard, queue } = (exported ?? first).counts;
  const isDoubtful = commits.some(({ counts }) => counts.doubtful_list);
  return [
    {
      run: first.run,
      kind: isExport ? 'export' : first.kind,
      began: beginOf(first),
      ended: last.counts.at,
      commits: [first.number, last.number],
      ...read,
      partly,
      users_suppressed: suppressed,
      scope,
      shard,
      queue,
      outcome: isDoubtful
        ? 'doubtful_list'
        : toRead === null || scope === 'part' || (redacted && users < toRead)
          ? null
          : outcomeOf(read),
      sessions: sum('sessions'),
      jobs: sum('jobs'),
      deletions: sum('deletions'),
      redacted,
      abandoned: isAbandoned,
    },
  ];
}

/**
 * A user who was doubted later in the run is listed again there, as not complete. Lines are counted, not names: where they
 * are more than the run's users, whoever was listed again counts once, as not complete.
 */
function countedOnce(
  { users, complete }: { readonly users: number; readonly complete: number },
  toRead: number | null,
): { readonly users: number; readonly complete: number } {
  const again = Math.max(0, users - (toRead ?? users));
  return { users: users - again, complete: Math.max(0, complete - again) };
}

/** How a run ended whose commits say whom it was to read. */
export function outcomeOf(
  run: Pick<
    RunStatus,
    | 'users'
    | 'complete'
    | 'incomplete_by_decision'
    | 'users_to_read'
    | 'dataset_gaps'
    | 'gaps_of_unread_users'
  >,
): RunWord {
  const { users, complete, incomplete_by_decision: decided } = run;
  return runWord({
    isAllRead: users >= (run.users_to_read ?? users),
    hasGaps: complete + decided < users || run.dataset_gaps + run.gaps_of_unread_users > 0,
    hasDecided: decided > 0,
  });
}
