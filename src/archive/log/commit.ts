/** The schema of a commit, and what each kind of commit may contain. The keys have this order in the file (I-11 in FORMAT.md, which explains each key). */
import { z } from 'zod';
import type { Json } from '../../base/text/canonical-json.js';
import type { JobId, RunId, SessionId, UserId } from '../../model/ids.js';
import { commitIdentitySchema } from '../identity.js';
import { manifestPath, isPart, throughOfSnapshot, type ManifestName } from '../paths.js';

const COMMIT_KINDS = [
  'export',
  'prune',
  'compact',
  'erase',
  'abandon',
  'hold',
  'accept',
  'request',
  'work',
  'drill',
  'suppress',
  'retention',
  'snapshot',
] as const;
/**
 * `export`: what a run archived. `prune`: sessions deleted from the service. `compact`: small files merged. `erase`: rows
 * removed permanently, in two commits. `abandon`: dead runs that may not commit any more. `hold`: holds set or released.
 * `accept`: gaps that somebody accepts. `request`: what somebody asked for, what was decided about it, and holds released with
 * it. `work`: what was searched or made for a request. `drill`: the archive was restored from itself. `suppress`: whom exports
 * skip, or skip no more. `retention`: how long everything is kept at least. `snapshot`: where one of the log is.
 */
export type CommitKind = (typeof COMMIT_KINDS)[number];

interface Held {
  readonly number: number;
  readonly kind: CommitKind;
  readonly files: readonly unknown[];
  readonly removed: readonly unknown[];
  readonly artifacts?: unknown;
  readonly sessions: readonly unknown[];
  readonly jobs: unknown;
  readonly deletions: readonly unknown[];
  readonly abandoned: readonly unknown[];
  readonly users: unknown;
  readonly erasure?: unknown;
  readonly holds?: readonly unknown[] | undefined;
  readonly accepted?: readonly unknown[] | undefined;
  readonly accepted_images?: readonly unknown[] | undefined;
  readonly requests?: readonly { readonly action: string }[] | undefined;
  readonly drill?: { readonly commit: number } | undefined;
  readonly suppressions?: readonly unknown[] | undefined;
  readonly retention?: unknown;
  readonly snapshot?: unknown;
}

const HOLDINGS: Readonly<Record<CommitKind, readonly (keyof Held)[]>> = {
  export: ['files', 'artifacts', 'sessions', 'jobs', 'users', 'suppressions'],
  prune: ['files', 'deletions'],
  compact: ['files', 'removed'],
  erase: ['files', 'removed', 'sessions', 'erasure', 'suppressions'],
  abandon: ['abandoned'],
  hold: ['holds'],
  accept: ['accepted', 'accepted_images'],
  request: ['requests', 'holds'],
  work: ['requests'],
  drill: ['drill'],
  suppress: ['suppressions'],
  retention: ['retention'],
  snapshot: ['snapshot'],
};

/** What the commit must not contain, or lacks, for its kind; undefined if it is right. */
export function kindProblem(commit: Held): string | undefined {
  const { kind, files, removed, sessions, jobs, deletions, abandoned, users } = commit;
  if (kind === 'erase' && commit.erasure === undefined) return 'it has no erasure';
  if (kind === 'drill' && commit.drill === undefined) return 'it has no drill';
  if (commit.drill && commit.drill.commit >= commit.number) {
    return 'its drill is of a commit that was not yet there';
  }
  if (kind === 'snapshot' && commit.snapshot === undefined) return 'it has no snapshot';
  const isAsItsKind = ({ action }: { readonly action: string }): boolean =>
    (action === 'search' || action === 'pack') === (kind === 'work');
  if (!(commit.requests ?? []).every(isAsItsKind)) {
    return `its entries of requests are not those of its kind, ${kind}`;
  }
  const held = Object.entries({
    files,
    removed,
    artifacts: commit.artifacts === undefined ? [] : [commit.artifacts],
    sessions,
    deletions,
    abandoned,
    jobs: jobs === null ? [] : [jobs],
    users: users === null ? [] : [users],
    erasure: commit.erasure === undefined ? [] : [commit.erasure],
    holds: commit.holds ?? [],
    accepted: commit.accepted ?? [],
    accepted_images: commit.accepted_images ?? [],
    requests: commit.requests ?? [],
    drill: commit.drill === undefined ? [] : [commit.drill],
    suppressions: commit.suppressions ?? [],
    retention: commit.retention === undefined ? [] : [commit.retention],
    snapshot: commit.snapshot === undefined ? [] : [commit.snapshot],
  });
  const allowed: readonly string[] = HOLDINGS[kind];
  const misplaced = held.find(([name, list]) => list.length > 0 && !allowed.includes(name));
  return misplaced && `a commit of kind ${kind} may not hold ${misplaced[0]}`;
}

