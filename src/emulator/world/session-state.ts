/** One session: its fields and its jobs. A seeded session takes a few bytes until it is changed. */
import type { SeededWorld, SessionFields } from '../seed/seeded-world.js';

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
