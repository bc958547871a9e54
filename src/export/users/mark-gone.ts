/** Marks archived sessions that the service no longer lists as gone; they stay in the archive. */
import { asSessionId } from '../../model/ids.js';
import { isNarrowed, type ExportRun } from '../export-run.js';
import { type SessionListing } from './session-listing.js';
import type { SessionState, UserState } from '../../archive/state/user-state.js';
import { sessionEntryOf } from '../../archive/state/apply-commit.js';
import { isLive } from '../../archive/state/archived-session.js';
import { isUnread, sessionGaps } from '../../archive/reading/doubts.js';

export function marksGone(
  settings: ExportRun['settings'],
  { gap }: Pick<SessionListing, 'gap'>,
): boolean {
  return !isNarrowed(settings) && !settings.retryGaps && !gap;
}

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
  if (!marksGone(settings, listing)) return 0;
  const { user } = state;
  const untold = [...state.sessions].filter(([id, { deleted, goneAt }]) => {
    const before = told.state.sessions.get(id);
    return before !== undefined && isLive(before) && goneAt !== null && !deleted;
  }).length;
  const gone = [...state.sessions].filter(([id]) => listing.gone.includes(asSessionId(id)));
  if (gone.length === 0) return untold;
  const goneAt = new Date(clock.now()).toISOString();
  for (const [id, known] of gone) {
    await checkpointer.addSessionEntry(
      sessionEntryOf(user, id, { ...known, goneAt, gaps: gapsOfGone(known) }),
    );
  }
  logger.info(
    { user, sessions: gone.length },
    'sessions are no longer listed by the service; the archive keeps them',
  );
  return gone.length + untold;
}

/** A history that was not read to its end is left to a later run; of a session that is gone it is a gap, which somebody can accept. */
export function gapsOfGone(known: Pick<SessionState, 'complete' | 'gaps'>): SessionState['gaps'] {
  const reason = 'it is no longer at the service, and its history was not read to the end';
  return sessionGaps(known).map((gap) => (isUnread(gap) ? { ...gap, reason } : gap));
}
