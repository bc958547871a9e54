/** The schema of a commit. The keys have this order in the file (I-11 in FORMAT.md, which explains each key). */
import { z } from 'zod';
import type { Json } from '../../base/text/canonical-json.js';
import { commitIdentitySchema } from '../identity.js';
import { manifestPath, isPart, throughOfSnapshot, type ManifestName } from '../paths.js';
import {
  count,
  instant,
  sha256,
  ulidText,
  runId,
  userId,
  sessionId,
  jobId,
  pathOf,
} from './commit-fields.js';
import { COMMIT_KINDS, kindProblem } from './commit-kinds.js';
import {
  holdEntry,
  acceptedEntry,
  acceptedImageEntry,
  requestEntry,
  drillEntry,
  suppressionEntry,
  retentionEntry,
} from './note-entries.js';
import { sessionEntrySchema } from './session-entry.js';

/** A part file of a table. */
const fileEntry = z.strictObject({
  path: pathOf(isPart),
  table: z.string().min(1),
  rows: count,
  bytes: count,
  sha256,
  schema: z.string().min(1),
  /** Bounds of `created_at` in microseconds, in Parquet files of `sessions` and `jobs`; null where they say nothing. */
  created: z.tuple([z.int(), z.int()]).nullable().optional(),
});

/** How many artifacts the run has put for it, and their bytes: rows name them. */
const artifactCounts = z.strictObject({ count, bytes: count });

/** The jobs manifest: one line for each new or changed job. */
const jobsEntry = z.strictObject({ path: z.string(), rows: count, bytes: count, sha256 });

/** The users manifest: one line for each user that was listed. */
const usersEntry = jobsEntry.extend({
  /** How many of its lines say `complete`, and have neither `left` nor `by_decision`. */
  complete: count,
  /** How many of its lines say `by_decision`, and have no `left`; absent of none. */
  by_decision: count.optional(),
  /** How many of its lines have `left`; absent of none. */
  left: count.optional(),
});

/** A line of the jobs manifest. */
export const jobLineSchema = z.strictObject({
  user: userId,
  session: sessionId,
  job: jobId,
  version: count,
  /** Digest of the content, without the queries of its file URLs. */
  hash: z.string().min(1),
  /** Digest of the record's text with presigning masked: equal means unchanged, for exports only. Null if unknown. */
  text_hash: z.string().min(1).nullable(),
  /** Digests of the parameters of those queries; null if there is nothing but presigning in them. */
  urls: z.record(z.string().regex(/^[0-9a-f]{16}$/), z.string().regex(/^[0-9a-f]{32}$/)).nullable(),
  /** Digest over place and SHA-256 of the stored files; null if there are none. */
  files: sha256.nullable(),
  settled: z.boolean(),
  /** When this content was first seen. */
  seen_at: instant,
  /** Its place in the session, from 0, as of when it was first seen. */
  index: count,
  /** How many of its files are not stored. */
  gaps: count,
  /** How many of its files are stored with doubtful content. */
  suspicious: count,
  /** The SHA-256 of each of its files that is an image with the same bytes as others; absent where there are none. */
  same_images: z.array(sha256).readonly().optional(),
  /** The service shows the job in another session: this version takes it out of this one. */
  withdrawn: z.literal(true).optional(),
});

const deletionEntry = z.strictObject({
  user: userId,
  session: sessionId,
  deleted_at: instant,
  /** Number of the commit in which the session is archived. */
  commit: count,
  job_count: count,
  outcome: z.string().min(1),
});

