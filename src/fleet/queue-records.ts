/** What Redis keeps of a queued run: the run itself, what came of the users of a batch, and the summary of all. */
import { z } from 'zod';
import { firstIssue, UsageError, JobvaultError, type FailureKind } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import type { UserEntry } from '../archive/log/commit.js';
import { wholeGap, type Gap } from '../export/jobs/gap.js';
import type { UserOutcome } from '../export/users/user-export.js';
import { addCounts } from '../base/group-by.js';
import { noSessions } from '../export/export-summary.js';

export interface AttemptOptions {
  /** Attempts per user, including the first. Default 5. */
  readonly attempts?: number | undefined;
  /** Delay before the second attempt; doubles with each further one. Default 30 s. */
  readonly retryDelayMs?: number | undefined;
}

const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const runName = z.string().regex(RUN_NAME);
const count = z.int().nonnegative();

const runRecordSchema = z.strictObject({
  name: runName,
  /** ISO 8601. */
  enqueued_at: z.iso.datetime(),
  /** The archive's id. A worker of another archive does not touch the run. */
  archive: z.string().min(1).max(64),
  /** Where the archive is for the machine that put the run on the queue; for people. */
  location: z.string().min(1).max(4096),
  /** Number of the newest commit then; 0 if there was none. */
  since: count,
  /** How many users it has. */
  users: count,
  /** Whether it goes round the users of a list, not only those who were named: then the lap of the queue goes on. */
  round: z.boolean(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/**
 * @param name the run that the record must belong to
 * @throws {UsageError} the record is invalid, another run's, or another version's
 */
export function decodeRunRecord(name: string, data: unknown): RunRecord {
  const result = runRecordSchema.safeParse(data);
  if (result.success && result.data.name === name) return result.data;
  const reason = result.success
    ? `it is the record of ${result.data.name}`
    : redactText(firstIssue(result.error));
  throw new UsageError(`the queue's record of run ${name} is invalid: ${reason}`);
}

/** Two archives have one queue: the users of the one would get into the other. */
export class OtherArchiveError extends UsageError {
  /** @param own where the caller's archive is */
  constructor({ name, location }: RunRecord, own: string) {
    super(
      `the run ${name} on this queue is of another archive (${location}) than ${own}; give each archive its own --queue`,
    );
  }
}

/** The name is part of a job id, which may not contain a colon. */
export function checkRunName(name: string): string {
  if (RUN_NAME.test(name)) return name;
  throw new UsageError(
    `--run is ${JSON.stringify(name)}; allowed are up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit`,
  );
}

/** What came of the users of a batch: the queue keeps it until the run is finished. */

const user = z.string().min(1);
const sessionCounts = z.strictObject({
  listed: count,
  new: count,
  changed: count,
  unchanged: count,
  failed: count,
});
const gapSchema = z.strictObject({
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

export const batchResultSchema = z.strictObject({
  /** How many users the log has as complete. */
  complete: count,
  /** Users that are missing as a whole. */
  failed: z.array(user).readonly(),
  /** Users of whom something else is missing. */
  incomplete: z.array(user).readonly(),
  /** Users that the budget left to a later run. */
  left: z.array(user).readonly(),
  sessions: sessionCounts,
  jobs: count,
  /** The first gaps; the commits have all. */
  gaps: z.array(gapSchema).readonly(),
  /** Without those that are accepted. */
  gap_count: count,
  accepted_gaps: count,
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
  #gapCount = 0;
  #acceptedGaps = 0;
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
    this.#gapCount += result.gap_count;
    this.#acceptedGaps += result.accepted_gaps;
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
    this.#gapCount += open.length;
    this.#acceptedGaps += accepted.length;
    return this;
  }

  /** As the log has it: without the gaps. */
  addEntry(entry: UserEntry): this {
    if (entry.complete) this.#complete++;
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

  /** Of users whom the queue has given up, only the reason is known. */
  addLost(users: Iterable<string>, reason: string): this {
    for (const userId of users) {
      this.#failed.push(userId);
      this.#gapCount++;
      if (this.#gaps.length < this.#keptGaps) {
        this.#gaps.push({ user: userId, session: null, ...wholeGap('failed', reason) });
      }
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
      gap_count: this.#gapCount,
      accepted_gaps: this.#acceptedGaps,
      never_seen: this.#neverSeen,
      vanished: this.#vanished,
    };
  }
}

/** Without the limit on arguments that `push(...many)` has. */
function append<T>(to: T[], more: readonly T[]): void {
  for (const one of more) to.push(one);
}

/** Whether another attempt may help: a refusal or an expired file stays as it is. */
export function isWorthRetrying({ errors }: UserOutcome): boolean {
  return errors.some((error) => !(error instanceof JobvaultError) || error.disposition === 'retry');
}

/** The summary of a queued run, over all its users and workers. */

const ofBudget = z.strictObject({ users: count, sessions: count });
const budgetSchema = z.strictObject({
  requests: count,
  checked: count,
  left: ofBudget,
  /** Whether the lap takes longer than `--max-staleness`. */
  overdue: z.boolean(),
});
const runSummarySchema = z.strictObject({
  status: z.enum(['complete', 'gaps']),
  run: runName,
  archive: z.string(),
  /** `left`: the budget has left them to a later run. */
  users: z.strictObject({
    total: count,
    complete: count,
    with_gaps: count,
    failed: count,
    left: count,
  }),
  /** Users without a session in any listing; the first thousand. */
  never_seen: z.array(z.string()),
  /** Users of whom the archive has sessions, and the service lists none any more; the first thousand. */
  vanished: z.array(z.string()),
  sessions: sessionCounts,
  /** Null without `--max-requests`. */
  budget: budgetSchema.nullable(),
  jobs: z.strictObject({ archived: count }),
  /** The number of all gaps that are not accepted. */
  gap_count: count,
  accepted_gaps: count,
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
  /** All users of the run, and those whom the log does not have as complete. */
  readonly users: number;
  readonly left: ReadonlySet<string>;
  /** What the log has of users as in doubt, and no result knows: found at the end of a worker's export. */
  readonly doubts: readonly Gap[];
  readonly budget: RunSummary['budget'];
  readonly finishedAtMs: number;
}

/** How many users are complete is what the log says. */
export function summarise(end: FleetRunEnd): Omit<RunSummary, 'commit'> {
  const { record, location, users, left, doubts, budget, finishedAtMs } = end;
  const tally = new BatchTally(Infinity);
  for (const result of end.results) tally.add(result);
  tally.addGaps(doubts);
  const { sessions, jobs, gaps, gap_count, accepted_gaps, never_seen, vanished, ...rest } =
    tally.result();
  const failed = new Set(rest.failed.filter((user) => left.has(user)));
  const later = new Set(rest.left.filter((user) => left.has(user)));
  return {
    status: gap_count > 0 ? 'gaps' : 'complete',
    run: record.name,
    archive: location,
    users: {
      total: users,
      complete: users - left.size,
      with_gaps: left.size - new Set([...failed, ...later]).size,
      failed: failed.size,
      left: later.size,
    },
    budget,
    sessions,
    jobs: { archived: jobs },
    never_seen: never_seen.toSorted().slice(0, KEPT_USERS),
    vanished: vanished.toSorted().slice(0, KEPT_USERS),
    gap_count,
    accepted_gaps,
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
