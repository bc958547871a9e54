/** The counts of a run; `--json` prints them as one line. */
import { clauses } from '../base/text/clauses.js';
import { agreeing, counted } from '../base/text/counted.js';
import type { SharedSessions } from '../archive/histories/session-owners.js';
import type { ArtifactStatus } from '../model/records.js';
import type { LeftByBudget } from '../model/left-by-budget.js';
import { runWord, type RunWord } from '../model/run-outcome.js';
import type { Gap } from './jobs/gap.js';
import type { RequestBudget } from '../service/pace/request-budget.js';

/** How a run ended for the users that it was for; `not_all_read` also where its budget left datasets to later runs. */
type ExportStatus = RunWord | 'interrupted' | 'failed';

/** `gaps`: of users with gaps, what was missing; `sessions`: named ones, or those that a search found. */
export type RunPart = 'gaps' | 'sessions';

export interface ExportSummary {
  status: ExportStatus;
  readonly archive: string;
  readonly run: string;
  /** The shard of all users: `3/16`; absent for all users. */
  readonly shard?: string;
  /** Only of a run that does not read all of its users' sessions. */
  readonly part?: RunPart;
  /** Its last is the newest of the archive, unless another run has committed since. */
  readonly commits: number[];
  /**
   * Every user is in one of these. `incomplete_by_decision`: only what somebody has decided on is missing, which are accepted
   * gaps and what was erased; `with_gaps`: something is missing or in doubt, and not all of that is accepted; `failed`:
   * there is no listing. `partly`: read as far as the named sessions, the search or the budget go; of whom the budget left a
   * session, whatever else is missing. `not_read`: without a gap
   * that the log knows, in a run that only retries gaps, or left by the budget. `not_finished`: the run ended before it was done with them; some of their sessions may be archived.
   */
  readonly users: {
    total: number;
    complete: number;
    incomplete_by_decision: number;
    with_gaps: number;
    failed: number;
    partly: number;
    not_read: number;
    not_finished: number;
  };
  /** Complete users without a session in any run: perhaps the id is wrong. */
  readonly never_seen: string[];
  /** Never seen users of whom no earlier run has told. */
  readonly newly_never_seen: string[];
  /** Users whom the run before read, and whom the list of users has no more; only of a run with a list of all. */
  newly_left_out?: readonly string[];
  /**
   * Users with 140 sessions or more at the service, which keeps 150 and then forgets the oldest: all of the archive, of a run
   * of named users these, each once of several spellings. Absent where `vanished` is.
   */
  at_the_cap?: string[];
  /** Why the list of users cannot be right; only of a run with a list of all, and only where it is doubtful. */
  doubtful_list?: string | undefined;
  /**
   * Users of whom the archive has sessions, and the service lists none any more. Absent of a run that did not come to the
   * end of its users, or whose list of them is doubtful: what an earlier run has told still holds.
   */
  vanished?: string[];
  /** Vanished users of whom the service listed sessions before this run. */
  readonly newly_vanished: string[];
  readonly sessions: {
    listed: number;
    /** Sessions of which the archive had nothing, under whatever spelling of the user; what it had of another spelling is changed. */
    new: number;
    changed: number;
    unchanged: number;
    failed: number;
  };
  /** Archived ones that the service no longer has, of which no earlier run could tell; absent where there are none. */
  newly_gone_sessions?: number;
  /** So many of the new ones were erased from the archive before, as their ids show: exports skip them no more, and the service still had them. Absent where there are none. */
  erased_before?: number;
  /** So many others of the new ones, at most, were erased since their users were listed last, if the service still had them: of these no id is known. Absent where there are none. */
  maybe_erased_before?: number;
  /** Users and sessions that were skipped (`erase --suppress`), users in every spelling. Absent where there are none. */
  suppressed?: {
    readonly users: number;
    readonly sessions: number;
    /** So many of the users have something on hold, under whatever spelling: nothing new of it is archived. Absent of none. */
    readonly users_on_hold?: number;
  };
  /** Sessions that two users list; their rows are archived for both, each with the user who was asked for. */
  shared_sessions: readonly SharedSessions[];
  /** What of sessions that two spellings of a user list is only under the one for which they do not count. Absent of nothing. */
  only_other_spelling?: { readonly questions: number; readonly files: number };
  /** `archived`: versions of jobs that this run committed, as the log counts them: a withdrawal is one; `unchanged`: jobs of sessions in which nothing was new. */
  readonly jobs: { archived: number; unchanged: number };
  /** By table. */
  readonly rows: Record<string, number>;
  /** By status, those that are not archived: each that this run met, also where an earlier run has asked for it. */
  readonly artifacts: Record<Exclude<ArtifactStatus, 'stored'>, number> & {
    /** Files new to the archive. */
    stored: number;
    /** Blocks whose file this run had already stored. */
    reused: number;
    /** Blocks whose file is stored, with doubtful content. */
    suspicious: number;
    bytes: number;
  };
  /** Doubtful files that the archive has of the users, whichever run has stored them; absent of a run that reads a part. */
  suspicious_files?: number;
  /** Lists and histories that the budget has left: no gaps of the run, and of the archive until the next one reads on; absent of a run that reads a part. */
  left_gaps?: number;
  /** `left`: for the next run, by a budget or `--max-delete`. */
  readonly deletions: { deleted: number; refused: number; left: number; held: number };
  /** `--max-delete`, where that leaves something for the next run; absent otherwise. */
  max_delete?: number;
  requests: { api: number; files: number; retries: number; rate_limited: number };
  /** By how much this machine's clock is ahead of the service's (negative: behind); null where no answer had a `Date`. */
  clock_gap_ms: number | null;
  /** Texts in which a lone surrogate became U+FFFD; `raw_jobs` keeps the original. */
  altered_texts: number;
  readonly gaps: Gap[];
  /** Only of a run with a budget. */
  budget?: BudgetSummary | undefined;
  duration_ms: number;
}

