/** The result of one user of a queued run. The queue keeps it until the run is finished. */
import { z } from 'zod';
import { JobvaultError } from '../base/error.js';
import type { Gap } from '../export/jobs/gap.js';
import type { UserOutcome } from '../export/users/user-export.js';

const count = z.int().nonnegative();
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
  missing_jobs: z.array(z.string()).readonly().optional(),
  accepted: z.literal(true).exactOptional(),
  accepted_by: z.string().exactOptional(),
  known: z.literal(true).exactOptional(),
}) satisfies z.ZodType<Gap>;

const userResultSchema = z.strictObject({
  user: z.string().min(1),
  complete: z.boolean(),
  /** Why the whole user is missing. */
  error: z.string().nullable(),
  sessions: sessionCounts,
  jobs: count,
  /** The first gaps; the commit has all. */
  gaps: z.array(gapSchema),
  /** Without those that are accepted. */
  gap_count: count,
  accepted_gaps: count,
  /** No session of the user was ever listed. */
  never_seen: z.boolean(),
});
export type UserResult = Readonly<z.infer<typeof userResultSchema>>;

/** Undefined if it is not a result: other programs may write to Redis. */
export function decodeUserResult(value: unknown): UserResult | undefined {
  return userResultSchema.safeParse(value).data;
}

/** Limit of gaps per user: ten thousand results must fit into one summary. */
const KEPT_GAPS = 20;

export function resultOf({ entry, gaps, isNeverSeen }: UserOutcome): UserResult {
  const open = gaps.filter((gap) => gap.accepted !== true);
  const accepted = gaps.filter((gap) => gap.accepted === true);
  return {
    user: entry.user,
    complete: entry.complete,
    error: entry.error,
    sessions: { listed: entry.listed, ...entry.sessions },
    jobs: entry.jobs.archived,
    gaps: [...open, ...accepted].slice(0, KEPT_GAPS),
    gap_count: open.length,
    accepted_gaps: accepted.length,
    never_seen: isNeverSeen,
  };
}

/** The result of a user without anything to check. */
export function emptyResult(user: string): UserResult {
  return {
    user,
    complete: true,
    error: null,
    jobs: 0,
    gaps: [],
    gap_count: 0,
    accepted_gaps: 0,
    sessions: { listed: 0, new: 0, changed: 0, unchanged: 0, failed: 0 },
    never_seen: false,
  };
}

/** The result of a user that the queue has given up: only the reason is known. */
export function lostResult(user: string, reason: string): UserResult {
  const gap = {
    user,
    session: null,
    job: null,
    role: null,
    block_index: null,
    file_index: null,
    kind: null,
  };
  return {
    ...emptyResult(user),
    complete: false,
    error: reason,
    gaps: [{ ...gap, status: 'failed', reason }],
    gap_count: 1,
  };
}

/** Whether another attempt may help: a refusal or an expired file stays as it is. */
export function isWorthRetrying({ errors }: UserOutcome): boolean {
  return errors.some((error) => !(error instanceof JobvaultError) || error.disposition === 'retry');
}
