/** Fields that entries of a commit share: counts, times, digests, ids, paths. */
import { z } from 'zod';
import type { JobId, RunId, SessionId, UserId } from '../../model/ids.js';

export const count = z.int().nonnegative();
export const instant = z.iso.datetime();
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
export const ulidText = z.string().regex(ULID);
export const runId = idText<RunId>(ULID);
export const userId = idText<UserId>();
export const sessionId = idText<SessionId>();
export const jobId = idText<JobId>();

/** What people have written, or a name. */
export const heldText = z.string().min(1);

function idText<Id extends string>(shape = /[^]/): z.ZodType<Id> {
  return z.custom<Id>((value) => typeof value === 'string' && shape.test(value));
}

/** Named objects are read, replaced and deleted, so a commit may only name paths that jobvault makes. */
export function pathOf(isAllowed: (path: string) => boolean): z.ZodString {
  return z.string().refine(isAllowed, 'not a path that a commit may name here');
}
