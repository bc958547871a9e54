/** The emulator's data of all projects. Knows nothing of HTTP; calls its listener after each change. */
import type { SeededWorld, SessionFields } from '../seed/seeded-world.js';
import type { DatasetState } from './dataset-state.js';
import { FileStore } from './file-store.js';
import { EmulatedSession, type JobEntry } from './session-state.js';
import { EmulatedUser } from './user-state.js';

export class World {
  readonly files: FileStore;
  readonly #users = new Map<string, EmulatedUser>();
  readonly #datasetsById = new Map<string, DatasetState>();
  #listener: () => void = () => undefined;
  #made = 0;

  /** Seeded users and datasets belong to `seedProject`. */
  constructor(
    readonly seeded: SeededWorld,
    readonly seedProject: string,
  ) {
    this.files = new FileStore(seeded);
    for (const dataset of seeded.datasets()) {
      this.#datasetsById.set(dataset.id, { ...dataset, project: seedProject });
    }
  }

  /** `listener` is called after every change. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  changed(): void {
    this.#listener();
  }

  /** A counter: the seed of the next id. */
  nextNumber(): number {
    return ++this.#made;
  }

  get madeCount(): number {
    return this.#made;
  }

  resumeNumbers(made: number): void {
    this.#made = made;
  }

  /** Every user id is valid; an unknown user has no sessions. */
  user(project: string, userId: string): EmulatedUser {
    const key = `${project}\n${userId}`;
    const known = this.#users.get(key);
    if (known) return known;
    const user = new EmulatedUser(project, userId, this.#seededSessions(project, userId));
    this.#users.set(key, user);
    return user;
  }

  /** Replaces a user's sessions, when a data file is read. */
  setUser(user: EmulatedUser): void {
    this.#users.set(`${user.project}\n${user.userId}`, user);
  }

  /** Users that were read or changed so far. */
  get touchedUsers(): readonly EmulatedUser[] {
    return [...this.#users.values()];
  }

  /** Seeded users first, then others who have sessions. */
  userIds(project: string): string[] {
    const seeded = project === this.seedProject ? this.seeded.userIds : [];
    const others = this.touchedUsers
      .filter((user) => user.project === project && user.sessionCount > 0)
      .map((user) => user.userId);
    return [...new Set([...seeded, ...others])];
  }

  /** Whether another user of the project has this session. Searches all users: only for refusals. */
  isSessionOfAnother(project: string, userId: string, sessionId: string): boolean {
    return this.userIds(project).some(
      (other) => other !== userId && this.user(project, other).session(sessionId) !== undefined,
    );
  }

  newSession(id: string, fields: SessionFields, jobs: readonly JobEntry[] = []): EmulatedSession {
    return new EmulatedSession(id, this.seeded, undefined, fields, jobs);
  }

  /** Oldest first. */
  datasets(project: string): DatasetState[] {
    return [...this.#datasetsById.values()].filter((dataset) => dataset.project === project);
  }

  get allDatasets(): readonly DatasetState[] {
    return [...this.#datasetsById.values()];
  }

  dataset(project: string, id: string): DatasetState | undefined {
    const dataset = this.#datasetsById.get(id);
    return dataset?.project === project ? dataset : undefined;
  }

  setDataset(dataset: DatasetState): void {
    this.#datasetsById.set(dataset.id, dataset);
  }

  deleteDataset(id: string): void {
    this.#datasetsById.delete(id);
  }

  clearDatasets(): void {
    this.#datasetsById.clear();
  }

  #seededSessions(project: string, userId: string): EmulatedSession[] {
    const user = project === this.seedProject ? this.seeded.userIndex(userId) : -1;
    if (user < 0) return [];
    return Array.from({ length: this.seeded.sessionCount }, (_, session) => {
      const id = this.seeded.sessionId(user, session);
      return new EmulatedSession(id, this.seeded, { user, session });
    });
  }
}
