/** How a run that reads users has ended, in one word: its summary, its notices and what the log tells of it have the same. */

/**
 * `not_all_read`: an early end or a budget left something unread, and of that nobody knows what is missing; the gaps of the
 * rest are counted beside it, and decide the exit code. `gaps`: all was read, and something is missing or in doubt that
 * nobody has accepted. `incomplete-by-decision`: all that is missing or in doubt was accepted, or erased.
 */
export type RunWord = 'not_all_read' | 'gaps' | 'incomplete-by-decision' | 'complete';

interface RunFacts {
  readonly isAllRead: boolean;
  readonly hasGaps: boolean;
  /** Whether something is missing or in doubt on which somebody has decided. */
  readonly hasDecided: boolean;
}

export function runWord({ isAllRead, hasGaps, hasDecided }: RunFacts): RunWord {
  if (!isAllRead) return 'not_all_read';
  if (hasGaps) return 'gaps';
  return hasDecided ? 'incomplete-by-decision' : 'complete';
}
