/** How many users and conversations something is about. */
import { clauses } from '../base/text/clauses.js';
import { counted } from '../base/text/counted.js';

/** `1 user and 2 conversations`; those of which there are none are not told. */
export function usersAndConversations({
  users,
  sessions,
}: {
  readonly users: number;
  readonly sessions: number;
}): string {
  return clauses(
    ' and ',
    users > 0 && counted(users, 'user'),
    sessions > 0 && counted(sessions, 'conversation'),
  );
}
