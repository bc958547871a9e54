/**
 * Deletes one session: writes the intent, runs the final check, sends one DELETE and reads the outcome. A DELETE
 * is never repeated without another final check: a question asked meanwhile is not archived.
 */
import type { Archive } from '../archive/archive.js';
import { formatDuration } from '../base/units.js';
import { messageOf } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import type { RunId } from '../model/ids.js';
import { NotFoundError, ServiceError } from '../service/service-errors.js';
import {
  BudgetSpentError,
  type RequestBudget,
  type ReservedRequest,
} from '../service/pace/request-budget.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import type { DeletionOutcome } from './deletion-log.js';
import { aheadMs } from './clock-refusal.js';
import { finalCheck, type FinalCheck, type FinalCheckTools } from './final-check.js';
import type { Intent, Intents } from './intents.js';
import { refusal, type PruneRefusal } from './refusal.js';
import type { ServiceView } from './service-view.js';

export type DeletionResult =
  | { readonly outcome: DeletionOutcome; readonly intent: Intent }
  | {
      readonly refusal: PruneRefusal;
      /** A DELETE was sent that may have been carried out, or may still be. */
      readonly mayHaveHappened: boolean;
      /** The failure that the service answered with, if any. */
      readonly error: unknown;
    };

export interface DeletionTools {
  readonly runId: RunId;
  readonly view: ServiceView;
  readonly intents: Intents;
  /** The budget of all requests of the run. Default: nothing limits them. */
  readonly budget?: RequestBudget | undefined;
  readonly archive: Archive;
  /** Ends the waiting between two attempts. A DELETE that was sent is followed to its end. */
  readonly signal: AbortSignal;
  /** Told of every DELETE: milliseconds since the last page of the history was asked for. */
  readonly onMoment: (ms: number) => void;
}

/** The most between the request for the end of the history and the DELETE. After more the final check is repeated. */
const MAX_CHECK_TO_DELETE_MS = 10_000;
/** Final checks of one session, whatever their results. */
const MOST_CHECKS = 10;

/**
 * @throws {StorageError} the intent cannot be written: nothing was sent
 * @throws {BudgetSpentError} no DELETE was sent that may have been carried out
 * @throws what the final check throws, before anything was sent
 */
export async function deleteSession(
  tools: DeletionTools,
  archived: ArchivedSession,
  checkTools: Omit<FinalCheckTools, 'view'>,
): Promise<DeletionResult> {
  const { budget, view, intents } = tools;
  // an outcome that is not read leaves its intent to the next run
  const confirmationReserve = budget?.reserve();
  try {
    budget?.assertAllows(attemptRequests(view.pagesOf(archived.state.jobs.size)));
    const intent = await intents.write(tools.runId, archived);
    const deletion = new DeletionAttempt(
      tools,
      archived,
      { ...checkTools, view },
      confirmationReserve,
    );
    try {
      return await deletion.run(intent);
    } catch (error) {
      if (!deletion.mayHaveHappened) await intents.remove(intent);
      throw error;
    }
  } finally {
    confirmationReserve?.cancel();
  }
}

/** Requests of the history, of the session and the DELETE. */
function attemptRequests(pages: number): number {
  return pages + 2;
}

/** Requests that a session of so many jobs needs, from the final check to the reading of the outcome. */
export function deletionRequests(view: ServiceView, jobs: number): number {
  return attemptRequests(view.pagesOf(jobs)) + 1;
}

type Step =
  'deleted' | 'check again' | { readonly refusal: PruneRefusal } | { readonly error: unknown };

class DeletionAttempt {
  /** Whether a DELETE may have been carried out, or may still be. */
  mayHaveHappened = false;
  /** Whether bytes of a DELETE may have gone. */
  #isSent = false;
  /** Pages of the history, as the newest final check found it. */
  #pages: number;
  /** Requests beside those of an attempt: where a cache answers for the session, it is asked for once more. */
  #spare = 0;
  /** Wall clock less the monotonic one, when the newest final check began. */
  #aheadMs = 0;

  constructor(
    readonly tools: DeletionTools,
    readonly archived: ArchivedSession,
    readonly checkTools: FinalCheckTools,
    readonly confirmationReserve: ReservedRequest | undefined,
  ) {
    this.#pages = tools.view.pagesOf(archived.state.jobs.size);
  }

  async run(intent: Intent): Promise<DeletionResult> {
    const end = await this.#attempts();
    if (typeof end === 'object' && 'refusal' in end) return this.#refused(intent, end.refusal);
    const failure = end === 'deleted' ? undefined : end.error;
    if (!this.#isSent && !(failure instanceof NotFoundError)) {
      return this.#refused(intent, refusal('service', textOf(failure)), failure);
    }
    return this.#end(intent, failure);
  }

