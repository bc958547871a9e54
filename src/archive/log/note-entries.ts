/** What people have decided and asked, as a commit has it: holds, acceptances, requests, drills, suppressions, retention. */
import { z } from 'zod';
import { count, sha256, ulidText, userId, sessionId, jobId, heldText } from './commit-fields.js';
import { gapEntry } from './session-entry.js';

/**
 * A hold that is set on a user or on a session (of any user), or one that is released. Until then, what it
 * names is neither deleted nor erased.
 */
export const holdEntry = z.discriminatedUnion('action', [
  z
    .strictObject({
      action: z.literal('add'),
      /** Names the hold. */
      id: ulidText,
      user: userId.nullable(),
      session: sessionId.nullable(),
      reason: heldText,
      /** Who asked for it. */
      by: heldText,
      /** The request for which it was set. */
      request: ulidText.optional(),
      /** Who set it for them; only where somebody else may have asked. */
      set_by: heldText.optional(),
    })
    .refine(({ user, session }) => (user === null) !== (session === null)),
  z.strictObject({ action: z.literal('release'), id: ulidText, reason: heldText, by: heldText }),
]);

/** A gap that somebody has seen and accepts, as `gaps[]` of its session names it; or that this is withdrawn. */
export const acceptedEntry = gapEntry.omit({ reason: true }).extend({
  /** The most jobs that a history may lack that was not read to its end: more is another gap. */
  lacking: count.optional(),
  action: z.enum(['accept', 'withdraw']),
  /** Names the acceptance. */
  id: ulidText,
  user: userId,
  session: sessionId,
  reason: heldText,
  by: heldText,
});

/** An image that is what it should be, though other places have its bytes; or that this is withdrawn. */
export const acceptedImageEntry = z.strictObject({
  action: z.enum(['accept', 'withdraw']),
  /** Names the acceptance. */
  id: ulidText,
  /** SHA-256 of the image. */
  sha256,
  reason: heldText,
  by: heldText,
});

/** Where words were looked for; null of a request without words, or that looks everywhere. */
const searchFields = z.array(z.string().min(1)).readonly().nullable();
const limitText = z.string().min(1).nullable();

/** What was told of an answer: how much of each kind, and never who or what. */
const toldCaveat = z.strictObject({
  kind: z.string().min(1),
  severity: z.enum(['missing', 'doubt', 'note']),
  count,
  headline: z.string().min(1),
});

/** How many jobs a search looked at and found, which is null of a pack that nothing has narrowed, and how many are withheld. */
const searchedCounts = {
  /** The newest commit that was read. */
  commit: count,
  /** Jobs that are in the period, or may be. */
  total: count.nullable(),
  searched: count.nullable(),
  matches: count.nullable(),
  /** How many were withheld by decision: of those that a search found, if there was one. */
  withheld: count,
  /** What qualifies the answer, what is missing first. */
  caveats: z.array(toldCaveat).readonly(),
};

/** Somebody's request for what certain people asked, what was done for it, and that it is closed. */
export const requestEntry = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('new'),
    /** Names the request. */
    id: ulidText,
    name: heldText,
    reason: heldText,
    /** Who asked for it. */
    by: heldText,
    /** Whom it is about; empty, like `sessions`: everybody. */
    users: z.array(userId).readonly(),
    /** Which sessions it is about, where it is about sessions and not about users. */
    sessions: z.array(sessionId).readonly(),
    match: heldText.nullable(),
    in: searchFields,
    from: limitText,
    to: limitText,
  }),
  z.strictObject({
    action: z.literal('search'),
    id: ulidText,
    by: heldText,
    match: heldText.nullable(),
    in: searchFields,
    from: limitText,
    to: limitText,
    ...searchedCounts,
  }),
  z.strictObject({
    action: z.literal('pack'),
    id: ulidText,
    by: heldText,
    /** What was delivered, where it is not an evidence pack. */
    form: z.enum(['workbook', 'report', 'copy']).optional(),
    /** SHA-256 of the pack's `tagmanifest-sha256.txt`, and so of all that is in it; of a workbook: of its file; of a report: of its list of files; of a pseudonymised copy: the digest of its newest commit. */
    digest: sha256,
    sessions: count,
    jobs: count,
    /** Tables and images whose files are handed over, each once; none of a workbook and a copy. */
    artifacts: count,
    ...searchedCounts,
  }),
  z.strictObject({
    action: z.literal('decide'),
    id: ulidText,
    session: sessionId,
    /** Null: all of the session. */
    job: jobId.nullable(),
    decision: z.enum(['withhold', 'include', 'redact']),
    /** The key of the request's digests, in hexadecimal: all its decisions have the same. */
    key: sha256,
    /** HMAC-SHA256 of the session: with it the decision is known again where an erasure has taken the id. */
    session_digest: sha256,
    /** HMAC-SHA256 of the job; null where the decision is about all of the session. */
    job_digest: sha256.nullable(),
    reason: heldText,
    by: heldText,
  }),
  z.strictObject({ action: z.literal('close'), id: ulidText, reason: heldText, by: heldText }),
]);

/** The archive was restored from itself, and this came back. In counts: it names nobody. */
export const drillEntry = z.strictObject({
  /** The newest commit that was restored. */
  commit: z.int().positive(),
  /** The share of the sessions. */
  sample: z.number().positive().max(1),
  sessions: count,
  jobs: count,
  rows: count,
  files: count,
  /** Places in the newest answers whose file the archive does not have. */
  not_stored: count,
  /** Sessions and tables in which what was restored is not the same. */
  differences: count,
});

/** Exports skip the user or the session with this digest from this commit on; or do so no more, or one has archived it again. */
export const suppressionEntry = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('add'),
    /** Names the entry. */
    id: ulidText,
    subject: z.enum(['user', 'session']),
    /** The key of the archive's digests, in hexadecimal: all entries have the same. */
    key: sha256,
    /** HMAC-SHA256 over `subject`, a zero byte and the id; of a user in the form in which its spellings are equal. */
    digest: sha256,
    /** Why; absent in the commit of an erasure, whose receipt says it. */
    reason: heldText.optional(),
    /** Who set it; absent in the commit of an erasure, too. */
    by: heldText.optional(),
  }),
  z.strictObject({ action: z.literal('lift'), id: ulidText, reason: heldText, by: heldText }),
  /** What the commit of an export says of a session that it archives again, or of a user who is skipped no more. */
  z.strictObject({ action: z.literal('back'), id: ulidText }),
]);

/** Nothing expires that is younger, until another commit says something else. */
export const retentionEntry = z.strictObject({
  /** 0: there is no floor any more. */
  min_ms: count,
  reason: heldText,
  by: heldText,
});
