/** Counts what a run has committed, and how it ended. */
import type { UserEntry } from '../archive/log/commit.js';
import { type ListedAgain, uncountedIn } from '../archive/reading/users/listed-again.js';
import { SessionOwners } from '../archive/histories/session-owners.js';
import type { Clock } from '../base/runtime.js';
import type { FailureKind } from '../base/error.js';
import { sessionKey, type UserId } from '../model/ids.js';
import { foldedUser, keyOfAnySpelling } from '../model/user-spelling.js';
import type { CheckpointTally, SessionWork } from './checkpoint/checkpoint-tally.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { RequestBudget } from '../service/pace/request-budget.js';
import type { ServiceClient } from '../service/service-client.js';
import { addCounts, groupBy } from '../base/group-by.js';
import { emptySummary, statusAtEnd, type ExportSummary, type RunPart } from './export-summary.js';
import { failureBehindGap, filesNotArchived, type Gap } from './jobs/gap.js';
import type { UserOutcome } from './users/user-outcome.js';
import type { FinishedSession } from './export-observer.js';

interface UnfinishedUser {
  listed: number;
  /** Outcomes by session; uncommitted ones are in `open`. */
  readonly committed: Map<string, FinishedSession>;
  readonly open: Map<string, FinishedSession>;
}

/** Counts the committed work on unfinished users, for a run that ends early. */
export class UnfinishedUsers {
  readonly #users = new Map<string, UnfinishedUser>();

  /** The user begins, perhaps again: then uncommitted work was discarded. */
  started(user: string): void {
    this.#unfinished(user).open.clear();
  }

  listed(user: string, sessions: number): void {
    this.#unfinished(user).listed = sessions;
  }

  finishedSession(user: string, session: string, outcome: FinishedSession): void {
    this.#unfinished(user).open.set(session, outcome);
  }

  /** Everything that was finished so far is committed. */
  committed(): void {
    for (const { committed, open } of this.#users.values()) {
      for (const [session, outcome] of open) {
        // a session that was read again after a conflict counts once, as this run's
        const wasWritten = committed.has(session) && outcome.kind === 'unchanged';
        if (!wasWritten) committed.set(session, outcome);
      }
      open.clear();
    }
  }

  /** The user is finished and counted elsewhere. Returns the outcomes of the sessions. */
  finished(user: string): ReadonlyMap<string, FinishedSession> {
    const { committed, open } = this.#unfinished(user);
    this.#users.delete(user);
    return new Map([...committed, ...open]);
  }

  addTo({ sessions, gaps }: ExportSummary): void {
    for (const { listed, committed } of this.#users.values()) {
      sessions.listed += listed;
      for (const { kind, gaps: found } of committed.values()) {
        sessions[kind]++;
        gaps.push(...found);
      }
    }
  }

  #unfinished(user: string): UnfinishedUser {
    const known = this.#users.get(user);
    if (known) return known;
    const fresh = { listed: 0, committed: new Map(), open: new Map() };
    this.#users.set(user, fresh);
    return fresh;
  }
}

export interface ExportResult {
  readonly summary: ExportSummary;
  /** The error that ended the run early; undefined if all users were processed. */
  readonly error: unknown;
  /** The kinds of failure behind the gaps. */
  readonly failures: ReadonlySet<FailureKind>;
  /** What is left of the run's budget: a `prune` that is given it keeps within it. Undefined without a budget. */
  readonly budget?: RequestBudget | undefined;
}

export interface RunTallyOptions {
  readonly location: string;
  readonly run: string;
  readonly shard: string | undefined;
  readonly part: RunPart | undefined;
  /** Users that are known when the run begins. */
  readonly users: number;
  /** Commits that the run has made so far. */
  readonly commits: readonly number[];
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly clock: Clock;
  /** Whether the run or the archive knows the user under another spelling, too. Default: nobody. */
  readonly hasOtherSpelling?: (user: UserId) => boolean;
}

/** A user whose sessions may count for another spelling. */
interface SpelledUser {
  state: keyof ExportSummary['users'];
  readonly isReadWhole: boolean;
  readonly sessions: ReadonlyMap<string, FinishedSession>;
  /** Sessions that the budget has left unchecked. */
  readonly left: Set<string>;
}

