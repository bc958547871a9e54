/** Turns failures of the service into refusals, and ends the run when the service no longer answers. */
import { JobvaultError, messageOf, type FailureKind } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { BudgetSpentError } from '../service/pace/request-budget.js';
import { leftByBudget, refusal, type PruneRefusal, type RefusalReason } from './refusal.js';

/** The run ends after so many failures in a row to reach the service. */
const MOST_FAILURES = 5;

export type AnswerOrRefusal<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: PruneRefusal };

export class ServiceFailureTracker {
  /** Kinds of the failures that became refusals. */
  readonly failures = new Set<FailureKind>();
  #inARow = 0;

  constructor(readonly signal: AbortSignal) {}

  /** @throws what ends the run, an abort included */
  async answerOr<T>(asking: Promise<T>, reason: RefusalReason): Promise<AnswerOrRefusal<T>> {
    try {
      const value = await asking;
      this.answered();
      return { ok: true, value };
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof BudgetSpentError) return { ok: false, refusal: leftByBudget(error) };
      this.failed(error);
      return { ok: false, refusal: refusal(reason, redactText(messageOf(error))) };
    }
  }

  answered(): void {
    this.#inARow = 0;
  }

  /** @throws the error, where the run cannot go on after it */
  failed(error: unknown): void {
    if (error instanceof BudgetSpentError) return; // the service did not fail
    if (!(error instanceof JobvaultError) || error.disposition === 'fatal') throw error;
    if (error.failure !== 'unreachable') return;
    this.failures.add(error.failure);
    if (++this.#inARow >= MOST_FAILURES) throw error;
  }
}
