/** Users who are spellings of one that is named. */
import { visibleLine } from '../../../base/text/visible.js';
import { toldApart } from '../../../archive/reading/caveats/told-apart.js';
import type { EraseSummary } from '../../../rewrite/erasure/erase-options.js';
import type { Counted, OtherSpelling } from '../../../archive/reading/users/listed-again.js';
import { agreeing, counted } from '../../../base/text/counted.js';

type CountedJobs = Counted<{ readonly jobs: number }>;

/** How many questions a conversation has, where it counts: `3 questions`. */
export function questionsText({
  jobs,
  counts_for: countsFor,
  only_here: only,
}: CountedJobs): string {
  if (countsFor === null) return counted(jobs, 'question');
  const more = only === 0 ? '' : `, with ${counted(only, 'question')} that only this one has`;
  return `the same one under another spelling${more}`;
}

/** What goes with these though no count of questions has it; null of nothing. */
export function onlyElsewhereText(
  sessions: readonly CountedJobs[],
  status: EraseSummary['status'],
): string | null {
  const only = sessions.reduce((sum, session) => sum + session.only_here, 0);
  if (only === 0) return null;
  const [it, they] = only === 1 ? ['it', 'it'] : ['them', 'they'];
  const go = status === 'erased' ? 'went' : agreeing(only, 'goes', 'go');
  return `${counted(only, 'question')} that only another spelling of the user has: no count has ${it}, and ${they} ${go}, too`;
}

/**
 * `user Ana: another spelling of a user named here; if it is the same person, name it as well with --user`; null of nobody.
 *
 * @param next what to do then
 */
export function spellingsText(others: readonly OtherSpelling[], next: string): string | null {
  const clauses = [true, false].flatMap((isKnown) => {
    const some = others.filter(({ is_same: isSame }) => isSame === isKnown);
    if (some.length === 0) return [];
    const [what, same] = some.length === 1 ? ['user', 'it is'] : ['users', 'they are'];
    const named = some.map(({ user }) => visibleLine(toldApart(user))).join(', ');
    const then = isKnown
      ? `${same} the same person, because both list the same conversations: ${next}`
      : `if ${same} the same person, ${next}`;
    return [`${what} ${named}: another spelling of a user named here; ${then}`];
  });
  return clauses.length === 0 ? null : clauses.join('; ');
}
