/** Marks archived sessions that the service no longer lists as gone; they stay in the archive. */
import { sessionEntryOf } from '../../archive/log/replay.js';
import type { UserState } from '../../archive/state/user-state.js';
import { isNarrowed, type ExportRun } from '../export-run.js';
import type { SessionListing } from '../users/session-listing.js';

/** Only a listing that is proven complete and covers all sessions can show that a session is missing. */
export async function markGone(
  run: ExportRun,
  state: UserState,
  listing: SessionListing,
): Promise<void> {
  const { settings, checkpointer, clock, logger } = run;
  if (isNarrowed(settings) || settings.retryGaps || listing.gap) return;
  const listed = new Set<string>(listing.sessions.map(({ value }) => value.id));
  const gone = [...state.sessions].filter(
    ([id, { deleted, goneAt }]) => !listed.has(id) && !deleted && goneAt === null,
  );
  if (gone.length === 0) return;
  const { user } = state;
  // the key of another project would list none of these sessions
  if (![...state.sessions.keys()].some((id) => listed.has(id))) {
    logger.warn(
      { user, archived: gone.length },
      'the service lists none of the archived sessions of this user; no session is marked as gone; check that the API key belongs to the same project',
    );
    return;
  }
  const goneAt = new Date(clock.now()).toISOString();
  for (const [id, known] of gone) {
    await checkpointer.addSessionEntry(sessionEntryOf(user, id, { ...known, goneAt }));
  }
  logger.info(
    { user, sessions: gone.length },
    'sessions are no longer listed by the service; the archive keeps them',
  );
}
