/** How much is made up, and from which seed. */
export interface SeedPlan {
  /** The same plan gives the same bytes, on every machine and at any time. */
  readonly seed: number;
  readonly users: number;
  /** Of every user. */
  readonly sessions: number;
  /** The most jobs of a session; how many there are varies unless `exactJobs`. */
  readonly jobs: number;
  /** Every session has exactly `jobs` jobs. */
  readonly exactJobs: boolean;
  /** Every answer has exactly so many blocks; undefined leaves it to the topic. */
  readonly blocksPerJob: number | undefined;
  /** Every answer refers to exactly so many files; undefined leaves it to the topic. */
  readonly artifactsPerJob: number | undefined;
  /** Adds what cannot be archived without a gap: bare storage keys, a file that is gone, a web page in a file's place. */
  readonly gaps: boolean;
}

/** Which job, counted from 0. */
export interface JobPlace {
  readonly user: number;
  readonly session: number;
  readonly job: number;
}

/** The place of jobs that were made up after the start; beyond every plan, so that their files are found again. */
export const MADE_LATER = { user: 0xffffffff, session: 0 } as const;
