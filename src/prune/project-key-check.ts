/**
 * Checks that the API key sees the sessions of this archive. A key of another project gets "not found" for
 * every one of them, which proves nothing.
 */
import type { Archive } from '../archive/archive.js';
import { isLive } from '../archive/state/archived-session.js';
import type { UserId } from '../model/ids.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';
import { StaleAnswerError } from '../service/service-errors.js';
import type { ServiceView } from './service-view.js';

/** After so many users who should have a session and show none, the key is taken for another project's. */
const MOST_USERS_WITHOUT = 20;

export class ProjectKeyCheck {
  readonly #archive: Archive;
  readonly #service: ServiceView;
  #hasSeen = false;

  constructor(archive: Archive, service: ServiceView) {
    this.#archive = archive;
    this.#service = service;
  }

  /**
   * True where a session of the archive is listed, or where none is left that could be.
   *
   * @param first the user to begin with
   * @param except sessions, by `keyOfAnySpelling`, that may be gone
   * @throws {ServiceError} a `StaleAnswerError` where it was not the service that listed
   */
  async seesArchive(first: UserId, except: ReadonlySet<string>): Promise<boolean> {
    if (this.#hasSeen) return true;
    let usersWithout = 0;
    for (const user of new Set([first, ...this.#archive.index.users])) {
      const { sessions } = await this.#archive.states.load(user);
      const expected = [...sessions].filter(
        ([session, state]) => isLive(state) && !except.has(keyOfAnySpelling(user, session)),
      );
      if (expected.length === 0) continue;
      const listing = await this.#service.list(user);
      if (listing.isStale) throw new StaleAnswerError(listing.gap ?? '');
      this.#hasSeen = expected.some(([session]) => listing.sessions.has(session));
      if (this.#hasSeen) return true;
      if (++usersWithout >= MOST_USERS_WITHOUT) break;
    }
    return usersWithout === 0;
  }
}
