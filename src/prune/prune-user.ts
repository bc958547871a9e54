/** Proves and deletes one user's sessions, one after the other; every check that fails is a refusal. */
import {
  type SessionState,
  type UserState,
  isLive,
  openDoubt,
  type ArchivedSession,
} from '../archive/state/user-state.js';
import type { Holds } from '../archive/holds.js';
import { erasuresUnderWay } from '../archive/erasures.js';
import { mayBeAtWork } from '../archive/runs/lease.js';
import type { ArchiveTask } from '../archive/archive.js';
import { asSessionId, asUserId, sessionKey, type RunId } from '../model/ids.js';
import type { ArchiveProof } from './archive-proof.js';
import type { ArchivedHistories } from './archived-histories.js';
import {
  clockRefusal,
  type ClockWatch,
  countOf,
  leftByBudget,
  refusal,
  type PruneRefusal,
  type PruneRules,
} from './prune-rules.js';
import { deleteSession, deletionRequests, type DeletionResult } from './delete-session.js';
import type { DeletionLog, DeletionOutcome } from './deletion-log.js';
import type { Intent, Intents } from './intents.js';
import type {
  FileCheck,
  ServiceView,
  ListedByService,
  ServiceFailureTracker,
} from './service-view.js';
import type { LogFacts, UserFacts } from '../archive/state/log-facts.js';
import { addSession, outcomeOf, type PruneSummary } from './prune-summary.js';
import { BudgetSpentError, type RequestBudget } from '../service/pace/request-budget.js';

export interface PruneTools extends ArchiveTask {
  readonly run: RunId;
  readonly rules: PruneRules;
  readonly facts: LogFacts;
  readonly proof: ArchiveProof;
  readonly histories: ArchivedHistories;
  readonly view: ServiceView;
  readonly files: FileCheck;
  readonly watch: ServiceFailureTracker;
  readonly intents: Intents;
  readonly deletions: DeletionLog;
  /** Of all requests of the run; undefined if nothing limits them. */
  readonly budget: RequestBudget | undefined;
  readonly summary: PruneSummary;
  /** Whether somebody named the sessions. */
  readonly isNamed: boolean;
  /** All that bind, as of the newest commit that the index knows. */
  readonly holds: () => Promise<Holds>;
}

export class UserPrune {
  #state: UserState;
  /** By `sessionKey`: sessions that have jobs of the one that is looked at, and were found to have jobs of their own now. */
  #cleared = new Set<string>();

  /**
   * @param listing what the service has just listed of the user, or why it could not be had
   * @param clockWatch made before the sessions were selected
   */
  constructor(
    readonly tools: PruneTools,
    readonly user: UserFacts,
    readonly listing: ListedByService | PruneRefusal,
    readonly clockWatch: ClockWatch,
  ) {
    this.#state = user.state;
  }

  /** Tells the summary; resolves with whether this run deleted the session, or may have. @throws what ends the run */
  readonly attempt = async (archived: ArchivedSession): Promise<boolean> => {
    this.tools.signal.throwIfAborted();
    try {
      return await this.#attempt(archived);
    } catch (error) {
      if (!(error instanceof BudgetSpentError)) throw error;
      return this.#refuse(archived, leftByBudget(error));
    }
  };