export class RunTally {
  readonly summary: ExportSummary;
  readonly unfinished = new UnfinishedUsers();
  readonly owners = new SessionOwners();
  readonly #failures = new Set<FailureKind>();
  /** Users. */
  readonly #byDecision = new Set<string>();
  readonly #spelled = new Map<string, SpelledUser>();
  /** What the run has committed of their sessions. */
  readonly #spelledWork: SessionWork[] = [];
  /** A suppression is of a session, whoever lists it: each counts once, as in its receipt. */
  readonly #skippedSessions = new Set<string>();
  readonly #backSessions = new Set<string>();
  /** By what the spellings of a user have in common. */
  readonly #maybeBack = new Map<
    string,
    { readonly atMost: number; readonly sessions: Set<string> }
  >();
  readonly #startedAt: number;
  readonly #options: RunTallyOptions;

  constructor(options: RunTallyOptions) {
    this.#options = options;

    const { location, run, shard, part, users, commits, clock } = options;
    this.summary = {
      ...emptySummary(location, run),
      ...(shard === undefined ? {} : { shard }),
      ...(part === undefined ? {} : { part }),
    };
    this.summary.commits.push(...commits);
    this.summary.users.total = users;
    this.#startedAt = clock.monotonic();
  }

  /** Counts a user's outcome once it is committed. */
  add(outcome: UserOutcome): void {
    const { entry, gaps, errors, unchangedJobs, isNeverSeen, isNewlyNeverSeen } = outcome;
    const { users, sessions, jobs } = this.summary;
    jobs.unchanged += unchangedJobs;
    if (isNeverSeen) this.summary.never_seen.push(entry.user);
    if (isNewlyNeverSeen === true) this.summary.newly_never_seen.push(entry.user);
    if (outcome.vanished !== undefined) (this.summary.vanished ??= []).push(entry.user);
    if (outcome.vanished === 'newly') this.summary.newly_vanished.push(entry.user);
    const finished = this.unfinished.finished(entry.user);
    if (entry.by_decision === true) this.#byDecision.add(entry.user);
    const state = this.#stateOf(entry);
    users[state]++;
    if (this.#hasOtherSpelling(entry.user)) {
      const isReadWhole = entry.error === null && finished.size === entry.listed;
      const left = new Set(outcome.postponed);
      this.#spelled.set(entry.user, { state, isReadWhole, sessions: finished, left });
    }
    addCounts(sessions, { listed: entry.listed, ...entry.sessions });
    const { gone = 0 } = outcome;
    const { newly_gone_sessions: goneBefore = 0 } = this.summary;
    if (gone > 0) this.summary.newly_gone_sessions = goneBefore + gone;
    const { erasedBefore = [], maybeErasedBefore } = outcome;
    for (const session of erasedBefore) this.#backSessions.add(session);
    if (this.#backSessions.size > 0) this.summary.erased_before = this.#backSessions.size;
    if (maybeErasedBefore) this.#maybeErasedBefore(entry.user, maybeErasedBefore);
    this.#skipped(outcome.skipped ?? []);
    this.addGaps(gaps, errors);
  }

  /** A session that two spellings of a user list counts once. */
  #maybeErasedBefore(
    user: UserId,
    { atMost, sessions }: NonNullable<UserOutcome['maybeErasedBefore']>,
  ): void {
    if (atMost === 0 || sessions.length === 0) return;
    const person = foldedUser(user);
    const known = this.#maybeBack.get(person) ?? { atMost: 0, sessions: new Set<string>() };
    for (const session of sessions) known.sessions.add(session);
    this.#maybeBack.set(person, { atMost: known.atMost + atMost, sessions: known.sessions });
    this.summary.maybe_erased_before = [...this.#maybeBack.values()].reduce(
      (sum, one) => sum + Math.min(one.atMost, one.sessions.size),
      0,
    );
  }

