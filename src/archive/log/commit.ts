/** What a commit says. Keys come in this order in the file: I-11 in FORMAT.md, which explains each. */
import { z } from 'zod';
import type { Json } from '../../base/canonical-json.js';
import type { JobId, RunId, SessionId, UserId } from '../../model/ids.js';
import { commitIdentitySchema } from '../identity.js';
import { COMMIT_KINDS, kindProblem } from './commit-kind.js';
import { manifestPath, isArtifactPath, isContent, isPart } from '../paths.js';

const count = z.int().nonnegative();
const instant = z.iso.datetime();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const ulidText = z.string().regex(ULID);
const runId = idText<RunId>(ULID);
const userId = idText<UserId>();
const sessionId = idText<SessionId>();
const jobId = idText<JobId>();

/** A part file of a table, or a workbook: then `table` is `workbook` and `schema` null. */
const fileEntry = z.strictObject({
  path: pathOf(isPart),
  table: z.string().min(1),
  rows: count,
  bytes: count,
  sha256,
  schema: z.string().min(1).nullable(),
});

const artifactEntry = z.strictObject({ path: pathOf(isArtifactPath), bytes: count, sha256 });

/** Something that could not be archived; `job` is null where it concerns the session as a whole. */
const gapEntry = z.strictObject({
  job: jobId.nullable(),
  /** Where the file is meant to be: null, like both places, where no file is meant. */
  role: z.string().min(1).nullable(),
  block_index: count.nullable(),
  file_index: count.nullable(),
  kind: z.string().nullable(),
  status: z.string().min(1),
  reason: z.string(),
});

export const sessionEntrySchema = z.strictObject({
  user: userId,
  session: sessionId,
  version: count,
  /** Of what the newest row in `sessions` says; empty before the first row. */
  meta_hash: z.string(),
  /** `total_items` of its history as last seen. */
  total: count.nullable(),
  /** How many of its jobs are in the archive. */
  archived: count,
  complete: z.boolean(),
  /** Where new jobs showed up. */
  growth: z.enum(['front', 'back']).nullable(),
  /** When a complete listing of the service was first seen without it; null while it is listed. */
  gone_at: instant.nullable(),
  gaps: z.array(gapEntry),
});

/** The jobs manifest: a line for each job that is new or changed. */
const jobsEntry = z.strictObject({ path: z.string(), rows: count, bytes: count, sha256 });

/** A line of the jobs manifest. */
export const jobLineSchema = z.strictObject({
  user: userId,
  session: sessionId,
  job: jobId,
  version: count,
  /** Of the content, without the queries of its pointers to files. */
  hash: z.string().min(1),
  /** Of the record's text with presigning masked: equal means unchanged, for exports only. Null where not known. */
  text_hash: z.string().min(1).nullable(),
  /** Of those queries, parameter by parameter; null where nothing is in them but presigning. */
  urls: z.record(z.string().regex(/^[0-9a-f]{16}$/), z.string().regex(/^[0-9a-f]{32}$/)).nullable(),
  /** Of the stored files, place by place; null where there are none. */
  files: sha256.nullable(),
  settled: z.boolean(),
  /** When this content was first seen. */
  seen_at: instant,
  /** Place in the session's history, from 0. */
  index: count,
  /** How many of its files are not stored. */
  gaps: count,
  /** How many of its files are stored with doubtful content. */
  suspicious: count,
});

const deletionEntry = z.strictObject({
  user: userId,
  session: sessionId,
  deleted_at: instant,
  /** The commit where the session is archived. */
  commit: count,
  job_count: count,
  outcome: z.string().min(1),
});

/** The completeness proof of one user, in counts. */
const userEntry = z.strictObject({
  user: userId,
  /** Distinct sessions listed. */
  listed: count,
  total_items: count.nullable(),
  complete: z.boolean(),
  sessions: z.strictObject({ new: count, changed: count, unchanged: count, failed: count }),
  /** New versions written. */
  jobs: z.strictObject({ archived: count }),
  gaps: count,
  error: z.string().nullable(),
});

/**
 * A lawful erasure, told twice. `begun` vouches for what is left of the commits that named what was
 * erased; `finished` says that nothing else stands any more. Neither tells what it was.
 */
const erasureEntry = z.discriminatedUnion('stage', [
  z.strictObject({
    stage: z.literal('begun'),
    /** Random: the receipt's own name. */
    id: ulidText,
    reason: z.string().nullable(),
    asked: z.strictObject({ users: count, sessions: count }),
    erased: z.strictObject({
      sessions: count,
      jobs: count,
      rows: z.record(z.string(), count),
      workbooks: count,
      artifacts: count,
      artifact_bytes: count,
    }),
    /** What stands in place of earlier commits, and of their lists of jobs. */
    commits: z.array(z.strictObject({ number: count, sha256, jobs_sha256: sha256.nullable() })),
  }),
  z.strictObject({ stage: z.literal('finished'), id: ulidText, begun: count }),
]);

