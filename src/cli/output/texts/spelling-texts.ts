/** Users who are spellings of one that is named. */
import { visibleLine } from '../../../base/text/visible.js';
import { toldApart } from '../../../archive/reading/caveats/told-apart.js';
import type { OtherSpelling } from '../../../archive/reading/users/listed-again.js';

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

/** Whom what is made is not about, and what to do. @param request its name; null of none */
export function notInIt(others: readonly OtherSpelling[], request: string | null): string | null {
  const next =
    request === null ? 'name it as well with --user' : 'record another request that names both';
  return spellingsText(others, next);
}
