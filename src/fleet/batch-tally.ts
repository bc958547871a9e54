/** What came of the users of a batch: the queue keeps it until the run is finished. */
import { z } from 'zod';
import { JobvaultError } from '../base/error.js';
import type { UserEntry } from '../archive/log/commit.js';
import { isDone } from '../archive/runs/queued-runs.js';
import {
  countGaps,
  NO_GAPS_OF_RUN,
  wholeGap,
  type Gap,
  type RunGapCounts,
} from '../export/jobs/gap.js';
import { sumOfGaps } from '../model/gap-counts.js';
import type { UserOutcome } from '../export/users/user-outcome.js';
import { addCounts } from '../base/group-by.js';
import { noSessions } from '../export/export-summary.js';
import { count } from './queue-records.js';

const user = z.string().min(1);
export const sessionCounts = z.strictObject({
  listed: count,
  new: count,
  changed: count,
  unchanged: count,
  failed: count,
});
export const gapSchema = z.strictObject({
  user: z.string(),
  session: z.string().nullable(),
  job: z.string().nullable(),
  role: z.string().nullable(),
  block_index: count.nullable(),
  file_index: count.nullable(),
  kind: z.string().nullable(),
  dataset: z.string().nullable().exactOptional(),
  status: z.string().regex(/^[a-z_]{1,32}$/) as unknown as z.ZodType<Gap['status']>,
  reason: z.string(),
  shared_with: z.string().optional(),
  lost_below: z.int().optional(),
  accepted: z.literal(true).exactOptional(),
  accepted_by: z.string().exactOptional(),
  known: z.literal(true).exactOptional(),
}) satisfies z.ZodType<Gap>;

/** The counts of all gaps of a batch. */
export const gapCountsSchema = z.strictObject({
  gaps: count,
  doubts: count,
  accepted_gaps: count,
  accepted_doubts: count,
  new_gaps: count,
  new_doubts: count,
}) satisfies z.ZodType<RunGapCounts>;

export const batchResultSchema = z.strictObject({
  /** How many users the log has as done: see `isDone`. */
  complete: count,
  /** Users that are missing as a whole. */
  failed: z.array(user).readonly(),
  /** Users of whom something else is missing. */
  incomplete: z.array(user).readonly(),
  /** Users that the budget left to a later run, or some of whose sessions it left. */
  left: z.array(user).readonly(),
  sessions: sessionCounts,
  jobs: count,
  /** The first gaps; the commits have all. */
  gaps: z.array(gapSchema).readonly(),
  gap_counts: gapCountsSchema,
  /** Users of whom no session was ever listed. */
  never_seen: z.array(user).readonly(),
  /** Users of whom the archive has sessions, and the service lists none any more. */
  vanished: z.array(user).readonly(),
});
export type BatchResult = Readonly<z.infer<typeof batchResultSchema>>;

/** Undefined if it is not a result: other programs may write to Redis. */
export function decodeBatchResult(value: unknown): BatchResult | undefined {
  return batchResultSchema.safeParse(value).data;
}

/** Gaps that a result names: those of a run's thousands of batches must fit into Redis. */
const KEPT_GAPS = 20;

/** Adds up what comes of users, and of batches. */
export class BatchTally {
  #complete = 0;
  readonly #failed: string[] = [];
  readonly #incomplete: string[] = [];
  readonly #left: string[] = [];
  readonly #neverSeen: string[] = [];
  readonly #vanished: string[] = [];
  readonly #sessions = noSessions();
  #jobs = 0;
  readonly #gaps: Gap[] = [];
  #gapCounts = NO_GAPS_OF_RUN;
  readonly #keptGaps: number;

  /** @param keptGaps how many gaps it names */
  constructor(keptGaps = KEPT_GAPS) {
    this.#keptGaps = keptGaps;
  }

  add(result: BatchResult): this {
    this.#complete += result.complete;
    append(this.#failed, result.failed);
    append(this.#incomplete, result.incomplete);
    append(this.#left, result.left);
    append(this.#neverSeen, result.never_seen);
    append(this.#vanished, result.vanished);
    addCounts(this.#sessions, result.sessions);
    this.#jobs += result.jobs;
    append(this.#gaps, result.gaps.slice(0, this.#keptGaps - this.#gaps.length));
    const { gap_counts: counts } = result;
    this.#gapCounts = {
      ...sumOfGaps([this.#gapCounts, counts]),
      new_gaps: this.#gapCounts.new_gaps + counts.new_gaps,
      new_doubts: this.#gapCounts.new_doubts + counts.new_doubts,
    };
    return this;
  }

  addOutcome({ entry, gaps, isNeverSeen, vanished }: UserOutcome): this {
    this.addEntry(entry);
    if (isNeverSeen) this.#neverSeen.push(entry.user);
    if (vanished !== undefined) this.#vanished.push(entry.user);
    return this.addGaps(gaps);
  }

  addGaps(gaps: readonly Gap[]): this {
    const open = gaps.filter((gap) => gap.accepted !== true);
    const accepted = gaps.filter((gap) => gap.accepted === true);
    append(this.#gaps, [...open, ...accepted].slice(0, this.#keptGaps - this.#gaps.length));
    this.#gapCounts = countGaps(gaps, this.#gapCounts);
    return this;
  }

  /** As the log has it: without the gaps. */
  addEntry(entry: UserEntry): this {
    if (entry.left !== undefined) this.#left.push(entry.user);
    else if (isDone(entry)) this.#complete++;
    else if (entry.error === null) this.#incomplete.push(entry.user);
    else this.#failed.push(entry.user);
    addCounts(this.#sessions, { listed: entry.listed, ...entry.sessions });
    this.#jobs += entry.jobs.archived;
    return this;
  }

  /** The run has not listed the user. */
  addLeft(userId: string): this {
    this.#left.push(userId);
    return this;
  }

  /** Adds users whom the queue has given up: only the reason is known of them. */
  addLost(users: Iterable<string>, reason: string): this {
    for (const userId of users) {
      this.#failed.push(userId);
      const gap: Gap = { user: userId, session: null, ...wholeGap('failed', reason) };
      this.#gapCounts = countGaps([gap], this.#gapCounts);
      if (this.#gaps.length < this.#keptGaps) this.#gaps.push(gap);
    }
    return this;
  }

  result(): BatchResult {
    return {
      complete: this.#complete,
      failed: this.#failed,
      incomplete: this.#incomplete,
      left: this.#left,
      sessions: { ...this.#sessions },
      jobs: this.#jobs,
      gaps: this.#gaps,
      gap_counts: this.#gapCounts,
      never_seen: this.#neverSeen,
      vanished: this.#vanished,
    };
  }
}

/** Without the limit on arguments that `push(...many)` has. */
function append<T>(to: T[], more: readonly T[]): void {
  for (const element of more) to.push(element);
}

/** Whether another attempt may help: a refusal or an expired file stays as it is. */
export function isWorthRetrying({ errors }: UserOutcome): boolean {
  return errors.some((error) => !(error instanceof JobvaultError) || error.disposition === 'retry');
}
