/** Counts what a run has committed of users whom it has not finished, for a run that ends before its time. */
import type { ExportObserver, FinishedSession } from './export-observer.js';
import type { ExportSummary } from './export-summary.js';

interface UnfinishedUser {
  listed: number;
  /** By session; those that no commit holds yet stand in `open`. */
  readonly committed: Map<string, FinishedSession>;
  readonly open: Map<string, FinishedSession>;
}

export class UnfinishedUsers {
  readonly #users = new Map<string, UnfinishedUser>();

  /** Passes all events to the observer, and counts them. */
  observing(observer: ExportObserver): ExportObserver {
    return {
      userStarted: (user) => {
        // what was not committed has been thrown away
        this.#of(user).open.clear();
        observer.userStarted?.(user);
      },
      sessionsListed: (user, count) => {
        this.#of(user).listed = count;
        observer.sessionsListed?.(user, count);
      },
      sessionFinished: (user, session, outcome) => {
        this.#of(user).open.set(session, outcome);
        observer.sessionFinished?.(user, session, outcome);
      },
      jobArchived: (user, session) => observer.jobArchived?.(user, session),
      userFinished: (user) => observer.userFinished?.(user),
      committed: (commit) => observer.committed?.(commit),
    };
  }

  /** A commit holds all that was finished so far. */
  committed(): void {
    for (const { committed, open } of this.#users.values()) {
      for (const [session, outcome] of open) {
        // read again after another run came in between, it is what this run has made of it
        const wasWritten = committed.has(session) && outcome.kind === 'unchanged';
        if (!wasWritten) committed.set(session, outcome);
      }
      open.clear();
    }
  }

  /** The user is counted as a whole. */
  finished(user: string): void {
    this.#users.delete(user);
  }

  addTo({ sessions, gaps }: ExportSummary): void {
    for (const { listed, committed } of this.#users.values()) {
      sessions.listed += listed;
      for (const { kind, gaps: found } of committed.values()) {
        sessions[kind]++;
        gaps.push(...found);
      }
    }
  }

  #of(user: string): UnfinishedUser {
    const known = this.#users.get(user);
    if (known) return known;
    const fresh = { listed: 0, committed: new Map(), open: new Map() };
    this.#users.set(user, fresh);
    return fresh;
  }
}
