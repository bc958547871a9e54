/** What of a session a copy for a request has. */
import type { ViewedSession } from '../../archive/reading/archive-view.js';
import type { Selection } from '../../archive/reading/selection.js';
import type { SessionState } from '../../archive/state/user-state.js';
import type { UserId } from '../../model/ids.js';

/** A session with the jobs that are in scope alone, and their gaps; of what is redacted, no hash is of its text, and no file is doubtful. */
export function partOf(
  { session, state, gaps }: ViewedSession,
  user: UserId,
  selection: Selection,
): SessionState {
  const { decisions } = selection;
  const inScope = (jobs: SessionState['jobs']): SessionState['jobs'] => {
    const chosen = [...jobs].filter(([job]) => selection.hasJob(user, session, job));
    return new Map(
      chosen.map(([job, jobState]) => {
        const isShown = decisions.ofJob(session, job) === undefined;
        // the log wants a hash of each; a redacted question has no rows of files
        return [job, isShown ? jobState : { ...jobState, hash: job, suspicious: 0 }];
      }),
    );
  };
  const [jobs, withdrawn] = [inScope(state.jobs), inScope(state.withdrawn)];
  const metaHash = decisions.hidesName(session) ? '' : state.metaHash;
  return { ...state, metaHash, jobs, withdrawn, gaps: [...gaps] };
}