/** What a checkpoint counts before it is committed, and then adds to the run. */
type WorkCounts = Pick<ExportSummary, 'jobs' | 'rows' | 'artifacts' | 'altered_texts'>;

/** The counts of a run that has read nobody yet. */
export function usersNotFinished(total: number): ExportSummary['users'] {
  return {
    ...{ total, complete: 0, incomplete_by_decision: 0, with_gaps: 0, failed: 0 },
    ...{ partly: 0, not_read: 0, not_finished: total },
  };
}

export function noSessions(): ExportSummary['sessions'] {
  return { listed: 0, new: 0, changed: 0, unchanged: 0, failed: 0 };
}

export function noWork(): WorkCounts {
  return {
    jobs: { archived: 0, unchanged: 0 },
    rows: {},
    artifacts: {
      stored: 0,
      reused: 0,
      suspicious: 0,
      expired: 0,
      forbidden: 0,
      missing: 0,
      rejected: 0,
      unresolved: 0,
      failed: 0,
      not_fetched: 0,
      bytes: 0,
    },
    altered_texts: 0,
  };
}

export function emptySummary(archive: string, run: string): ExportSummary {
  const { altered_texts, ...work } = noWork();
  return {
    status: 'complete',
    archive,
    run,
    commits: [],
    users: usersNotFinished(0),
    never_seen: [],
    newly_never_seen: [],
    vanished: [],
    newly_vanished: [],
    shared_sessions: [],
    sessions: noSessions(),
    ...work,
    deletions: { deleted: 0, refused: 0, left: 0, held: 0 },
    requests: { api: 0, files: 0, retries: 0, rate_limited: 0 },
    clock_gap_ms: null,
    altered_texts,
    gaps: [],
    duration_ms: 0,
  };
}

/** Whether anything is missing from the archive without a decision; a lap that takes too long counts as well, and a doubtful list of users: whom it has lost nobody has read. */
export function hasGaps({ gaps, budget, doubtful_list: doubt }: ExportSummary): boolean {
  return (
    doubt !== undefined ||
    gaps.some(({ accepted }) => accepted !== true) ||
    budget?.overdue === true
  );
}