/**
 * Whether nothing that is told of what is archived is otherwise after the commit: it only notes that something was searched,
 * made or tried.
 */
export function isOnlyNote({ kind }: { readonly kind: CommitKind }): boolean {
  return kind === 'work' || kind === 'drill' || kind === 'snapshot';
}

/** Whether the commit's files hold rows that other commits wrote. */
export function isRewrite({ kind }: { readonly kind: CommitKind }): boolean {
  return kind === 'compact' || kind === 'erase';
}

const count = z.int().nonnegative();
const instant = z.iso.datetime();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const ulidText = z.string().regex(ULID);
const runId = idText<RunId>(ULID);
const userId = idText<UserId>();
const sessionId = idText<SessionId>();
const jobId = idText<JobId>();

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

/** Something that could not be archived; `job` is null if it concerns the whole session. */
const gapEntry = z.strictObject({
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

const sessionEntrySchema = z.strictObject({
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

/** The jobs manifest: one line for each new or changed job. */
const jobsEntry = z.strictObject({ path: z.string(), rows: count, bytes: count, sha256 });

/** The users manifest: one line for each user that was listed. */
const usersEntry = jobsEntry.extend({
  /** How many of its lines say `complete`. */
  complete: count,
  /** How many of these say `by_decision`, too; absent of none. */
  by_decision: count.optional(),
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

const heldText = z.string().min(1);

/**
 * A hold that is set on a user or on a session (of any user), or one that is released. Until then, what it
 * names is neither deleted nor erased.
 */
const holdEntry = z.discriminatedUnion('action', [
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
const acceptedEntry = gapEntry.omit({ reason: true }).extend({
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
const acceptedImageEntry = z.strictObject({
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

/** How many jobs a search looked at and found; null of a pack that nothing has narrowed. */
const searchedCounts = {
  /** The newest commit that was read. */
  commit: count,
  /** Jobs that are in the period, or may be. */
  total: count.nullable(),
  searched: count.nullable(),
  matches: count.nullable(),
  /** How many of these were withheld by decision. */
  withheld: count.nullable(),
  /** What qualifies the answer, what is missing first. */
  caveats: z.array(toldCaveat).readonly(),
};

/** Somebody's request for what certain people asked, what was done for it, and that it is closed. */
const requestEntry = z.discriminatedUnion('action', [
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
    /** The same of the job; null of all of the session. */
    job_digest: sha256.nullable(),
    reason: heldText,
    by: heldText,
  }),
  z.strictObject({ action: z.literal('close'), id: ulidText, reason: heldText, by: heldText }),
]);

/** The archive was restored from itself, and this came back. In counts: it names nobody. */
const drillEntry = z.strictObject({
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
const suppressionEntry = z.discriminatedUnion('action', [
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
    /** Who set it; absent likewise. */
    by: heldText.optional(),
  }),
  z.strictObject({ action: z.literal('lift'), id: ulidText, reason: heldText, by: heldText }),
  /** Of a session, in the commit of the export that archives it again. */
  z.strictObject({ action: z.literal('back'), id: ulidText }),
]);

/** Nothing expires that is younger, until another commit says something else. */
const retentionEntry = z.strictObject({
  /** 0: there is no floor any more. */
  min_ms: count,
  reason: heldText,
  by: heldText,
});

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

function idText<Id extends string>(shape = /[^]/): z.ZodType<Id> {
  return z.custom<Id>((value) => typeof value === 'string' && shape.test(value));
}

/** Named objects are read, replaced and deleted, so a commit may only name paths that jobvault makes. */
function pathOf(isAllowed: (path: string) => boolean): z.ZodString {
  return z.string().refine(isAllowed, 'not a path that a commit may name here');
}
