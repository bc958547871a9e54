/** Users who list the same conversations. */
import type { SharedSessions } from '../../../archive/histories/session-owners.js';
import { counted } from '../../../base/text/counted.js';
import { visibleLine } from '../../../base/text/visible.js';

/** How many pairs of users are named. */
const NAMED_PAIRS = 3;

/** `2 conversations of ana and Ana: two spellings of one user`; null if there are none. */
export function sharedSessionsText(shared: readonly SharedSessions[]): string | null {
  if (shared.length === 0) return null;
  const named = shared.slice(0, NAMED_PAIRS).map(({ users, sessions, spellings }) => {
    const [first, second] = users.map(visibleLine);
    const what = spellings ? 'two spellings of one user' : 'two users';
    return `${counted(sessions, 'conversation')} of ${first} and ${second}: ${what}`;
  });
  const more = shared.length - NAMED_PAIRS;
  return [...named, ...(more > 0 ? [`and ${counted(more, 'more pair')} of users`] : [])].join('; ');
}
