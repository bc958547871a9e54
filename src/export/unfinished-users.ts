/** Counts the committed work on unfinished users, for a run that ends early. */
import type { ExportObserver, FinishedSession } from './export-observer.js';
import type { ExportSummary } from './export-summary.js';

interface UnfinishedUser {
  listed: number;
  /** Outcomes by session; uncommitted ones are in `open`. */
  readonly committed: Map<string, FinishedSession>;
  readonly open: Map<string, FinishedSession>;
}

export class UnfinishedUsers {
  readonly #users = new Map<string, UnfinishedUser>();

  /** Passes all events on to the observer, and counts them. */
  observing(observer: ExportObserver): ExportObserver {
    return {
      userStarted: (user) => {
        // uncommitted work was discarded
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

  /** Everything that was finished so far is committed. */
  committed(): void {
    for (const { committed, open } of this.#users.values()) {
      for (const [session, outcome] of open) {
        // a session that was read again after a conflict counts once, as this run's
        const wasWritten = committed.has(session) && outcome.kind === 'unchanged';
        if (!wasWritten) committed.set(session, outcome);
      }
      open.clear();
    }
  }

  /** The user is finished and counted elsewhere. */
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
