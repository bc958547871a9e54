/** The spellings of a user: the service takes all of them for the one that it knows. */

/** The service's own. */
export function knownUser(user: string): string {
  return user.trim().toLowerCase();
}

/** The one that is not the service's own. */
export function otherSpelling(user: string): string {
  return user.toUpperCase();
}

/** A third one, which no run asks for. */
export function heldSpelling(user: string): string {
  return ` ${user.slice(0, 1).toUpperCase()}${user.slice(1)} `;
}

/** The key of a session's rows in a view of the archive: each spelling has rows of its own. */
export function rowsKey(user: string, session: string): string {
  return user === knownUser(user) ? session : `${session} of ${user}`;
}

export function sessionOf(key: string): string {
  return key.split(' of ')[0] ?? key;
}
