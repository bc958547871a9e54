/** Whether this machine's clock can be trusted with a deletion: jobs settle and rules count by it. */
import type { Clock } from '../base/runtime.js';
import { formatDuration } from '../base/units.js';
import { clockGapText, isClockConfirmed } from '../service/clock-gap.js';
import type { PruneRules } from './prune-rules.js';
import { refusal, type PruneRefusal } from './refusal.js';

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

/** The wall clock less the monotonic one: moves when the clock is set, and when the machine was asleep. */
export function aheadMs(clock: Clock): number {
  return clock.now() - clock.monotonic();
}
