/** The report of a finished run for other systems: counts and fixed words; no user, no secret, no text from the service. */

export type RunOutcome = 'complete' | 'gaps' | 'interrupted' | 'failed';

/**
 * How much of what a night reads was read: `all`; `named`, only users of `--user`; `part`, not all of a user. So that one
 * person's export ends no alarm of the night.
 */
export type RunScope = 'all' | 'named' | 'part';

/** Absent if a command does not have the count. */
export interface RunCounts {
  readonly users?: Counts;
  /** States of users that are not among them, because the run has not listed everybody: the counts of before stay. */
  readonly usersNotCounted?: readonly string[];
  /** Whether the list of users cannot be right: 1, else 0; only of a run with a list of everybody. */
  readonly doubtfulList?: number;
  readonly sessions?: Counts;
  readonly jobs?: number;
  /** By table. */
  readonly rows?: Counts;
  /** By status. */
  readonly files?: Counts;
  /** Stored files whose content is doubtful, of the archive. */
  readonly suspicious?: number | undefined;
  /** The bytes of files new to the archive. */
  readonly bytes?: number;
  /** Gaps and doubts that nobody has accepted, by status: `expired`, `refused`, …; those of which there are none are 0. */
  readonly gaps?: Counts;
  /** How many of them are lists and histories that the budget of the run has left: no reason for an alarm while later runs read on. */
  readonly leftGaps?: number;
  /** How many gaps and doubts are accepted; they are not among the others. */
  readonly acceptedGaps?: number;
  readonly acceptedDoubts?: number;
  readonly deletions?: Counts;
  /** Sessions of which a person was asked whether they are to be deleted, and said no. */
  readonly declined?: number;
  /** Left by a run with a budget: `users` not listed, `sessions` not checked; `datasets`: 1, absent where none are left. */
  readonly left?: Counts;
  /** 1 if the lap takes longer than `--max-staleness`. */
  readonly overdue?: number;
  /** When the lap of a run with a budget began. Milliseconds since 1970 UTC. */
  readonly lapBeganMs?: number;
  /** By target: `service`, `files`. */
  readonly requests?: Counts;
  readonly retries?: number;
  /** Answers with status 429. */
  readonly rateLimited?: number;
  /** By how much this machine's clock is ahead of the service's; negative: behind. */
  readonly clockGapMs?: number;
  /** Problems that verify found, or differences that a drill found. */
  readonly problems?: number;
  /**
   * When a run of its queue ended last, told by a worker that read nobody; null if none is known. Milliseconds since 1970
   * UTC.
   */
  readonly lastRunMs?: number | null;
}

export type Counts = Readonly<Record<string, number>>;

export interface RunReport {
  /** `export`, `prune`, `verify`, … */
  readonly command: string;
  /** A full path or a URL: two machines may each have an `./archive`. Null if the run ended before it opened one. */
  readonly archive: string | null;
  /** The full path of the configuration file that knows the archive's store; null without one. */
  readonly config: string | null;
  /** The name of the machine. */
  readonly host: string;
  readonly scope: RunScope;
  /** Which share of all users it was for, as `3/16`; absent for all. */
  readonly shard?: string;
  readonly run: string;
  readonly outcome: RunOutcome;
  readonly exitCode: number;
  /** The command that names who is at the cap, and what makes room. */
  readonly makesRoom?: string;
  /** One sentence; null if the run reached its end. */
  readonly error: string | null;
  /** Milliseconds since 1970 UTC. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  readonly counts: RunCounts;
  /** The version of jobvault. */
  readonly version: string;
}

/** Whether the run knows the gaps of the archive: it came to the end of all its users, also if the service failed for some of what they have. */
export function isDoneWithUsers({ outcome, counts }: RunReport): boolean {
  return outcome === 'complete' || outcome === 'gaps' || counts.users?.['not_finished'] === 0;
}
