/** The states in which an answer may be, and their words. Pages use it, too. */

/**
 * One word for one state, whatever tells it. `incomplete`: something is missing, and a run or a decision can still end
 * that or a doubt; `incomplete-by-decision`: something is missing, and somebody has decided on all that is missing or in
 * doubt; `not-proven`: nothing is known to be missing, and something is in doubt; `complete`: neither.
 */
export type Completeness = 'incomplete' | 'incomplete-by-decision' | 'not-proven' | 'complete';

export const COMPLETENESS_WORDS: Readonly<Record<Completeness, string>> = {
  incomplete: 'not complete',
  'incomplete-by-decision': 'not complete, by decision',
  'not-proven': 'not proven complete',
  complete: 'complete',
};
