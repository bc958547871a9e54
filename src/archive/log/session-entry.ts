/** The entry of a session in a commit, with its gaps. */
import { z } from 'zod';
import { count, instant, userId, sessionId, jobId } from './commit-fields.js';

/** Something that could not be archived; `job` is null if it concerns the whole session. */
export const gapEntry = z.strictObject({
  job: jobId.nullable(),
  /** Which file: null, like both indexes, if the gap is not about a file. */
  role: z.string().min(1).nullable(),
  block_index: count.nullable(),
  file_index: count.nullable(),
  kind: z.string().nullable(),
  status: z.string().min(1),
  reason: z.string(),
  /** The other session, if both have jobs that only one of them can have. */
  shared_with: sessionId.optional(),
  /** The index below which the archived jobs lie of which the history has none. */
  lost_below: count.optional(),
});

export const sessionEntrySchema = z.strictObject({
  user: userId,
  session: sessionId,
  version: count,
  /** Digest of the newest row in `sessions`; another text before the first. */
  meta_hash: z.string(),
  /** `total_items` of its history as last seen. */
  total: count.nullable(),
  /** How many of its jobs are in the archive. */
  archived: count,
  complete: z.boolean(),
  /** At which end of the history new jobs appear. */
  growth: z.enum(['front', 'back']).nullable(),
  /** When a complete listing of the service first lacked it; null while it is listed. */
  gone_at: instant.nullable(),
  gaps: z.array(gapEntry),
});
