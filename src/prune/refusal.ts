/** Why a session that a rule selects may not go: a word for programs, a sentence for people. */
import type { BudgetSpentError } from '../service/pace/request-budget.js';
import type { Clock } from '../base/runtime.js';
import { formatDuration } from '../base/units.js';
import { isClockConfirmed } from '../service/clock-gap.js';
import type { PruneRules } from './prune-rules.js';

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
  | 'max-delete'
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
  // nothing is known against it
  | 'budget'
  // what came of the deletion
  | 'conflict'
  | 'still-there'
  | 'unconfirmed';

export function refusal(reason: RefusalReason, detail: string): PruneRefusal {
  return { reason, detail };
}

/** What another run can do: nothing speaks against it. */
export function leftByBudget({ message }: BudgetSpentError): PruneRefusal {
  return refusal('budget', `${message}: the next run goes on`);
}

/** `1 job`, `2 jobs`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Whether this machine's clock can be trusted with a deletion: jobs settle and rules count by it. */

/**
 * @param gapMs as the service client has it; null where no answer had a `Date`
 * @param isEmpty the session has no job: it must have been so for a day
 */
export function clockRefusal(
  gapMs: number | null,
  { olderThanMs, trustThisClock }: Pick<PruneRules, 'olderThanMs' | 'trustThisClock'>,
  { isEmpty }: { readonly isEmpty: boolean },
): PruneRefusal | undefined {
  if (isClockConfirmed(gapMs)) return undefined;
  if (gapMs === null) {
    if (trustThisClock || (olderThanMs === undefined && !isEmpty)) return undefined;
    const what = isEmpty ? 'no session without a job' : 'nothing';
    const how = isEmpty ? '' : ' by age';
    const detail = `the service's answers have no Date, so nothing shows that this machine's clock is right: ${what} is deleted${how}, unless --trust-this-clock is given`;
    return refusal('clock', detail);
  }
  const direction = gapMs < 0 ? 'behind' : 'ahead of';
  const detail = `this machine's clock is ${formatDuration(Math.abs(gapMs))} ${direction} the service's: set it before anything is deleted by it`;
  return refusal('clock', detail);
}

/** Notices that the clock was set since this was made: a session was selected by another time than is compared now. */
export class ClockWatch {
  readonly #aheadMs: number;

  constructor(readonly clock: Clock) {
    this.#aheadMs = aheadMs(clock);
  }

  get refusal(): PruneRefusal | undefined {
    const movedMs = aheadMs(this.clock) - this.#aheadMs;
    if (isClockConfirmed(movedMs)) return undefined;
    const direction = movedMs < 0 ? 'back' : 'forward';
    const detail = `this machine's clock was set ${direction} by ${formatDuration(Math.abs(movedMs))} since the session was selected: run it again`;
    return refusal('clock', detail);
  }
}

function aheadMs(clock: Clock): number {
  return clock.now() - clock.monotonic();
}
