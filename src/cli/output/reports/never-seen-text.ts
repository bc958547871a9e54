/** Says whose sessions were never listed. A wrong user id gives an empty list, too: the line asks to check the id. */
import { visibleLine } from '../visible.js';

/** Users who are named: a company may have many. */
const NAMED_USERS = 5;

/** `no session yet of adda, bod; is the id right?`; null for nobody. */
export function neverSeenText(users: readonly string[]): string | null {
  if (users.length === 0) return null;
  const named = users.slice(0, NAMED_USERS).map(visibleLine).join(', ');
  const more = users.length > NAMED_USERS ? ` and ${users.length - NAMED_USERS} more` : '';
  return `no session yet of ${named}${more}; is the id right?`;
}