/** A line of the users manifest: the completeness proof of one user's listing, in counts. */
export const userLineSchema = z.strictObject({
  user: userId,
  /** When the listing had ended, by the clock of the run: the commit may come hours later. */
  listed_at: instant,
  /** Distinct sessions listed. */
  listed: count,
  total_items: count.nullable(),
  complete: z.boolean(),
  sessions: z.strictObject({ new: count, changed: count, unchanged: count, failed: count }),
  /** New versions written. */
  jobs: z.strictObject({ archived: count }),
  gaps: count,
  error: z.string().nullable(),
  /** The status of the gap that `error` is; absent of `failed`, and without an error. */
  gap: z.enum(['refused', 'doubtful', 'incomplete']).optional(),
  /** Sessions of the user that erasures before this listing have certainly taken, as counts show; absent of none. */
  erased: count.optional(),
  /** Sessions that the service lists and the run skipped: erased, and not to come back. Not in `listed` and `total_items`; absent of none. */
  suppressed: count.optional(),
  /** Something is missing, and somebody has decided on all of it: accepted gaps, and what was erased. */
  by_decision: z.literal(true).optional(),
  /** Listed sessions that the run's budget left unchecked: the archive may have older versions of them; absent of none. */
  left: count.optional(),
});

/**
 * An erasure, recorded by two commits. `begun` vouches for the redacted commits; `finished` says that
 * everything was erased. Neither says what was erased.
 */
const erasureEntry = z.discriminatedUnion('stage', [
  z.strictObject({
    stage: z.literal('begun'),
    /** Names the receipt. */
    id: ulidText,
    reason: z.string().nullable(),
    /** The person who did it. */
    by: z.string().min(1).optional(),
    /** The request for which it was done. */
    request: ulidText.optional(),
    asked: z.strictObject({ users: count, sessions: count }),
    erased: z.strictObject({
      sessions: count,
      jobs: count,
      rows: z.record(z.string(), count),
      artifacts: count,
      artifact_bytes: count,
    }),
    /** What was asked for and kept, because it is on hold; absent where nothing was. */
    held: z.strictObject({ sessions: count, jobs: count }).optional(),
    /** What was asked for and kept, because somebody else lists it, too, and something else of its user is on hold; absent where nothing was. */
    shared: z.strictObject({ sessions: count, jobs: count }).optional(),
    /**
     * Whom exports skip from then on: users, and sessions of others. `users_held` were asked for and go on being exported,
     * because something of them is on hold. Absent where nothing is suppressed.
     */
    suppressed: z.strictObject({ users: count, sessions: count, users_held: count }).optional(),
    /** Erased sessions that the service still had when it was asked last; absent of none. */
    at_service: count.optional(),
    /** Sessions that stay though they have jobs of what is erased, and those jobs; absent where there are none. */
    still_there: z.strictObject({ sessions: count, jobs: count }).optional(),
    /** Texts of people in the log that became `[erased]` with it; absent of none. */
    texts: count.optional(),
    /** Redacted commits and their manifests. */
    commits: z.array(
      z.strictObject({
        number: count,
        sha256,
        jobs_sha256: sha256.nullable(),
        users_sha256: sha256.nullable(),
      }),
    ),
  }),
  z.strictObject({ stage: z.literal('finished'), id: ulidText, begun: count }),
]);

/** Where readers find what the commits up to `through` say together. */
const snapshotEntry = z.strictObject({
  path: pathOf((path) => throughOfSnapshot(path) !== undefined),
  bytes: count,
  sha256,
  /** The newest commit that it takes into account. */
  through: count,
  /** How many of the bytes are of the sessions, which come first. */
  sessions_bytes: count,
});

/** A commit without signature and digest. */
export const unsealedSchema = z.strictObject({
  /** The archive to which it belongs: jobvault.json without `format`. */
  archive: commitIdentitySchema,
  number: z.int().positive(),
  kind: z.enum(COMMIT_KINDS),
  run: runId,
  /** Counts the run's commits, from 1. */
  checkpoint: z.int().positive(),
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  /** The newest commit that the run had read when it planned this one; 0 for none. */
  base: count,
  /** Digest of the previous commit. */
  previous: sha256.nullable(),
  created_at: instant,
  /** A `Date` of the service had agreed with that clock, and none had not; absent where nobody asked. */
  clock_confirmed: z.literal(true).optional(),
  tool: z.string().min(1),
  scope: z.record(z.string(), z.json() as z.ZodType<Json>),
  files: z.array(fileEntry),
  /** Paths that leave the archive. */
  removed: z.array(pathOf(isPart)),
  artifacts: artifactCounts.optional(),
  /** Only sessions that have changed. */
  sessions: z.array(sessionEntrySchema),
  jobs: jobsEntry.nullable(),
  deletions: z.array(deletionEntry),
  /** Runs that are considered dead: they may not commit any more. */
  abandoned: z.array(runId),
  users: usersEntry.nullable(),
  erasure: erasureEntry.optional(),
  holds: z.array(holdEntry).optional(),
  accepted: z.array(acceptedEntry).optional(),
  accepted_images: z.array(acceptedImageEntry).optional(),
  requests: z.array(requestEntry).optional(),
  drill: drillEntry.optional(),
  suppressions: z.array(suppressionEntry).optional(),
  retention: retentionEntry.optional(),
  snapshot: snapshotEntry.optional(),
});