  /** As many attempts as the client's retry rules allow, each after its own final check. */
  async #attempts(): Promise<Exclude<Step, 'check again'>> {
    const { view, archive, signal, budget } = this.tools;
    const { clock } = archive;
    let [failures, waitedMs] = [0, 0];
    let failed: { readonly error: unknown } | undefined;
    for (let checks = 1; checks <= MOST_CHECKS; checks++) {
      const step = await this.#attempt();
      if (step === 'check again') continue;
      if (step === 'deleted' || 'refusal' in step) return step;
      if (step.error instanceof BudgetSpentError) {
        if (failed) return failed;
        throw step.error;
      }
      failed = step;
      const waitMs = view.service.waitAfter(step.error, { attempts: ++failures, waitedMs });
      if (waitMs === undefined || signal.aborted) return step;
      waitedMs += waitMs;
      try {
        budget?.assertAllows(attemptRequests(this.#pages), waitMs);
        await clock.sleep(waitMs, signal);
      } catch {
        return step;
      }
    }
    const most = formatDuration(MAX_CHECK_TO_DELETE_MS);
    const detail = `after ${MOST_CHECKS} final checks none was followed by a DELETE within ${most}: the service is too slow, or the history keeps changing`;
    return { refusal: refusal('service', detail) };
  }

  async #attempt(): Promise<Step> {
    const { view, signal, budget } = this.tools;
    signal.throwIfAborted();
    const requests = attemptRequests(this.#pages) + this.#spare;
    this.#aheadMs = aheadMs(this.tools.archive.clock);
    const together = view.service.together(requests);
    try {
      budget?.assertAllows(requests);
      const check = await finalCheck(this.checkTools, together, this.archived, this.#pages);
      if (check.refusal) return { refusal: check.refusal };
      if (together.remaining === 0 && check.pages <= this.#pages) this.#spare = 1;
      this.#pages = check.pages;
      if (together.remaining === 0 || signal.aborted || this.#isTooLate(check))
        return 'check again';
      budget?.assertAllows(0); // the time may be over by now
      await this.#send(together, check);
      return 'deleted';
    } catch (error) {
      if (error instanceof ServiceError || error instanceof BudgetSpentError) return { error };
      throw error;
    } finally {
      await together.close();
    }
  }

  async #send(
    together: ReturnType<ServiceView['service']['together']>,
    check: FinalCheck,
  ): Promise<void> {
    const { user, session } = this.archived;
    // both when there is a connection: the moment ends when the request is written
    const isTooLate = (): boolean => this.#isTooLate(check);
    const onRequestStart = (): void => {
      this.#isSent = true;
      const momentMs = this.#momentOf(check);
      this.tools.onMoment(momentMs);
      this.tools.archive.logger.debug({ user, session, momentMs }, 'deleting');
    };
    const request = { userId: user, sessionId: session, isTooLate, onRequestStart };
    try {
      await together.deleteSession(request);
    } catch (error) {
      this.mayHaveHappened ||= !(error instanceof ServiceError) || error.mayHaveHappened;
      this.#isSent ||= this.mayHaveHappened;
      throw error;
    }
    this.mayHaveHappened = true;
    this.#isSent = true;
  }

  #isTooLate(check: FinalCheck): boolean {
    return this.#momentOf(check) > MAX_CHECK_TO_DELETE_MS;
  }

  /** By the slower of the two clocks: the monotonic one stands still while the machine sleeps. */
  #momentOf({ lastPageAskedAtMs }: FinalCheck): number {
    const { clock } = this.tools.archive;
    const sleptMs = Math.max(0, aheadMs(clock) - this.#aheadMs);
    return clock.monotonic() - lastPageAskedAtMs + sleptMs;
  }

  /** Reads the outcome from the service, whatever the DELETE was answered. */
  async #end(intent: Intent, failure: unknown): Promise<DeletionResult> {
    let isGone: boolean;
    this.confirmationReserve?.use();
    try {
      isGone = await this.tools.view.isGone(this.archived);
    } catch (error) {
      const detail = `whether it is gone could not be read (${textOf(error)}): the next prune finds out`;
      const { mayHaveHappened } = this;
      return { refusal: refusal('unconfirmed', detail), mayHaveHappened, error };
    }
    if (isGone) {
      const isOurs = this.mayHaveHappened;
      const { user, session } = this.archived;
      if (isOurs) this.tools.archive.logger.info({ user, session }, 'deletion confirmed');
      return { outcome: isOurs ? 'confirmed' : 'already-gone', intent };
    }
    const outcome = failure === undefined ? 'the service says done' : textOf(failure);
    const detail = this.#isSent
      ? `it is still there after the DELETE (${outcome})`
      : `it was not found, and yet it can be read (${outcome})`;
    return this.#refused(intent, refusal('still-there', detail), failure);
  }

  /** A DELETE whose answer was lost may still be under way: then the intent stays for the next run. */
  async #refused(intent: Intent, why: PruneRefusal, error?: unknown): Promise<DeletionResult> {
    const { mayHaveHappened } = this;
    if (!mayHaveHappened) await this.tools.intents.remove(intent);
    return { refusal: why, mayHaveHappened, error };
  }
}

function textOf(error: unknown): string {
  return redactText(messageOf(error));
}
