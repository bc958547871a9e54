/** Options of an S3 location: how it is reached and how objects are stored. Checked before the first request. */
import type { Retention } from '../../model/records.js';
import { UsageError } from '../../base/error.js';
import { isObjectPath } from '../storage.js';

export interface S3Options {
  /** Address of an S3-compatible store; default: AWS. */
  readonly endpoint?: string | undefined;
  /** Default: from the environment or the profile; with `endpoint`, `us-east-1`. */
  readonly region?: string | undefined;
  /** Puts the bucket into the path instead of the host name; default false. */
  readonly forcePathStyle?: boolean | undefined;
  readonly sse?: 'AES256' | 'aws:kms' | undefined;
  /** Only with `sse: 'aws:kms'`. */
  readonly kmsKeyId?: string | undefined;
  /** For part files, artifacts and the log; leases and caches stay in the store's default class. */
  readonly storageClass?: string | undefined;
  readonly acl?: string | undefined;
  /** `KEY=VALUE`, for every object. */
  readonly tags?: readonly string[] | undefined;
  /** What the store checks uploads against; default `sha256`. */
  readonly checksum?: 'sha256' | 'crc32' | 'none' | undefined;
  readonly objectLock?: 'COMPLIANCE' | 'GOVERNANCE' | undefined;
  /** How long a locked object is retained: from its upload on, or until a date. */
  readonly retain?: Retention | undefined;
  /** Of each request that fails for a moment. Default: 16, which take a minute or two. */
  readonly maxAttempts?: number | undefined;
}

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
  const { sse, kmsKeyId, storageClass, acl, objectLock, retain, checksum } = options;
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
  if (objectLock !== undefined && retain === undefined) {
    throw new UsageError(`--s3-object-lock ${objectLock} needs --s3-retain-until, such as 7y`);
  }
  if (objectLock === undefined && retain !== undefined) {
    throw new UsageError(
      '--s3-retain-until needs --s3-object-lock; allowed is COMPLIANCE or GOVERNANCE',
    );
  }
  if (retain && 'untilMs' in retain && retain.untilMs <= nowMs) {
    const day = new Date(retain.untilMs).toISOString().slice(0, 10);
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

/** Parses `s3://bucket/prefix`. */

export interface S3Location {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
}

/** Valid names in any S3-compatible store; AWS is stricter and refuses others itself. Access points are ARNs. */
const BUCKET = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]|arn:[\w:-]+)$/;

/** @throws {UsageError} */
export function parseS3Location(location: string): S3Location {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(location) ?? [];
  const prefix = path.replace(/\/$/, '');
  const isUsable = prefix === '' || (isObjectPath(prefix) && !/[?#\p{Cc}]/u.test(prefix));
  if (!BUCKET.test(bucket) || !isUsable) {
    throw new UsageError(
      `${JSON.stringify(location)} cannot hold an archive; allowed is s3://bucket or s3://bucket/prefix, without empty parts, .., ?, # or backslashes`,
    );
  }
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}
