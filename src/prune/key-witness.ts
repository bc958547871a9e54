/**
 * Whether the API key sees the sessions of this archive at all. A key of another project gets
 * "not found" for every one of them, which proves nothing.
 */
import type { Archive } from '../archive/archive.js';
import { sessionKey, type UserId } from '../model/ids.js';
import { isLive } from '../archive/state/archived-session.js';
import type { ServiceLook } from './service-look.js';

/** Users who should have a session and show none, before the key is taken for another project's. */
const PATIENCE = 20;

export class KeyWitness {
  readonly #archive: Archive;
  readonly #look: ServiceLook;
  #hasSeen = false;

  constructor(archive: Archive, look: ServiceLook) {
    this.#archive = archive;
    this.#look = look;
  }

  /**
   * True where a session of the archive is listed, or where none is left that could be.
   *
   * @param first the user to begin with
   * @param except sessions, by `sessionKey`, that may be gone
   * @throws {ServiceError}
   */
  async seesArchive(first: UserId, except: ReadonlySet<string>): Promise<boolean> {
    if (this.#hasSeen) return true;
    let disappointed = 0;
    for (const user of new Set([first, ...this.#archive.index.users])) {
      const { sessions } = await this.#archive.states.load(user);
      const expected = [...sessions].filter(
        ([session, state]) => isLive(state) && !except.has(sessionKey(user, session)),
      );
      if (expected.length === 0) continue;
      const listing = await this.#look.list(user);
      this.#hasSeen = expected.some(([session]) => listing.sessions.has(session));
      if (this.#hasSeen) return true;
      if (++disappointed >= PATIENCE) break;
    }
    return disappointed === 0;
  }
}
