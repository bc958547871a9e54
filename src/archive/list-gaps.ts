/** Every gap of the users and sessions in the log, and whether somebody accepts it. */
import type { Archive } from './archive.js';
import type { AcceptedGap } from './log/accepted-gaps.js';
import type { GapEntry, SessionEntry } from './log/commit.js';
import { ArchiveView } from './reading/archive-view.js';
import { EVERYBODY } from './reading/scope.js';

export interface ListedGap extends GapEntry, Pick<SessionEntry, 'user'> {
  /** Null if the sessions of the user could not all be listed. */
  readonly session: SessionEntry['session'] | null;
  /** Null if nobody accepts it. */
  readonly accepted: Pick<AcceptedGap, 'reason' | 'by' | 'at' | 'commit'> | null;
}

/** Those that `status` counts, in the order in which users came into the log. @throws {IntegrityError} */
export async function listGaps(archive: Archive, signal: AbortSignal): Promise<ListedGap[]> {
  const view = await ArchiveView.of(archive, EVERYBODY, { signal });
  const found: ListedGap[] = [];
  for await (const { user, sessions, listingGap } of view.summaries()) {
    if (listingGap) found.push({ user, session: null, ...NO_PLACE, ...listingGap, accepted: null });
    for (const { session, gaps } of sessions) {
      for (const gap of gaps) {
        const accepted = archive.index.acceptedGaps.of(user, session, gap) ?? null;
        found.push({ user, session, ...gap, accepted });
      }
    }
  }
  return found;
}

const NO_PLACE = { job: null, role: null, block_index: null, file_index: null, kind: null };
