/** The settings of a queued run. Workers read them from Redis. They contain no secret. */
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { firstIssue, UsageError } from '../base/error.js';
import { redactText } from '../base/text/redact.js';
import { parseS3Location } from '../storage/s3/s3-options.js';
import { ARCHIVE_FORMATS, PARQUET_CODECS } from '../formats/formats.js';

const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** HTTP's `token`. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~A-Za-z0-9-]{1,128}$/;

export const runName = z.string().regex(RUN_NAME);
const text = z.string().min(1).max(4096);
const httpUrl = z.url({ protocol: /^https?$/ }).max(4096);

const s3Options = z.strictObject({
  endpoint: text.optional(),
  region: text.optional(),
  forcePathStyle: z.boolean().optional(),
  sse: z.enum(['AES256', 'aws:kms']).optional(),
  kmsKeyId: text.optional(),
  storageClass: text.optional(),
  acl: text.optional(),
  tags: z.array(text).optional(),
  checksum: z.enum(['sha256', 'crc32', 'none']).optional(),
  objectLock: z.enum(['COMPLIANCE', 'GOVERNANCE']).optional(),
  retain: z
    .union([
      z.strictObject({ forMs: z.number().positive() }),
      z.strictObject({ untilMs: z.number().positive() }),
    ])
    .optional(),
});

const runRecordSchema = z.strictObject({
  name: runName,
  /** ISO 8601. */
  enqueued_at: z.iso.datetime(),
  base_url: httpUrl,
  api_key_header: z.string().regex(HEADER_NAME),
  project: text.nullable(),
  /** A directory with its full path, or `s3://bucket/prefix`. */
  out: text.refine(isFullLocation, 'must be a full path or s3://bucket/prefix'),
  /** Options of the storage; never credentials. */
  storage: z.strictObject({ s3: s3Options.optional() }),
  formats: z.array(z.enum(ARCHIVE_FORMATS)).min(1).nullable(),
  parquet_codec: z.enum(PARQUET_CODECS),
  no_delta: z.boolean(),
  search: text.nullable(),
  full: z.boolean(),
  settle_time_ms: z.number().positive(),
  storage_base_url: httpUrl.nullable(),
  /** API requests a second, over all workers. */
  rate: z.number().positive().max(1_000_000),
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

/** The name is part of a job id, which may not contain a colon. */
export function checkRunName(name: string): string {
  if (RUN_NAME.test(name)) return name;
  throw new UsageError(
    `--run is ${JSON.stringify(name)}; allowed are up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit`,
  );
}

function isFullLocation(location: string): boolean {
  if (!/^s3:\/\//i.test(location)) return isAbsolute(location) && resolve(location) === location;
  try {
    return parseS3Location(location).bucket !== '';
  } catch {
    return false;
  }
}
