/**
 * The log's part of the final check: what others have committed since a user's sessions were selected. Another run may
 * have archived the session, or somebody may have put it on hold or erased it.
 */
import type { Archive } from '../archive/archive.js';
import { erasuresUnderWay } from '../archive/erasing/erasures.js';
import type { Holds } from '../archive/holds/holds.js';
import { mayBeAtWork } from '../archive/runs/lease.js';
import type { UserState } from '../archive/state/user-state.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import type { ComparedSessions } from './compared-sessions.js';
import { refusal, type PruneRefusal } from './refusal.js';

export interface LogConflictTools {
  readonly archive: Archive;
  readonly compared: ComparedSessions;
  /** All that bind, as of the newest commit that the index knows. */
  readonly holds: () => Promise<Holds>;
}

export class LogConflicts {
  readonly #selectedThrough: number;
  #state: UserState;

  /** @param state of the user, as the sessions were selected by it */
  constructor(
    readonly tools: LogConflictTools,
    state: UserState,
  ) {
    this.#state = state;
    this.#selectedThrough = state.through;
  }

  async conflictOf({ user, session, state }: ArchivedSession): Promise<PruneRefusal | undefined> {
    const { archive, compared, holds } = this.tools;
    // before the log is read: an erasure takes its plan away only when the log tells of it
    const isErasing = await this.#isErasing();
    await archive.log.assertStands();
    this.#state = await archive.states.update(this.#state);
    const { lastErasure, openErasures } = archive.index;
    // an erasure does not tell whose it was
    if (isErasing || lastErasure > this.#selectedThrough || openErasures.size > 0) {
      return refusal('conflict', 'an erasure came in between: it is planned again next time');
    }
    const held = (await holds()).reasonFor(user, session);
    if (held !== undefined) return refusal('hold', held);
    if (this.#state.sessions.get(session) !== state) {
      return refusal('conflict', 'another run has just archived it: it is planned again next time');
    }
    await compared.compareNewer(archive);
    const [newer] = compared.othersOf({ user, session });
    if (newer === undefined) return undefined;
    const detail = `another run has just archived session ${newer.session} with jobs of it: it is planned again next time`;
    return refusal('conflict', detail);
  }

  /** Our intent stands by now, so an erasure that is not seen here sees it and gives way (I-50 in FORMAT.md). */
  async #isErasing(): Promise<boolean> {
    const { archive } = this.tools;
    for (const run of await erasuresUnderWay(archive.storage)) {
      if (await mayBeAtWork(run, archive)) return true;
    }
    return false;
  }
}
