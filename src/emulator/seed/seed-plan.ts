/** The amount of seed data, and the seed. */
export interface SeedPlan {
  /** The same plan gives the same bytes, on every machine and at any time. */
  readonly seed: number;
  readonly users: number;
  /** Of every user. */
  readonly sessions: number;
  /** The maximum of jobs in a session; the number varies unless `exactJobs`. */
  readonly jobs: number;
  /** Every session has exactly `jobs` jobs. */
  readonly exactJobs: boolean;
  /** The exact number of blocks in every answer; undefined: the topic decides. */
  readonly blocksPerJob: number | undefined;
  /** The exact number of files in every answer; undefined: the topic decides. */
  readonly artifactsPerJob: number | undefined;
  /** Adds unusual names and contents: formulas, paths, markup, control characters, empty files. */
  readonly odd: boolean;
  /** Adds contents that leave a gap: bare storage keys, a file that is gone, a web page in a file's place. */
  readonly gaps: boolean;
}

/** Which job, counted from 0. */
export interface SeededJobPlace {
  readonly user: number;
  readonly session: number;
  readonly job: number;
}

/** The place of jobs made after the start: outside every plan, so that their files can be found. */
export const MADE_LATER = { user: 0xffffffff, session: 0 } as const;
