/** The summary of a queued run, over all its users and workers. */
import { z } from 'zod';
import { type FailureKind } from '../base/error.js';
import { type Gap } from '../export/jobs/gap.js';
import { isAnyOpen } from '../model/gap-counts.js';
import { runWord } from '../model/run-outcome.js';
import { count, runName, type RunRecord } from './queue-records.js';
import {
  sessionCounts,
  gapCountsSchema,
  gapSchema,
  type BatchResult,
  BatchTally,
} from './batch-tally.js';

const ofBudget = z.strictObject({ users: count, sessions: count });
const budgetSchema = z.strictObject({
  requests: count,
  checked: count,
  left: ofBudget,
  /** Whether the lap takes longer than `--max-staleness`. */
  overdue: z.boolean(),
});
const runSummarySchema = z.strictObject({
  /** See `RunWord`. */
  status: z.enum(['complete', 'incomplete-by-decision', 'not_all_read', 'gaps']),
  run: runName,
  archive: z.string(),
  /** `left`: the budget has left them, or some of their sessions, to a later run; `suppressed`: exports skip them (`erase --suppress`); absent of none. */
  users: z.strictObject({
    total: count,
    complete: count,
    incomplete_by_decision: count,
    with_gaps: count,
    failed: count,
    left: count,
    suppressed: count.exactOptional(),
  }),
  /** Users without a session in any listing; the first thousand. */
  never_seen: z.array(z.string()),
  /** Users of whom the archive has sessions, and the service lists none any more; the first thousand. */
  vanished: z.array(z.string()),
  /** Users with 140 sessions or more at the service, each once of several spellings; the first thousand, absent of none. */
  at_the_cap: z.array(z.string()).exactOptional(),
  sessions: sessionCounts,
  /** Sessions that two spellings of a user list: they are counted under each. Absent where there are none. */
  listed_twice: count.exactOptional(),
  /** Null without `--max-requests`. */
  budget: budgetSchema.nullable(),
  jobs: z.strictObject({ archived: count }),
  gap_counts: gapCountsSchema,
  /** The first thousand gaps. */
  gaps: z.array(gapSchema),
  enqueued_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  /** The commit that records the end of the run; null if there is no archive. */
  commit: count.nullable(),
});
export type RunSummary = Readonly<z.infer<typeof runSummarySchema>>;

/** Undefined if it is not a summary: other programs may write to Redis. */
export function decodeRunSummary(value: unknown): RunSummary | undefined {
  return runSummarySchema.safeParse(value).data;
}

const KEPT_GAPS_OF_RUN = 1000;
const KEPT_USERS = 1000;

interface FleetRunEnd {
  readonly record: RunRecord;
  /** Where the archive is, as the summary shows it. */
  readonly location: string;
  readonly results: Iterable<BatchResult>;
  /** How many users the run has. */
  readonly users: number;
  /** The users whom the log does not have as complete. */
  readonly remaining: ReadonlySet<string>;
  /** How many of the others lack only what somebody has decided on. Default: none. */
  readonly decided?: number;
  /** What the log has of users as in doubt, and no result knows: found at the end of a worker's export. */
  readonly doubts: readonly Gap[];
  /** Whether exports skip the user. Default: nobody. */
  readonly isSuppressed?: (user: string) => boolean;
  /** Sessions that two spellings of a user of the run list. Default: none. */
  readonly listedTwice?: number;
  /** Its users with 140 sessions or more at the service. Default: nobody. */
  readonly atTheCap?: readonly string[];
  readonly budget: RunSummary['budget'];
  readonly finishedAtMs: number;
}

/** How many users are complete is what the log says. */
export function summarise(end: FleetRunEnd): Omit<RunSummary, 'commit'> {
  const { record, location, users, remaining, doubts, budget, finishedAtMs } = end;
  const { isSuppressed = () => false, decided = 0, listedTwice = 0, atTheCap = [] } = end;
  const tally = new BatchTally(Infinity);
  for (const result of end.results) tally.add(result);
  tally.addGaps(doubts);
  const { sessions, jobs, gaps, gap_counts: counts, ...rest } = tally.result();
  const { never_seen, vanished } = rest;
  const failed = new Set(rest.failed.filter((user) => remaining.has(user)));
  const later = new Set(rest.left.filter((user) => remaining.has(user)));
  const suppressed = [...later].filter(isSuppressed).length;
  const left = later.size - suppressed;
  return {
    status: runWord({
      isAllRead: left + (budget?.left.sessions ?? 0) === 0,
      hasGaps: isAnyOpen(counts),
      hasDecided: decided > 0,
    }),
    run: record.name,
    archive: location,
    users: {
      total: users,
      complete: users - remaining.size - decided,
      incomplete_by_decision: decided,
      with_gaps: remaining.size - new Set([...failed, ...later]).size,
      failed: failed.size,
      left,
      ...(suppressed > 0 && { suppressed }),
    },
    budget,
    sessions,
    ...(listedTwice > 0 && { listed_twice: listedTwice }),
    jobs: { archived: jobs },
    never_seen: never_seen.toSorted().slice(0, KEPT_USERS),
    vanished: vanished.toSorted().slice(0, KEPT_USERS),
    ...(atTheCap.length > 0 && { at_the_cap: atTheCap.toSorted().slice(0, KEPT_USERS) }),
    gap_counts: counts,
    gaps: gaps
      .toSorted((a, b) => (a.user < b.user ? -1 : a.user > b.user ? 1 : 0))
      .slice(0, KEPT_GAPS_OF_RUN),
    enqueued_at: record.enqueued_at,
    finished_at: new Date(finishedAtMs).toISOString(),
  };
}

/** The state of a queued run. */
export interface FleetRun {
  readonly run: string;
  /** Null if the queue's record of the run is invalid. */
  readonly archive: string | null;
  readonly state: 'running' | 'finishing' | 'finished' | 'failed';
  /** Null if the record is invalid. */
  readonly enqueued_at: string | null;
  readonly users: { readonly done: number; readonly left: number };
  /** Null until it is finished. */
  readonly summary: RunSummary | null;
  /** Why it could not be finished, or its record or summary is invalid. */
  readonly error: string | null;
  readonly failure: FailureKind | null;
}