  /** @throws {BudgetSpentError} nothing was deleted */
  async #attempt(archived: ArchivedSession): Promise<boolean> {
    const { tools, listing } = this;
    if (!('reason' in listing) && this.#isNotListed(archived, listing)) {
      return this.#settleMissing(archived, listing);
    }
    const forbidden = 'reason' in listing ? listing : await this.#firstChecks(archived, listing);
    if (forbidden) return this.#refuse(archived, forbidden);
    let result = await this.#delete(archived);
    let mayHaveGone = 'refusal' in result && result.mayHaveHappened;
    if ('refusal' in result && result.refusal.reason === 'files') {
      // their bytes decide; comparing takes time, so another final check follows
      const doubt = await tools.watch.answerOr(tools.files.refusalOf(archived), 'service');
      if (doubt) {
        this.#refuse(archived, doubt);
        return mayHaveGone;
      }
      result = await this.#delete(archived);
      if ('refusal' in result) mayHaveGone ||= result.mayHaveHappened;
    }
    if ('refusal' in result) {
      this.#refuse(archived, result.refusal);
      if (result.error !== undefined) tools.watch.failed(result.error);
      return mayHaveGone;
    }
    tools.watch.answered();
    return this.#record(archived, result.outcome, result.intent);
  }

  async #delete(archived: ArchivedSession): Promise<DeletionResult> {
    const { tools, listing } = this;
    return deleteSession({ ...tools, onMoment: this.#tellMoment }, archived, {
      listed: 'reason' in listing ? undefined : listing.sessions.get(archived.session),
      conflictOf: this.#conflictOf,
    });
  }

  /** The slowest checks come first: nothing may lie between the final check and the DELETE. */
  async #firstChecks(
    archived: ArchivedSession,
    listing: ListedByService,
  ): Promise<PruneRefusal | undefined> {
    const { proof, view, budget, rules } = this.tools;
    if (listing.gap !== undefined) return refusal('unproven', listing.gap);
    const jobs = archived.state.jobs.size;
    budget?.assertAllows(deletionRequests(view, jobs));
    return (
      clockRefusal(view.service.clockGapMs, rules, { isEmpty: jobs === 0 }) ??
      this.clockWatch.refusal ??
      (await this.#misread(archived)) ??
      (await proof.refusalOf(archived))
    );
  }

  /** Jobs that another session has, too, may be that one's: then this one's own are archived nowhere. */
  async #misread(archived: ArchivedSession): Promise<PruneRefusal | undefined> {
    const { histories, view, watch, facts } = this.tools;
    if (archived.changed.commit > histories.through) {
      const detail =
        'it has changed since this run compared what is archived with the jobs of all other sessions: the next run looks again';
      return refusal('outdated', detail);
    }
    if (!histories.isCompared(archived)) {
      const detail = `there is no room to compare its jobs with those of all others: prune fewer users at a time (--user)`;
      return refusal('doubtful', detail);
    }
    this.#cleared = new Set();
    for (const other of histories.othersOf(archived)) {
      const { sessions } = await facts.archive.states.load(asUserId(other.user));
      const state = sessions.get(asSessionId(other.session));
      // one that is in doubt itself shows nothing
      const isShared =
        !isListed(state) ||
        openDoubt(state) !== undefined ||
        (await watch.answerOr(view.sharesJobs(archived, other, state), 'service'));
      if (typeof isShared === 'object') return isShared;
      if (!isShared) {
        this.#cleared.add(sessionKey(other.user, other.session));
        continue;
      }
      const detail = `it has jobs of session ${other.session}: one of the two was answered with the history of the other`;
      return refusal('doubtful', detail);
    }
    return undefined;
  }

  readonly #tellMoment = (ms: number): void => {
    const { summary } = this.tools;
    summary.longest_check_to_delete_ms = Math.max(
      summary.longest_check_to_delete_ms ?? 0,
      Math.round(ms),
    );
  };

  /**
   * Since the log was read, another run may have archived the session, or somebody may have put it on hold or
   * erased it. An erasure does not tell whose it was.
   */
  readonly #conflictOf = async ({
    user,
    session,
    state,
  }: ArchivedSession): Promise<PruneRefusal | undefined> => {
    const { archive } = this.tools;
    // before the log is read: an erasure takes its plan away only when the log tells of it
    const isErasing = await this.#isErasing();
    this.#state = await archive.states.update(this.#state);
    const { lastErasure, openErasures } = archive.index;
    if (isErasing || lastErasure > this.user.state.through || openErasures.size > 0) {
      return refusal('conflict', 'an erasure came in between: it is planned again next time');
    }
    const held = (await this.tools.holds()).reasonFor(user, session);
    if (held !== undefined) return refusal('hold', held);
    if (this.#state.sessions.get(session) !== state) {
      return refusal('conflict', 'another run has just archived it: it is planned again next time');
    }
    const { histories } = this.tools;
    await histories.compareNewer(archive);
    const newer = histories
      .othersOf({ user, session })
      .find((other) => !this.#cleared.has(sessionKey(other.user, other.session)));
    if (newer === undefined) return undefined;
    const detail = `another run has just archived session ${newer.session} with jobs of it: it is planned again next time`;
    return refusal('conflict', detail);
  };

  /** Our intent stands by now, so an erasure that is not seen here sees it and gives way (I-50 in FORMAT.md). */
  async #isErasing(): Promise<boolean> {
    const { archive } = this.tools;
    for (const run of await erasuresUnderWay(archive.storage)) {
      if (await mayBeAtWork(run, archive)) return true;
    }
    return false;
  }

  #isNotListed({ session }: ArchivedSession, { sessions, gap }: ListedByService): boolean {
    return gap === undefined && !sessions.has(session);
  }

  /** "Not found" counts only beside proof that this key sees what the archive holds of this user. */
  async #settleMissing(archived: ArchivedSession, { sessions }: ListedByService): Promise<boolean> {
    const { view, watch } = this.tools;
    const live = this.user.sessions.filter(({ state }) => isLive(state));
    if (!live.some(({ session }) => sessions.has(session))) {
      const held = countOf(live.length, 'session');
      const listed = sessions.size === 0 ? 'no session' : 'none of these sessions';
      const detail = `the archive holds ${held} of this user and the service lists ${listed}: nothing is deleted, for the API key may be that of another project`;
      return this.#refuse(archived, refusal('not-listed', detail));
    }
    const isGone = await watch.answerOr(view.isGone(archived), 'service');
    if (isGone === true) return this.#record(archived, 'already-gone', undefined);
    const detail = 'the service does not list it, and yet it can be read';
    return this.#refuse(archived, isGone === false ? refusal('not-listed', detail) : isGone);
  }

  async #record(
    archived: ArchivedSession,
    outcome: DeletionOutcome,
    intent: Intent | undefined,
  ): Promise<boolean> {
    const { user, session, changed, state } = archived;
    const isOurs = outcome !== 'already-gone';
    const detail = 'it was already gone from the service, and is recorded as that';
    const name = this.nameOf(archived);
    const why = isOurs ? { name } : { name, detail };
    addSession(this.tools.summary, archived, isOurs ? 'deleted' : 'gone', why);
    const jobCount = state.jobs.size;
    await this.tools.deletions.add({
      user,
      session,
      commit: changed.commit,
      jobCount,
      outcome,
      intent,
    });
    return isOurs;
  }

  #refuse(archived: ArchivedSession, forbidden: PruneRefusal): false {
    const name = this.nameOf(archived);
    const outcome = outcomeOf(forbidden, this.tools);
    addSession(this.tools.summary, archived, outcome, { refusal: forbidden, name });
    return false;
  }

  readonly nameOf = ({ session }: Pick<ArchivedSession, 'session'>): string | null => {
    const { listing } = this;
    const name = 'reason' in listing ? undefined : listing.sessions.get(session)?.value.name;
    return typeof name === 'string' ? name : null;
  };
}

function isListed(state: SessionState | undefined): state is SessionState {
  return state !== undefined && isLive(state);
}
