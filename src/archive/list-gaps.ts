/** Every gap of the sessions in the log, and whether somebody accepts it. */
import { sessionKey } from '../model/ids.js';
import type { Archive } from './archive.js';
import type { AcceptedGap } from './log/accepted-gaps.js';
import type { GapEntry, SessionEntry } from './log/commit.js';

export interface ListedGap extends GapEntry, Pick<SessionEntry, 'user' | 'session'> {
  /** Null if nobody accepts it. */
  readonly accepted: Pick<AcceptedGap, 'reason' | 'by' | 'at' | 'commit'> | null;
}

/** Reads the log once; memory holds the sessions with gaps. @throws {IntegrityError} */
export async function listGaps({ index }: Archive, signal: AbortSignal): Promise<ListedGap[]> {
  const sessions = new Map<string, Pick<SessionEntry, 'user' | 'session' | 'gaps'>>();
  await index.refresh();
  for (const { user, sessions: known } of index.snapshot?.users.values() ?? []) {
    for (const [session, { summary }] of known) {
      const { gaps } = summary;
      if (gaps.length > 0) sessions.set(sessionKey(user, session), { user, session, gaps });
    }
  }
  const { walkFrom: from, through } = index;
  for await (const commit of index.walk({ from, through, signal })) {
    for (const entry of commit.sessions) {
      const key = sessionKey(entry.user, entry.session);
      if (entry.gaps.length > 0) sessions.set(key, entry);
      else sessions.delete(key);
    }
  }
  return [...sessions.values()].flatMap(({ user, session, gaps }) =>
    gaps.map((gap) => ({
      user,
      session,
      ...gap,
      accepted: index.acceptedGaps.of(user, session, gap) ?? null,
    })),
  );
}
