/** The deletions that runs have left open, run by run. */
import type { deletionsLeftOpen } from '../archive/open-deletions.js';
import type { ViewedUser } from '../archive/reading/archive-view.js';
import type { SessionSummary } from '../archive/state/session-summary.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';

/** The deletions that the log does not have, each once, whichever spellings list its session. */
export class LeftOpen {
  readonly #sessions = new Map<string, Set<string>>();

  constructor(readonly open: Awaited<ReturnType<typeof deletionsLeftOpen>>) {}

  add({ user, sessions }: ViewedUser<SessionSummary>): void {
    if (this.open.size === 0) return;
    for (const { session, state } of sessions) {
      if (state.deleted) continue; // only the tidying up is missing
      const key = keyOfAnySpelling(user, session);
      for (const run of this.open.get(key) ?? []) {
        const ofRun = this.#sessions.get(run) ?? new Set();
        this.#sessions.set(run, ofRun.add(key));
      }
    }
  }

  byRun(): { readonly run: string; readonly sessions: number }[] {
    return [...this.#sessions]
      .map(([run, { size }]) => ({ run, sessions: size }))
      .sort((a, b) => (a.run < b.run ? -1 : 1));
  }
}