export const commitSchema = unsealedSchema
  .extend({
    /** SHA-256 of the signer's public key (DER, SubjectPublicKeyInfo); null if it is not signed. */
    signed_by: sha256.nullable(),
    /** Ed25519, in base64; null if it is not signed. */
    signature: z
      .string()
      .regex(/^[A-Za-z0-9+/]{86}==$/)
      .nullable(),
    /** Digest of the commit as it was made, also after an erasure has redacted it. */
    digest: sha256,
    /** Number of the commit that vouches for the redacted bytes; absent if nothing was redacted. */
    redacted_by: z.int().positive().optional(),
  })
  .refine((commit) => kindProblem(commit) === undefined)
  .refine(({ signed_by: by, signature }) => (by === null) === (signature === null))
  .refine(({ number, jobs, users }) =>
    Object.entries({ jobs, users }).every(
      ([name, entry]) =>
        entry === null || entry.path === manifestPath(name as ManifestName, number, entry.sha256),
    ),
  )
  .refine(
    ({ number, snapshot }) =>
      snapshot === undefined ||
      (snapshot.through < number && throughOfSnapshot(snapshot.path) === snapshot.through),
  );

/** The settings that chose the data; no secrets. */
export type CommitScope = Readonly<Record<string, Json>>;
export type Unsealed = WithScope<Immutable<Omit<z.infer<typeof unsealedSchema>, 'scope'>>>;
export type Commit = WithScope<Immutable<Omit<z.infer<typeof commitSchema>, 'scope'>>>;
export type FileEntry = Commit['files'][number];
export type ArtifactCounts = NonNullable<Commit['artifacts']>;
export type SessionEntry = Commit['sessions'][number];
export type GapEntry = SessionEntry['gaps'][number];
export type DeletionEntry = Commit['deletions'][number];

/** Whether the session was found gone, without a DELETE of ours: then it is gone, as if a listing had lacked it. */
export function wasFoundGone({ outcome }: Pick<DeletionEntry, 'outcome'>): boolean {
  return outcome === 'already-gone';
}
export type ErasureEntry = NonNullable<Commit['erasure']>;
export type BegunErasure = Extract<ErasureEntry, { readonly stage: 'begun' }>;
export type HoldEntry = NonNullable<Commit['holds']>[number];
export type AcceptedEntry = NonNullable<Commit['accepted']>[number];
export type AcceptedImageEntry = NonNullable<Commit['accepted_images']>[number];
export type RequestEntry = NonNullable<Commit['requests']>[number];
export type DrillEntry = NonNullable<Commit['drill']>;
export type SuppressionEntry = NonNullable<Commit['suppressions']>[number];
export type RetentionEntry = NonNullable<Commit['retention']>;
export type SnapshotEntry = NonNullable<Commit['snapshot']>;
export type JobsEntry = NonNullable<Commit['jobs']>;
export type UsersEntry = NonNullable<Commit['users']>;
export type JobLine = Immutable<z.infer<typeof jobLineSchema>>;
export type UserEntry = Immutable<z.infer<typeof userLineSchema>>;

type WithScope<T> = T & { readonly scope: CommitScope };
/** Branded ids are strings and stay as they are. */
type Immutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [K in keyof T]: Immutable<T[K]> };
