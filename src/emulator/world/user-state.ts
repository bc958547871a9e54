/** One user of one project, with the sessions in order of creation. */
import type { SessionState } from './session-state.js';

export class UserState {
  readonly #byId = new Map<string, SessionState>();
  readonly #gone = new Set<string>();

  constructor(
    readonly project: string,
    readonly userId: string,
    sessions: readonly SessionState[] = [],
  ) {
    for (const session of sessions) this.#byId.set(session.id, session);
  }

  /** Oldest first. */
  get sessions(): readonly SessionState[] {
    return [...this.#byId.values()];
  }

  get sessionCount(): number {
    return this.#byId.size;
  }

  session(id: string): SessionState | undefined {
    return this.#byId.get(id);
  }

  /** Whether this user has deleted the session. */
  hadSession(id: string): boolean {
    return this.#gone.has(id);
  }

  add(session: SessionState): void {
    this.#byId.set(session.id, session);
  }

  /** Returns whether the session existed. */
  delete(id: string): boolean {
    if (!this.#byId.delete(id)) return false;
    this.#gone.add(id);
    return true;
  }
}
