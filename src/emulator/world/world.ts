/** The emulator's data of all projects. Knows nothing of HTTP. */
import type { SeededWorld, SessionFields } from '../seed/seeded-world.js';
import type { DatasetState } from '../seed/seeded-ids.js';
import { FileStore } from './file-store.js';

/** A job as JSON text; `{{url:KEY}}` and `{{expires_at}}` are filled in at every read. */
export interface StoredJob {
  readonly id: string;
  readonly text: string;
}

/** The number of a seeded job, or the text of an added or changed one. */
export type JobEntry = number | StoredJob;

export interface SeedOrigin {
  readonly user: number;
  readonly session: number;
}

/** One session: its fields and its jobs. A seeded session takes a few bytes until it is changed. */
export class EmulatedSession {
  #changedFields: SessionFields | undefined;
  #changedJobs: JobEntry[] | undefined;
  readonly #seeded: SeededWorld;

  constructor(
    readonly id: string,
    seeded: SeededWorld,
    readonly origin: SeedOrigin | undefined,
    fields?: SessionFields,
    jobs?: readonly JobEntry[],
  ) {
    this.#seeded = seeded;

    this.#changedFields = fields;
    this.#changedJobs = jobs ? [...jobs] : origin ? undefined : [];
  }

  get fields(): SessionFields {
    if (this.#changedFields) return this.#changedFields;
    if (!this.origin) return { id: this.id, name: '' };
    return this.#seeded.session(this.origin.user, this.origin.session);
  }

  get jobCount(): number {
    if (this.#changedJobs) return this.#changedJobs.length;
    return this.origin ? this.#seeded.jobCount(this.origin.user, this.origin.session) : 0;
  }

  /** Oldest first. */
  get jobs(): readonly JobEntry[] {
    return this.#changedJobs ?? Array.from({ length: this.jobCount }, (_, job) => job);
  }

  setFields(fields: SessionFields): void {
    this.#changedFields = fields;
  }

  jobId(entry: JobEntry): string {
    if (typeof entry !== 'number') return entry.id;
    if (!this.origin) throw new RangeError('only seeded sessions have seeded jobs');
    return this.#seeded.jobId({ ...this.origin, job: entry });
  }

  jobText(entry: JobEntry): string {
    if (typeof entry !== 'number') return entry.text;
    if (!this.origin) throw new RangeError('only seeded sessions have seeded jobs');
    return this.#seeded.job({ ...this.origin, job: entry });
  }

  /** The index among `jobs`, or -1. */
  indexOfJob(jobId: string): number {
    return this.jobs.findIndex((entry) => this.jobId(entry) === jobId);
  }

  addJob(job: StoredJob): void {
    this.#ownJobs().push(job);
  }

  replaceJob(index: number, job: StoredJob): void {
    this.#ownJobs()[index] = job;
  }

  removeJob(index: number): void {
    this.#ownJobs().splice(index, 1);
  }

  #ownJobs(): JobEntry[] {
    this.#changedJobs ??= [...this.jobs];
    return this.#changedJobs;
  }
}

export class World {
  readonly files: FileStore;
  readonly #users = new Map<string, EmulatedUser>();
  readonly #datasetsById = new Map<string, DatasetState>();
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

  /** A counter: the seed of the next id. */
  nextNumber(): number {
    return ++this.#made;
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

  /** Seeded users first, then others who have sessions. */
  userIds(project: string): string[] {
    const seeded = project === this.seedProject ? this.seeded.userIds : [];
    const others = [...this.#users.values()]
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

  #seededSessions(project: string, userId: string): EmulatedSession[] {
    const user = project === this.seedProject ? this.seeded.userIndex(userId) : -1;
    if (user < 0) return [];
    return Array.from({ length: this.seeded.sessionCount }, (_, session) => {
      const id = this.seeded.sessionId(user, session);
      return new EmulatedSession(id, this.seeded, { user, session });
    });
  }
}

/** One user of one project, with the sessions in order of creation. */
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
