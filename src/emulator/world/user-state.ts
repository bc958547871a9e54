/** One user of one project, with the sessions in order of creation. */
import type { EmulatedSession } from './session-state.js';

export class EmulatedUser {
  readonly #byId = new Map<string, EmulatedSession>();
  readonly #gone = new Set<string>();

  constructor(
    readonly project: string,
    readonly userId: string,
    sessions: readonly EmulatedSession[] = [],
  ) {
    for (const session of sessions) this.#byId.set(session.id, session);
  }

  /** Oldest first. */
  get sessions(): readonly EmulatedSession[] {
    return [...this.#byId.values()];
  }

  get sessionCount(): number {
    return this.#byId.size;
  }

  session(id: string): EmulatedSession | undefined {
    return this.#byId.get(id);
  }

  /** Whether this user has deleted the session. */
  hadSession(id: string): boolean {
    return this.#gone.has(id);
  }

  add(session: EmulatedSession): void {
    this.#byId.set(session.id, session);
  }

  /** Returns whether the session existed. */
  delete(id: string): boolean {
    if (!this.#byId.delete(id)) return false;
    this.#gone.add(id);
    return true;
  }
}
