/** Options of an S3 location: how it is reached and how objects are stored. Checked before the first request. */
import type { Retention } from '../../model/times/retention.js';
import { UsageError } from '../../base/error.js';

type OptionShape = { readonly describe: string } & (
  | { readonly kind: 'text' | 'address' | 'switch' | 'list' | 'retention' }
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default?: string }
);

/**
 * The options of a location, each once: the flags (`--s3-force-path-style`), variables and keys of a file follow from
 * their names, what they may be from their kind, and `S3Options` from both.
 */
export const S3_OPTIONS = {
  /** Address of an S3-compatible store; default: AWS. */
  endpoint: {
    kind: 'address',
    describe: 'The address of an S3-compatible store, such as https://s3.example.com; default: AWS',
  },
  /** Default: from the environment or the profile; with `endpoint`, `us-east-1`. */
  region: { kind: 'text', describe: 'The region of the bucket' },
  /** Puts the bucket into the path instead of the host name; default false. */
  forcePathStyle: {
    kind: 'switch',
    describe: 'Put the bucket into the path, not into the host name',
  },
  sse: { kind: 'choice', describe: 'Encryption on the server', choices: ['AES256', 'aws:kms'] },
  /** Only with `sse: 'aws:kms'`. */
  kmsKeyId: { kind: 'text', describe: 'The key for --s3-sse aws:kms' },
  /** For part files, artifacts and the log; leases and caches stay in the store's default class. */
  storageClass: { kind: 'text', describe: 'The storage class, such as STANDARD_IA' },
  acl: { kind: 'text', describe: 'A canned ACL such as bucket-owner-full-control' },
  /** `KEY=VALUE`, for every object. */
  tags: { kind: 'list', describe: 'KEY=VALUE for every object; repeatable' },
  /** What the store checks uploads against; default `sha256`. */
  checksum: {
    kind: 'choice',
    describe: 'What the store checks uploads against; none for stores that refuse checksums',
    choices: ['sha256', 'crc32', 'none'],
    default: 'sha256',
  },
  objectLock: {
    kind: 'choice',
    describe: 'The object lock mode of everything that is archived',
    choices: ['COMPLIANCE', 'GOVERNANCE'],
  },
  /** How long a locked object is retained: from its upload on, or until a date. */
  retainUntil: {
    kind: 'retention',
    describe:
      'With --s3-object-lock: how long, counted from the upload, or up to and including which day, month or year (UTC)',
  },
} as const satisfies Readonly<Record<string, OptionShape>>;

type S3OptionTable = typeof S3_OPTIONS;
interface ValueOfKind {
  readonly text: string;
  readonly address: string;
  readonly switch: boolean;
  readonly list: readonly string[];
  readonly retention: Retention;
}
export type S3OptionValue<Option extends keyof S3OptionTable> = S3OptionTable[Option] extends {
  readonly choices: readonly (infer Choice)[];
}
  ? Choice
  : S3OptionTable[Option]['kind'] extends keyof ValueOfKind
    ? ValueOfKind[S3OptionTable[Option]['kind']]
    : never;

export type S3Options = {
  readonly [Option in keyof S3OptionTable]?: S3OptionValue<Option> | undefined;
} & {
  /** The attempts of each request that fails for a moment. Default: 16, which take a minute or two. */
  readonly maxAttempts?: number | undefined;
};

const CANNED_ACLS = [
  'private',
  'public-read',
  'public-read-write',
  'authenticated-read',
  'aws-exec-read',
  'bucket-owner-read',
  'bucket-owner-full-control',
];
/** Objects in these classes must be restored for hours before `verify` and the next run can read them. */
const OFFLINE_CLASSES = new Set(['GLACIER', 'DEEP_ARCHIVE']);
/** Source: Amazon S3, "Categorizing your objects using tags". */
const MAX_TAGS = 10;
const TAG =
  /^(?<key>[\p{L}\p{Z}\p{N}_.:/+\-@]{1,128})=(?<value>[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256})$/u;

/** @throws {UsageError} naming the flag, what came and what is allowed */
export function assertS3Options(options: S3Options, nowMs: number): void {
  const { sse, kmsKeyId, storageClass, acl, objectLock, retainUntil, checksum } = options;
  assertEndpoint(options.endpoint);
  if (kmsKeyId !== undefined && sse !== 'aws:kms') {
    throw new UsageError(`--s3-kms-key-id needs --s3-sse aws:kms, but it is ${sse ?? 'not given'}`);
  }
  if (storageClass !== undefined && OFFLINE_CLASSES.has(storageClass)) {
    throw new UsageError(
      `--s3-storage-class ${storageClass} must be restored before it can be read; allowed is a class that is always readable, such as STANDARD_IA or GLACIER_IR`,
    );
  }
  if (acl !== undefined && !CANNED_ACLS.includes(acl)) {
    throw new UsageError(`--s3-acl is ${acl}; allowed is ${CANNED_ACLS.join(', ')}`);
  }
  tagHeader(options.tags);
  if (objectLock !== undefined && retainUntil === undefined) {
    throw new UsageError(`--s3-object-lock ${objectLock} needs --s3-retain-until, such as 7y`);
  }
  if (objectLock === undefined && retainUntil !== undefined) {
    throw new UsageError(
      '--s3-retain-until needs --s3-object-lock; allowed is COMPLIANCE or GOVERNANCE',
    );
  }
  if (retainUntil && 'untilMs' in retainUntil && retainUntil.untilMs <= nowMs) {
    const day = new Date(retainUntil.untilMs).toISOString().slice(0, 10);
    throw new UsageError(
      `--s3-retain-until is ${day}, which is in the past; allowed is a future day`,
    );
  }
  if (objectLock !== undefined && checksum === 'none') {
    throw new UsageError(
      '--s3-checksum is none, but --s3-object-lock needs a checksum; allowed is sha256 or crc32',
    );
  }
}

/**
 * Tags in the form of the `x-amz-tagging` header; undefined without tags.
 *
 * @throws {UsageError}
 */
export function tagHeader(tags: readonly string[] = []): string | undefined {
  const header = new URLSearchParams();
  for (const tag of tags) {
    const { key, value } = TAG.exec(tag)?.groups ?? {};
    if (key === undefined || value === undefined) {
      throw new UsageError(
        `--s3-tags has ${JSON.stringify(tag)}; allowed is KEY=VALUE of letters, digits, spaces and _ . : / = + - @`,
      );
    }
    if (header.has(key)) throw new UsageError(`--s3-tags has the key ${key} twice`);
    header.set(key, value);
  }
  if (header.size > MAX_TAGS) {
    throw new UsageError(`--s3-tags has ${header.size} tags; allowed are ${MAX_TAGS}`);
  }
  return header.size === 0 ? undefined : header.toString();
}

function assertEndpoint(endpoint: string | undefined): void {
  if (endpoint === undefined) return;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const { username, password, search, hash } = url ?? {};
  if (!/^https?:$/.test(url?.protocol ?? '') || username || password || search || hash) {
    // the value is not shown: it may contain a password
    throw new UsageError(
      '--s3-endpoint is not a valid address; allowed is http:// or https:// with host and port, without credentials or query',
    );
  }
}