/** How a run that reached its end has ended, as its summary has it so far. */
export function statusAtEnd(summary: ExportSummary): ExportStatus {
  return runWord({
    isAllRead: Object.values(leftIn(summary)).every((left) => left === 0),
    hasGaps: hasGaps(summary),
    hasDecided: summary.users.incomplete_by_decision > 0,
  });
}

/** Whether the run came to the end of a list of users that can be right: who is at the cap, or has vanished, only such a run knows. */
export function hasListedAll({
  doubtful_list: doubt,
  users,
}: Pick<ExportSummary, 'doubtful_list' | 'users'>): boolean {
  // a budget may leave some every night: of them nothing newer is known
  return doubt === undefined && users.not_finished === 0;
}

/** What its budget has left for later runs. */
export function leftIn({
  budget,
  part,
  users,
}: Pick<ExportSummary, 'budget' | 'part' | 'users'>): LeftByBudget {
  if (!budget) return {};
  const { left, datasets_left: areDatasetsLeft } = budget;
  // sessions that were read under another spelling are not left
  const isReadElsewhere =
    part === undefined && left.users + left.sessions === 0 && users.partly > 0;
  return {
    ...left,
    ...(isReadElsewhere && { spellings: users.partly }),
    ...(areDatasetsLeft === true && { datasets: 1 }),
  };
}

/** Who had something erased believes that it is erased; null where nothing may be back. */
export function erasedBeforeText({
  erased_before: back = 0,
  maybe_erased_before: maybe = 0,
}: ExportSummary): string | null {
  const [is, it, its] = [
    agreeing(back, 'is', 'are'),
    agreeing(back, 'it', 'them'),
    agreeing(back, 'its', 'their'),
  ];
  const them = agreeing(maybe, 'it', 'them');
  const told = clauses(
    '; ',
    back > 0 &&
      `${counted(back, 'conversation')} that had been erased ${is} archived again: the service still had ${it}, and exports skip ${it} no more (erase --unsuppress, or a hold on ${its} user)`,
    maybe > 0 &&
      `${counted(maybe, 'new conversation')} may be ${agreeing(maybe, 'one that was', 'some that were')} erased (receipts do not say which): if the service still had ${them}, delete ${them} there or exclude the user (--exclude-user), and erase ${them} again`,
  );
  return told || null;
}

/** The requests or the time that a run has, and the maximum staleness that it keeps. */
export interface RunBudget {
  /** Counts what is spent and left; every request of the run passes through it. */
  readonly requests: RequestBudget;
  /** The longest time that a lap may take. */
  readonly maxStalenessMs: number;
}

/** The budget's part of the summary: what was spent, and what is left for later runs. */
export interface BudgetSummary {
  readonly max_requests: number | null;
  readonly max_duration_ms: number | null;
  readonly max_staleness_ms: number;
  /** Requests that counted against the budget. */
  requests: number;
  /** Sessions that were checked. */
  checked: number;
  /** How many users who were known were listed, with the requests for that and for sessions that come first. */
  listed: number;
  first: number;
  /** Left for later runs: users who were not listed, and listed sessions that were not checked. */
  readonly left: { users: number; sessions: number };
  /** The lap that is under way at the end; null of a run that has no part in one. */
  lap: { readonly number: number; readonly began_at: string } | null;
  /** Whether that has been under way for longer than `maxStaleness`. */
  overdue: boolean;
  /** Only with `--with-datasets`: datasets are left for later runs. */
  datasets_left?: boolean;
}

export function emptyBudgetSummary({ requests, maxStalenessMs }: RunBudget): BudgetSummary {
  const { maxRequests, maxDurationMs } = requests.options;
  return {
    max_requests: maxRequests ?? null,
    max_duration_ms: maxDurationMs ?? null,
    max_staleness_ms: maxStalenessMs,
    requests: 0,
    checked: 0,
    listed: 0,
    first: 0,
    left: { users: 0, sessions: 0 },
    lap: null,
    overdue: false,
  };
}
