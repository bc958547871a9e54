/** What a queued run is about: it travels to the workers through Redis, and holds no secret. */
import { z } from 'zod';
import { UsageError } from '../base/usage-error.js';
import type { StorageOptions } from '../storage/open-storage.js';

const runRecordSchema = z.strictObject({
  name: z.string(),
  /** When it was put into the queue; ISO 8601. */
  enqueued_at: z.iso.datetime(),
  base_url: z.string(),
  api_key_header: z.string(),
  project: z.string().nullable(),
  /** A directory with its full path, or a URL. */
  out: z.string(),
  /** How `out` is reached; never with credentials. */
  storage: z.custom<StorageOptions>((value) => typeof value === 'object' && value !== null),
  formats: z.array(z.enum(['parquet', 'jsonl', 'xlsx'])).nullable(),
  parquet_codec: z.enum(['zstd', 'snappy', 'gzip', 'uncompressed']),
  search: z.string().nullable(),
  full: z.boolean(),
  settle_time_ms: z.number().positive(),
  storage_base_url: z.string().nullable(),
  /** API requests a second, over all workers. */
  rate: z.number().positive(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** @throws {UsageError} it is none, or another version's */
export function decodeRunRecord(name: string, data: unknown): RunRecord {
  const result = runRecordSchema.safeParse(data);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(
    `the queue's record of run ${name} cannot be used by this version: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

/** Names a run in Redis: a job's id may hold no colon. */
export function checkRunName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new UsageError(
    `--run is ${JSON.stringify(name)}; allowed are up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit`,
  );
}
