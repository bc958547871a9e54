/** What Redis keeps of a queued run: the run itself, what came of the users of a batch, and the summary of all. */
import { z } from 'zod';
import { firstIssue, UsageError } from '../base/error.js';
import { redactText } from '../base/text/redact.js';

export interface AttemptOptions {
  /** Attempts per user, including the first. Default 5. */
  readonly attempts?: number | undefined;
  /** Delay before the second attempt; doubles with each further one. Default 30 s. */
  readonly retryDelayMs?: number | undefined;
}

const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const runName = z.string().regex(RUN_NAME);
export const count = z.int().nonnegative();

const runRecordSchema = z.strictObject({
  name: runName,
  /** ISO 8601. */
  enqueued_at: z.iso.datetime(),
  /** The archive's id. A worker of another archive does not touch the run. */
  archive: z.string().min(1).max(64),
  /** Where the archive is for the machine that put the run on the queue; for people. */
  location: z.string().min(1).max(4096),
  /** Number of the newest commit then; 0 if there was none. */
  since: count,
  /** How many users it has. */
  users: count,
  /** Whether it goes round the users of a list, not only those who were named: then the lap of the queue goes on. */
  round: z.boolean(),
  /** Whether its list of users cannot be right: it is none that a later list is compared with. */
  doubtful_list: z.boolean(),
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

/** Two archives have one queue: the users of the one would get into the other. */
export class OtherArchiveError extends UsageError {
  /** @param callerLocation where the caller's archive is */
  constructor({ name, location }: RunRecord, callerLocation: string) {
    super(
      `the run ${name} on this queue is of another archive (${location}) than ${callerLocation}; give each archive its own --queue`,
    );
  }
}

/** The name is part of a job id, which may not contain a colon. */
export function checkRunName(name: string): string {
  if (RUN_NAME.test(name)) return name;
  throw new UsageError(
    `--run is ${JSON.stringify(name)}; allowed are up to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit`,
  );
}
