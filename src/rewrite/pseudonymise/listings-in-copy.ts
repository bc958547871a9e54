/** What a pseudonymised copy has of the listing of a user. */
import type { UserEntry } from '../../archive/log/commit.js';
import type { ViewedUser } from '../../archive/reading/archive-view.js';

/** Whether it is certain which sessions of the user's listing were erased since: none, or as many as are missing. */
export function isListingWhole({ erasure }: ViewedUser): boolean {
  return (erasure?.atMost ?? 0) === 0;
}

/** A copy of a part has what is listed: it says itself that it is a part, and what was erased. */
export function listingOfPart(entry: UserEntry, sessions: number): UserEntry {
  const total = entry.total_items === null ? null : sessions;
  const part: { -readonly [Key in keyof UserEntry]: UserEntry[Key] } = {
    ...entry,
    listed: sessions,
    total_items: total,
  };
  delete part.erased;
  return part;
}

/** As the next export would list the user: sessions that are certainly erased are counted apart. */
export function afterErasures(entry: UserEntry, { erasure }: ViewedUser): UserEntry {
  const erased = erasure?.missing ?? 0;
  const since = erased - (entry.erased ?? 0);
  return since <= 0 ? entry : { ...withoutSessions(entry, since), erased };
}

/** A listing without sessions that are in the copy under another spelling of the user. */
export function withoutSessions(entry: UserEntry, sessions: number): UserEntry {
  if (sessions === 0) return entry;
  const { listed, total_items: total } = entry;
  return {
    ...entry,
    listed: Math.max(0, listed - sessions),
    total_items: total === null ? null : Math.max(0, total - sessions),
  };
}
