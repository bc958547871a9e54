/** The report of a finished run for other systems: counts and words, no user, no secret, no text from the service. */

export type RunOutcome = 'complete' | 'gaps' | 'interrupted' | 'failed';

/** By name; absent where a command has nothing of the kind. */
export interface RunCounts {
  readonly users?: Counts;
  readonly sessions?: Counts;
  readonly jobs?: number;
  /** By table. */
  readonly rows?: Counts;
  /** By status. */
  readonly files?: Counts;
  /** Stored files whose content is doubtful. */
  readonly suspicious?: number;
  /** Of files new to the archive. */
  readonly bytes?: number;
  /** By what is the matter: `expired`, `refused`, … */
  readonly gaps?: Counts;
  readonly deletions?: Counts;
  /** By where they went: `service`, `files`. */
  readonly requests?: Counts;
  readonly retries?: number;
  /** Answers with status 429. */
  readonly rateLimited?: number;
  /** What verify found to be wrong. */
  readonly problems?: number;
}

export type Counts = Readonly<Record<string, number>>;

export interface RunReport {
  /** `export`, `prune`, `verify`, … */
  readonly command: string;
  /** A full path or a URL: two machines may each have an `./archive`. Null where it never came to that. */
  readonly archive: string | null;
  /** The name of the machine. */
  readonly host: string;
  readonly run: string;
  readonly outcome: RunOutcome;
  readonly exitCode: number;
  /** One sentence; null where nothing ended the run before its time. */
  readonly error: string | null;
  /** Milliseconds since 1970 UTC. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly counts: RunCounts;
  /** Of jobvault. */
  readonly version: string;
}
