/** The users' data files: who there is, the sessions of each, and the sessions of all with the newest first. */
import { SESSIONS_PER_DIRECTORY, type SessionLine, type UserLine } from './page-data.js';
import type { Publisher } from './publisher.js';
import type { Survey } from './survey.js';
import { newerFirst } from './when.js';

export class People {
  readonly #lines = new Map<string, SessionLine[]>();

  add(line: SessionLine): void {
    const lines = this.#lines.get(line.user);
    if (lines) lines.push(line);
    else this.#lines.set(line.user, [line]);
  }

  /** Writes `people`, `u/<number>`, `l/<piece>` and `latest`. */
  async publish(publisher: Publisher, { users }: Survey): Promise<void> {
    const lines: UserLine[] = [];
    for (const { number, user: id, problem, isInDoubt, holds } of users.values()) {
      const sessions = (this.#lines.get(id) ?? []).sort(newestFirst);
      await publisher.data(`u/${number}`, { id, problem, isInDoubt, holds, sessions });
      lines.push({
        number,
        id,
        sessions: sessions.length,
        jobs: sum(sessions.map(({ jobs }) => jobs)),
        gaps: sum(sessions.map(({ gaps }) => gaps)) + (problem === null ? 0 : 1),
        newest: sessions[0]?.newest ?? null,
        isHeld: holds.length > 0,
        isInDoubt,
      });
    }
    await publisher.data('people', { users: lines });
    await this.#publishSessions(publisher);
  }

  async #publishSessions(publisher: Publisher): Promise<void> {
    const all = [...this.#lines.values()].flat();
    const latest = all.sort(newestFirst).slice(0, SESSIONS_PER_DIRECTORY);
    await publisher.data('latest', { sessions: latest, total: all.length });
    all.sort((a, b) => a.number - b.number);
    for (let at = 0; at < all.length; at += SESSIONS_PER_DIRECTORY) {
      const sessions = all.slice(at, at + SESSIONS_PER_DIRECTORY);
      await publisher.data(`l/${at / SESSIONS_PER_DIRECTORY}`, { sessions });
    }
  }
}

function newestFirst(a: SessionLine, b: SessionLine): number {
  return newerFirst(a.newest, b.newest) || a.number - b.number;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
