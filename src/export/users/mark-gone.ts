/** Marks archived sessions that the service no longer lists as gone; they stay in the archive. */
import { asSessionId } from '../../model/ids.js';
import { isNarrowed, type ExportRun } from '../export-run.js';
import { type SessionListing } from './session-listing.js';
import { type UserState } from '../../archive/state/user-state.js';
import { sessionEntryOf } from '../../archive/state/apply-commit.js';
import { isLive } from '../../archive/state/archived-session.js';

/**
 * Only a listing that is proven complete, is the project's and covers all sessions can show that a session is missing.
 *
 * @param known.told the user as of the newest run that could tell somebody
 * @returns how many are gone of which nobody was told: those that are marked, and what a run has marked that died
 */
export async function markGone(
  run: ExportRun,
  { state, told }: { readonly state: UserState; readonly told: { readonly state: UserState } },
  listing: SessionListing,
): Promise<number> {
  const { settings, checkpointer } = run;
  const { clock, logger } = run.archive;
  if (isNarrowed(settings) || settings.retryGaps || listing.gap) return 0;
  const { user } = state;
  const untold = [...state.sessions].filter(([id, { deleted, goneAt }]) => {
    const before = told.state.sessions.get(id);
    return before !== undefined && isLive(before) && goneAt !== null && !deleted;
  }).length;
  const gone = [...state.sessions].filter(([id]) => listing.gone.includes(asSessionId(id)));
  if (gone.length === 0) return untold;
  const goneAt = new Date(clock.now()).toISOString();
  for (const [id, known] of gone) {
    await checkpointer.addSessionEntry(sessionEntryOf(user, id, { ...known, goneAt }));
  }
  logger.info(
    { user, sessions: gone.length },
    'sessions are no longer listed by the service; the archive keeps them',
  );
  return gone.length + untold;
}
