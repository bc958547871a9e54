/** The users' data files: who there is, and the sessions of each. */
import type { SessionLine, UserLine } from './page-data.js';
import type { Publisher } from './publisher.js';
import type { Survey } from './survey.js';

export class People {
  readonly #lines = new Map<string, SessionLine[]>();

  add(user: string, line: SessionLine): void {
    const lines = this.#lines.get(user);
    if (lines) lines.push(line);
    else this.#lines.set(user, [line]);
  }

  /** Writes `people` and `u/<number>`. */
  async publish(publisher: Publisher, { users }: Survey): Promise<void> {
    const lines: UserLine[] = [];
    for (const { number, user: id, problem } of users.values()) {
      const sessions = (this.#lines.get(id) ?? []).sort(newestFirst);
      await publisher.data(`u/${number}`, { id, problem, sessions });
      lines.push({
        number,
        id,
        sessions: sessions.length,
        jobs: sum(sessions.map(({ jobs }) => jobs)),
        gaps: sum(sessions.map(({ gaps }) => gaps)) + (problem === null ? 0 : 1),
        newest: sessions[0]?.newest ?? null,
      });
    }
    await publisher.data('people', { users: lines });
  }
}

function newestFirst(a: SessionLine, b: SessionLine): number {
  return (b.newest ?? -1) - (a.newest ?? -1) || a.number - b.number;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
