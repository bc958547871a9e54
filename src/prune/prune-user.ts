/** Proves and deletes one user's sessions, one after the other; every check that fails is a refusal. */
import { isLive, type ArchivedSession } from '../archive/state/archived-session.js';
import { type Holds, samePersonText } from '../archive/holds/holds.js';
import type { ArchiveTask } from '../archive/archive.js';
import { sessionKey, type RunId } from '../model/ids.js';
import type { ArchiveProof } from './proof/archive-proof.js';
import type { ComparedSessions } from './compared-sessions.js';
import { clockRefusal, type ClockWatch } from './clock-refusal.js';
import type { PruneRules } from './prune-rules.js';
import { leftByBudget, refusal, type PruneRefusal } from './refusal.js';
import { counted } from '../base/text/counted.js';
import { deleteSession, deletionRequests, type DeletionResult } from './delete-session.js';
import type { DeletionLog, DeletionOutcome } from './deletion-log.js';
import type { Intent, Intents } from './intents.js';
import { LogConflicts } from './log-conflicts.js';
import type { FileCheck } from './file-check.js';
import type { LogFacts, UserFacts } from '../archive/state/log-facts.js';
import { addSession, outcomeOf, type PruneSummary } from './prune-summary.js';
import { BudgetSpentError, type RequestBudget } from '../service/pace/request-budget.js';
import type { AnswerOrRefusal, ServiceFailureTracker } from './service-failure-tracker.js';
import type { ServiceView, ListedByService } from './service-view.js';

export interface PruneTools extends ArchiveTask {
  readonly runId: RunId;
  readonly rules: PruneRules;
  readonly facts: LogFacts;
  readonly proof: ArchiveProof;
  readonly compared: ComparedSessions;
  readonly view: ServiceView;
  readonly files: FileCheck;
  readonly watch: ServiceFailureTracker;
  readonly intents: Intents;
  readonly deletions: DeletionLog;
  /** The budget of all requests of the run; undefined if nothing limits them. */
  readonly budget: RequestBudget | undefined;
  readonly summary: PruneSummary;
  /** Names that the plan has shown, by `sessionKey`: the service is not asked about a user with nothing to delete. */
  readonly shownNames: ReadonlyMap<string, string>;
  /** See `SelectedAttempts`. */
  readonly isNamed: boolean;
  /** All that bind, as of the newest commit that the index knows. */
  readonly holds: () => Promise<Holds>;
}

export class UserPrune {
  readonly #conflicts: LogConflicts;

  /**
   * @param listing what the service has just listed of the user, or why it could not be had
   * @param clockWatch made before the sessions were selected
   */
  constructor(
    readonly tools: PruneTools,
    readonly user: UserFacts,
    readonly listing: AnswerOrRefusal<ListedByService>,
    readonly clockWatch: ClockWatch,
  ) {
    this.#conflicts = new LogConflicts(tools, user.state);
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
    if (!listing.ok) return this.#refuse(archived, listing.refusal);
    if (this.#isNotListed(archived, listing.value)) {
      return this.#settleMissing(archived, listing.value);
    }
    const forbidden = await this.#firstChecks(archived, listing.value);
    if (forbidden) return this.#refuse(archived, forbidden);
    let result = await this.#delete(archived, listing.value);
    let mayHaveGone = 'refusal' in result && result.mayHaveHappened;
    if ('refusal' in result && result.refusal.reason === 'files') {
      // their bytes decide; comparing takes time, so another final check follows
      const compared = await tools.watch.answerOr(tools.files.refusalOf(archived), 'service');
      const doubt = compared.ok ? compared.value : compared.refusal;
      if (doubt) {
        this.#refuse(archived, doubt);
        return mayHaveGone;
      }
      result = await this.#delete(archived, listing.value);
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

  async #delete(archived: ArchivedSession, { sessions }: ListedByService): Promise<DeletionResult> {
    return deleteSession({ ...this.tools, onMoment: this.#tellMoment }, archived, {
      listed: sessions.get(archived.session),
      conflictOf: (candidate) => this.#conflicts.conflictOf(candidate),
    });
  }

  /** The slowest checks come first: nothing may lie between the final check and the DELETE. */
  async #firstChecks(
    archived: ArchivedSession,
    listing: ListedByService,
  ): Promise<PruneRefusal | undefined> {
    const { proof, view, budget, rules, compared, facts } = this.tools;
    if (listing.gap !== undefined) return refusal('unproven', listing.gap);
    const held = (await this.tools.holds()).heldUserAmong(listing.sessions.keys());
    if (held !== undefined) return refusal('hold', samePersonText(held));
    const jobs = archived.state.jobs.size;
    budget?.assertAllows(deletionRequests(view, jobs));
    return (
      clockRefusal(view.service.clockGapMs, rules, { isEmpty: jobs === 0 }) ??
      this.clockWatch.refusal ??
      (await compared.whyMisread(archived, facts.archive.states)) ??
      (await this.#cutShort(archived)) ??
      (await proof.refusalOf(archived))
    );
  }

  async #cutShort(archived: ArchivedSession): Promise<PruneRefusal | undefined> {
    const { view, watch } = this.tools;
    const change = await watch.answerOr(view.cutShort(archived), 'service');
    return change.ok ? change.value : change.refusal;
  }

  readonly #tellMoment = (ms: number): void => {
    const { summary } = this.tools;
    summary.longest_check_to_delete_ms = Math.max(
      summary.longest_check_to_delete_ms ?? 0,
      Math.round(ms),
    );
  };

  #isNotListed({ session }: ArchivedSession, { sessions, gap }: ListedByService): boolean {
    return gap === undefined && !sessions.has(session);
  }

  /** "Not found" counts only beside proof that this key sees what the archive holds of this user. */
  async #settleMissing(archived: ArchivedSession, { sessions }: ListedByService): Promise<boolean> {
    const { view, watch } = this.tools;
    const live = this.user.sessions.filter(({ state }) => isLive(state));
    if (!live.some(({ session }) => sessions.has(session))) {
      const held = counted(live.length, 'session');
      const listed = sessions.size === 0 ? 'no session' : 'none of these sessions';
      const detail = `the archive holds ${held} of this user and the service lists ${listed}: nothing is deleted, for the API key may be that of another project`;
      return this.#refuse(archived, refusal('not-listed', detail));
    }
    const isGone = await watch.answerOr(view.isGone(archived), 'service');
    if (!isGone.ok) return this.#refuse(archived, isGone.refusal);
    if (isGone.value) return this.#record(archived, 'already-gone', undefined);
    const detail = 'the service does not list it, and yet it can be read';
    return this.#refuse(archived, refusal('not-listed', detail));
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

  readonly nameOf = ({ user, session }: ArchivedSession): string | null => {
    const { listing } = this;
    const name = listing.ok ? listing.value.sessions.get(session)?.value.name : undefined;
    if (typeof name === 'string') return name;
    return this.tools.shownNames.get(sessionKey(user, session)) ?? null;
  };
}
