/** The users' data files: who there is, the sessions of each, and the sessions of all with the newest first. */
import { SessionSpool } from '../archive/reading/rows/session-spool.js';
import { parseJson } from '../base/text/parse-json.js';
import type { Storage } from '../storage/storage.js';
import { SESSIONS_PER_DIRECTORY, type SessionLine, type UserLine } from './page-data.js';
import type { Publisher } from './publisher.js';
import type { Survey } from '../making/survey.js';
import { newerFirst } from '../model/times/when.js';

/** Sessions of a bucket, which memory holds at a time: some 10 MB. */
const BUCKET_SESSIONS = 20_000;

/** Sets the lines of sessions aside on disk, by user and by piece: of 100,000 they take 50 MB in memory. */
export class People {
  readonly #users: Survey['users'];
  readonly #peopleCount: number;
  readonly #byUser: SessionSpool;
  readonly #byPiece: SessionSpool;
  /** The latest sessions, twice as many as are shown at most. */
  #latest: SessionLine[] = [];
  #total = 0;

  private constructor({ users, peopleCount }: Survey, byUser: SessionSpool, byPiece: SessionSpool) {
    this.#users = users;
    this.#peopleCount = peopleCount;
    this.#byUser = byUser;
    this.#byPiece = byPiece;
  }

  /** @param target where lines are set aside; call `discard` in any case */
  static async open(target: Storage, survey: Survey): Promise<People> {
    const { users } = survey;
    const counts: number[] = [];
    let last = 0;
    for (const { sessions } of users.values()) {
      counts.push(sessions.length);
      for (const { number } of sessions) last = Math.max(last, number);
    }
    const pieces = Array.from(
      { length: Math.ceil(last / SESSIONS_PER_DIRECTORY) },
      () => SESSIONS_PER_DIRECTORY,
    );
    const buckets = Math.ceil(last / BUCKET_SESSIONS) + 1;
    const byUser = await SessionSpool.open(target, counts, buckets);
    const byPiece = await SessionSpool.open(target, pieces, buckets);
    return new People(survey, byUser, byPiece);
  }

  async add(line: SessionLine): Promise<void> {
    const json = JSON.stringify(line);
    await this.#byUser.add(this.#users.get(line.user)?.place ?? 0, json);
    await this.#byPiece.add(pieceOf(line.number), json);
    this.#total++;
    this.#latest.push(line);
    if (this.#latest.length >= 2 * SESSIONS_PER_DIRECTORY) this.#keepLatest();
  }

  /** Writes `people`, `u/<number>`, `l/<piece>` and `latest`. */
  async publish(publisher: Publisher): Promise<void> {
    const lines: UserLine[] = [];
    await this.#byUser.close();
    const users = this.#users.values();
    for await (const some of this.#byUser.sessions()) {
      const { value: user } = users.next();
      if (!user) break;
      const { number, user: id, problem, completeness, isNeverSeen, holds } = user;
      const sessions = linesIn(some).sort(newestFirst);
      await publisher.data(`u/${number}`, {
        id,
        problem,
        completeness,
        isNeverSeen,
        holds,
        sessions,
      });
      lines.push({
        number,
        id,
        sessions: sessions.length,
        jobs: sum(sessions.map(({ jobs }) => jobs)),
        gaps: user.missing,
        newest: sessions[0]?.newest ?? null,
        isHeld: holds.length > 0,
        completeness,
        isNeverSeen,
      });
    }
    await publisher.data('people', { people: this.#peopleCount, users: lines });
    await this.#publishSessions(publisher);
  }

  async discard(): Promise<void> {
    await this.#byUser.discard();
    await this.#byPiece.discard();
  }

  async #publishSessions(publisher: Publisher): Promise<void> {
    this.#keepLatest();
    await publisher.data('latest', { sessions: this.#latest, total: this.#total });
    await this.#byPiece.close();
    let piece = 0;
    for await (const some of this.#byPiece.sessions()) {
      const sessions = linesIn(some).sort((a, b) => a.number - b.number);
      if (sessions.length > 0) await publisher.data(`l/${piece}`, { sessions });
      piece++;
    }
  }

  #keepLatest(): void {
    this.#latest = this.#latest.sort(newestFirst).slice(0, SESSIONS_PER_DIRECTORY);
  }
}

function linesIn(some: readonly string[]): SessionLine[] {
  return some.map((line) => parseJson(line) as SessionLine);
}

function pieceOf(session: number): number {
  return Math.floor((session - 1) / SESSIONS_PER_DIRECTORY);
}

function newestFirst(a: SessionLine, b: SessionLine): number {
  return newerFirst(a.newest, b.newest) || a.number - b.number;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