const heldText = z.string().min(1);

/**
 * A hold that is set, on a user or on a session (of any user), or one that is released. A hold keeps
 * what it names from being deleted or erased until then.
 */
const holdEntry = z.discriminatedUnion('action', [
  z
    .strictObject({
      action: z.literal('add'),
      /** The hold's own name. */
      id: ulidText,
      user: userId.nullable(),
      session: sessionId.nullable(),
      reason: heldText,
      /** Who asked for it. */
      by: heldText,
    })
    .refine(({ user, session }) => (user === null) !== (session === null)),
  z.strictObject({ action: z.literal('release'), id: ulidText, reason: heldText, by: heldText }),
]);

/** A commit but for its signature and its own digest. */
export const unsealedSchema = z.strictObject({
  /** Whose log it belongs to: what jobvault.json says, but for its format. */
  archive: commitIdentitySchema,
  number: z.int().positive(),
  kind: z.enum(COMMIT_KINDS),
  run: runId,
  /** Counts the run's commits, from 1. */
  checkpoint: z.int().positive(),
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  /** The newest commit that the run had read when it planned this one; 0 for none. */
  base: count,
  /** Digest of the commit before. */
  previous: sha256.nullable(),
  created_at: instant,
  tool: z.string().min(1),
  scope: z.record(z.string(), z.json() as z.ZodType<Json>),
  files: z.array(fileEntry),
  /** Paths that leave the archive. */
  removed: z.array(pathOf(isContent)),
  artifacts: z.array(artifactEntry),
  /** Changes only. */
  sessions: z.array(sessionEntrySchema),
  jobs: jobsEntry.nullable(),
  deletions: z.array(deletionEntry),
  /** Runs that were taken for dead: they may not commit any more. */
  abandoned: z.array(runId),
  users: z.array(userEntry),
  erasure: erasureEntry.optional(),
  holds: z.array(holdEntry).optional(),
});

export const commitSchema = unsealedSchema
  .extend({
    /** SHA-256 of the signer's public key (DER, SubjectPublicKeyInfo); null where it is not signed. */
    signed_by: sha256.nullable(),
    /** Ed25519, in base64; null where it is not signed. */
    signature: z
      .string()
      .regex(/^[A-Za-z0-9+/]{86}==$/)
      .nullable(),
    /** Of the commit as it was made, also where an erasure has left something out since. */
    digest: sha256,
    /** The commit that vouches for these very bytes, where something was left out. */
    redacted_by: z.int().positive().optional(),
  })
  .refine((commit) => kindProblem(commit) === undefined)
  .refine(({ signed_by: by, signature }) => (by === null) === (signature === null))
  .refine(({ number, jobs }) => jobs === null || jobs.path === manifestPath(number, jobs.sha256));

/** Which settings chose the data; no secrets. */
export type CommitScope = Readonly<Record<string, Json>>;
export type Unsealed = WithScope<Immutable<Omit<z.infer<typeof unsealedSchema>, 'scope'>>>;
export type Commit = WithScope<Immutable<Omit<z.infer<typeof commitSchema>, 'scope'>>>;
export type FileEntry = Commit['files'][number];
export type ArtifactEntry = Commit['artifacts'][number];
export type SessionEntry = Commit['sessions'][number];
export type GapEntry = SessionEntry['gaps'][number];
export type DeletionEntry = Commit['deletions'][number];
export type UserEntry = Commit['users'][number];
export type ErasureEntry = NonNullable<Commit['erasure']>;
export type BegunErasure = Extract<ErasureEntry, { readonly stage: 'begun' }>;
export type HoldEntry = NonNullable<Commit['holds']>[number];
export type JobsEntry = NonNullable<Commit['jobs']>;
export type JobLine = Immutable<z.infer<typeof jobLineSchema>>;

type WithScope<T> = T & { readonly scope: CommitScope };
/** Ids are strings and stay what they are. */
type Immutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { readonly [K in keyof T]: Immutable<T[K]> };

function idText<Id extends string>(shape = /[^]/): z.ZodType<Id> {
  return z.custom<Id>((value) => typeof value === 'string' && shape.test(value));
}

/** What a commit names is read, replaced and deleted: it can name nothing that jobvault would not write there. */
function pathOf(isAllowed: (path: string) => boolean): z.ZodString {
  return z.string().refine(isAllowed, 'no path that a commit may name here');
}
