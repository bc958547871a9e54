/** Why a session stays, and why something that a rule selects may not go. */
import type { BudgetSpentError } from '../service/pace/request-budget.js';

/** A word for programs, a sentence for people. */
export interface PruneRefusal {
  readonly reason: RefusalReason;
  readonly detail: string;
}

export type RefusalReason =
  // what the log says
  | 'incomplete'
  | 'unsettled'
  | 'gap'
  | 'suspicious'
  | 'hold'
  | 'not-selected'
  | 'outdated'
  | 'export'
  // what reading the archive back shows
  | 'damaged'
  | 'rows'
  // what the service says
  | 'clock'
  | 'not-listed'
  | 'unproven'
  | 'files'
  | 'grown'
  | 'changed'
  | 'doubtful'
  | 'vanished'
  | 'service'
  // nothing is known against it: a limit leaves it for the next run
  | 'budget'
  | 'max-delete'
  // what came of the deletion
  | 'conflict'
  | 'still-there'
  | 'unconfirmed';

export function refusal(reason: RefusalReason, detail: string): PruneRefusal {
  return { reason, detail };
}

/** Limits that somebody has set: what they leave another run can do, and nothing speaks against it. */
const LIMITS: readonly RefusalReason[] = ['budget', 'max-delete'];

export function isLeft({ reason }: PruneRefusal): boolean {
  return LIMITS.includes(reason);
}

export function leftByBudget({ message }: BudgetSpentError): PruneRefusal {
  return refusal('budget', `${message}: the next run goes on`);
}
