/** Which sessions are to go, as the caller says it, and why one that a rule selects may not. */
import { Holds } from '../archive/holds.js';
import type { BudgetSpentError } from '../service/pace/request-budget.js';
import type { Clock } from '../base/runtime.js';
import { formatDuration } from '../base/units.js';
import { clockGapText, isClockConfirmed } from '../service/clock-gap.js';

export interface PruneRules {
  /** Every session that may go; narrows nothing. */
  readonly all: boolean;
  /** Only sessions in which nothing has happened for so long: see `archive/state/session-summary.ts`. */
  readonly olderThanMs?: number | undefined;
  /** Of each user, so many of the newest stay; those that cannot be told apart all stay. */
  readonly keep?: number | undefined;
  /** Only as many of a user's sessions, oldest change first, as leave this many free under the cap. */
  readonly freeSlots?: number | undefined;
  /** Only these users; all when empty. */
  readonly users: readonly string[];
  /** Only these sessions; all when empty. */
  readonly sessions: readonly string[];
  /** What stays, whatever the other rules say. */
  readonly holds: Holds;
  /** Whether a hold may match nothing in the archive. */
  readonly allowUnknownHolds: boolean;
  /** Kinds of files that a session may point to without their being fetched. */
  readonly acceptUnfetched: ReadonlySet<string>;
  /** Whether sessions may go that have files whose content is doubtful. */
  readonly acceptSuspicious: boolean;
  /** Whether this machine's clock counts where the service's answers have no `Date` to check it with. */
  readonly trustThisClock: boolean;
  /** Deletions of one run. */
  readonly maxDelete: number;
}

const PRUNE_DEFAULTS = { maxDelete: 1000 } as const;

/** Rules with what is not said filled in. */
export function pruneRules(said: Partial<PruneRules>): PruneRules {
  return {
    all: false,
    users: [],
    sessions: [],
    holds: Holds.none,
    allowUnknownHolds: false,
    acceptUnfetched: new Set<string>(),
    acceptSuspicious: false,
    trustThisClock: false,
    maxDelete: PRUNE_DEFAULTS.maxDelete,
    ...said,
  };
}

/** Whether something is said that chooses sessions: without it nothing is deleted. */
export function choosesSessions(rules: PruneRules): boolean {
  const { all, olderThanMs, keep, freeSlots, sessions } = rules;
  const limits = [olderThanMs, keep, freeSlots];
  return all || sessions.length > 0 || limits.some((limit) => limit !== undefined);
}

/** Why a session that a rule selects may not go: a word for programs, a sentence for people. */
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
  const detail = `this machine's clock is ${clockGapText(gapMs)}: set it before anything is deleted by it`;
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