  /** Counts what a checkpoint has committed. */
  addWork(work: CheckpointTally): void {
    work.addTo(this.summary);
    for (const ofSession of work.ofSessions) {
      if (this.#hasOtherSpelling(ofSession.user)) this.#spelledWork.push(ofSession);
    }
  }

  #hasOtherSpelling(user: UserId): boolean {
    return this.#options.hasOtherSpelling?.(user) ?? false;
  }

  /** Whether a session may be counted under two spellings of its user. */
  get hasSpellings(): boolean {
    return this.#spelled.size > 0;
  }

  /**
   * Counts a session once that several spellings of its user list, with its jobs, files and gaps, if the run has read
   * those. Called when all work is committed.
   */
  countOnce(listedAgain: readonly ListedAgain[]): void {
    const twice = new Map(
      listedAgain
        .filter(({ user, countsFor }) => this.#spelled.has(user) && this.#spelled.has(countsFor))
        .map((again) => [sessionKey(again.user, again.session), again]),
    );
    const only = uncountedIn([...twice.values()]);
    if (only.questions + only.files > 0) this.summary.only_other_spelling = only;
    const { sessions, jobs, artifacts, gaps, users } = this.summary;
    for (const [key, again] of twice) if (this.#isLeftOnce(again)) twice.delete(key);
    for (const { user, session } of twice.values()) {
      const outcome = this.#spelled.get(user)?.sessions.get(session);
      if (!outcome) continue;
      const { kind, unchanged } = outcome;
      sessions.listed--;
      sessions[kind]--;
      jobs.unchanged -= unchanged;
    }
    this.#knownOfAnother(listedAgain, (key) => !twice.has(key));
    for (const { user, session, jobs: archived, files, marked } of this.#spelledWork) {
      if (!twice.has(sessionKey(user, session))) continue;
      jobs.archived -= archived;
      artifacts.suspicious -= marked;
      for (const { status, isSuspicious } of files) {
        // the bytes of a file are stored once, whoever asked for it first
        const counted = status === 'stored' ? 'reused' : status;
        artifacts[counted] = Math.max(0, artifacts[counted] - 1);
        if (isSuspicious) artifacts.suspicious--;
      }
    }
    const once = gaps.filter(
      ({ user, session }) => session === null || !twice.has(sessionKey(user, session)),
    );
    gaps.splice(0, Infinity, ...once);
    for (const user of new Set([...twice.values()].map((again) => again.user))) {
      const spelled = this.#spelled.get(user);
      if (spelled?.state !== 'with_gaps' || gaps.some((gap) => gap.user === user)) continue;
      // what it lacks counts for the other spelling
      users.with_gaps--;
      users[spelled.isReadWhole && this.summary.part !== 'sessions' ? 'complete' : 'partly']++;
    }
  }

  /**
   * Counts a session once that the budget has left under one of two spellings, or both.
   *
   * @returns whether it counts as the other spelling has it, for which it does not count otherwise
   */
  #isLeftOnce({ user, countsFor, session }: ListedAgain): boolean {
    const { sessions, budget } = this.summary;
    const [own, other] = [this.#spelled.get(user), this.#spelled.get(countsFor)];
    const isLeft = own?.left.delete(session) === true;
    if (!isLeft && other?.left.delete(session) !== true) return false;
    sessions.listed--;
    if (budget) budget.left.sessions--;
    return !isLeft;
  }

  /** What the archive had of another spelling before the run is not new to it: it counts as changed. */
  #knownOfAnother(listedAgain: readonly ListedAgain[], isCounted: (key: string) => boolean): void {
    const listings = listedAgain.flatMap(({ user, session, countsFor }) =>
      [user, countsFor].map((spelling) => {
        const kind = this.#spelled.get(spelling)?.sessions.get(session)?.kind;
        const ofAny = keyOfAnySpelling(spelling, session);
        return { key: sessionKey(spelling, session), ofAny, kind };
      }),
    );
    const wasKnown = ({ kind }: (typeof listings)[number]) => kind !== 'new' && kind !== 'failed';
    const known = new Set(listings.filter(wasKnown).map(({ ofAny }) => ofAny));
    const isNew = ({ key, ofAny, kind }: (typeof listings)[number]) =>
      kind === 'new' && known.has(ofAny) && isCounted(key);
    const moved = new Set(listings.filter(isNew).map(({ key }) => key)).size;
    this.summary.sessions.new -= moved;
    this.summary.sessions.changed += moved;
  }

  #skipped(sessions: readonly string[]): void {
    const before = this.#skippedSessions.size;
    for (const session of sessions) this.#skippedSessions.add(session);
    this.suppressed({ users: 0, sessions: this.#skippedSessions.size - before });
  }

  /** Users and sessions were skipped, because they are suppressed. */
  suppressed({
    users,
    sessions,
    users_on_hold: held = 0,
  }: NonNullable<ExportSummary['suppressed']>): void {
    if (users + sessions === 0) return;
    const { suppressed = { users: 0, sessions: 0 } } = this.summary;
    const onHold = (suppressed.users_on_hold ?? 0) + held;
    this.summary.suppressed = {
      users: suppressed.users + users,
      sessions: suppressed.sessions + sessions,
      ...(onHold > 0 && { users_on_hold: onHold }),
    };
  }

  /** A user is in doubt after all. @param counted as the user was counted; undefined of one whom another run has read */
  doubted(gaps: readonly Gap[], counted: UserEntry | undefined): void {
    const { users } = this.summary;
    // whom the budget left is not finished, whatever is in doubt
    if (counted && gaps.length > 0 && counted.error === null && counted.left === undefined) {
      users[this.#stateOf(counted)]--;
      users.with_gaps++;
      const spelled = this.#spelled.get(counted.user);
      if (spelled) spelled.state = 'with_gaps';
    }
    this.addGaps(gaps, []);
  }

  #stateOf({ user, error, complete, gaps, left }: UserEntry): keyof ExportSummary['users'] {
    if (error !== null) return 'failed';
    if (left !== undefined) return 'partly';
    const isByDecision = this.#byDecision.has(user);
    if (!complete && !isByDecision && gaps > 0) return 'with_gaps';
    if (this.summary.part === 'sessions') return 'partly';
    return isByDecision ? 'incomplete_by_decision' : 'complete';
  }

  /** @param errors their causes */
  addGaps(gaps: readonly Gap[], errors: readonly unknown[]): void {
    this.summary.gaps.push(...gaps);
    errors.forEach((error) => this.#failures.add(failureBehindGap(error)));
  }

  /** Those that the run met count, whichever run asked for them first: it asks not again for each. */
  #countFilesNotArchived(): void {
    const { artifacts, gaps } = this.summary;
    for (const [status, met] of groupBy(filesNotArchived(gaps), (gap) => gap.status)) {
      if (isStatus(status, artifacts)) artifacts[status] = Math.max(artifacts[status], met.length);
    }
  }

  /** @param error the error that ended the run early */
  result(error: unknown, { isInterrupted }: { readonly isInterrupted: boolean }): ExportResult {
    const { service, fetcher, clock } = this.#options;
    const { summary } = this;
    const { users } = summary;
    const { total, complete, incomplete_by_decision: decided, with_gaps: withGaps } = users;
    const finished = complete + decided + withGaps + users.failed + users.partly + users.not_read;
    users.not_finished = total - finished;
    this.unfinished.addTo(summary);
    this.#countFilesNotArchived();
    summary.shared_sessions = this.owners.shared();
    summary.requests = {
      api: service.stats.requests,
      files: fetcher.stats.requests,
      retries: service.stats.retries + fetcher.stats.retries,
      rate_limited: service.stats.rateLimited,
    };
    summary.clock_gap_ms = service.clockGapMs;
    summary.duration_ms = Math.round(clock.monotonic() - this.#startedAt);
    if (isInterrupted) summary.status = 'interrupted';
    else if (error !== undefined || summary.doubtful_list !== undefined) summary.status = 'failed';
    else summary.status = statusAtEnd(summary);
    return { summary, error: isInterrupted ? undefined : error, failures: this.#failures };
  }
}

/** Whether files are counted by it: other gaps are of lists and histories. */
function isStatus<Counts extends object>(
  status: string,
  counts: Counts,
): status is string & keyof Counts {
  return status in counts;
}
