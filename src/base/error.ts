/** The one base class of every error that jobvault throws on purpose. */
import type { z } from 'zod';

/**
 * What a caller may do about an error; behaviour depends on this, never on the message.
 *
 * - `retry`: the same request may succeed later
 * - `refresh`: read the history page again: its URLs have expired
 * - `skip`: record a gap and go on with the rest
 * - `fatal`: end the run
 */
export type Disposition = 'retry' | 'refresh' | 'skip' | 'fatal';

/** What kind of failure a run ends with; the command line turns it into an exit code. */
export const FAILURE_KINDS = [
  'unexpected',
  'usage',
  'integrity',
  'unreachable',
  'authentication',
  'refused',
  'locked',
  'storage',
  'doubtful',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

export interface ErrorDetails {
  readonly cause?: unknown;
}

/** Subclasses keep secrets out of `message` when they are made: see `redact.ts`. */
export abstract class JobvaultError extends Error {
  /** Stable, upper snake case, prefixed with the room: `SERVICE_RATE_LIMITED`. */
  abstract readonly code: string;
  abstract readonly disposition: Disposition;
  abstract readonly failure: FailureKind;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
  }
}

export function failureOf(thrown: unknown): FailureKind {
  return thrown instanceof JobvaultError ? thrown.failure : 'unexpected';
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a Node.js or jobvault error (`ENOSPC`, `ECONNRESET`, …), if it has one. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system allows',
  EACCES: 'permission is denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the device reports an input or output error',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EEXIST: 'a file stands where a directory is needed',
  EISDIR: 'a directory stands there',
  EXDEV: 'it lies on another file system than the rest of the archive',
  ENAMETOOLONG: 'the path is too long for the file system',
  ENOENT: 'there is no such file or directory',
  ELOOP: 'it is a symbolic link, and jobvault follows none inside an archive',
  ENOTSUP: 'the file system does not support the operation',
};

/** `there is no such file or directory (ENOENT)`: follows a sentence that names the file. */
export function fileErrorReason(thrown: unknown): string {
  const code = codeOf(thrown);
  return code === undefined ? messageOf(thrown) : `${REASONS[code] ?? 'it failed'} (${code})`;
}

/** Something the user asked for makes no sense; the message names it, what came and what is allowed. */
export class UsageError extends JobvaultError {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
  readonly disposition: Disposition = 'fatal';
  readonly failure = 'usage';
}

/** The first error in a JSON document, with its path: `users.0.user_id: expected string`. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'it has another shape';
  const place = issue.path.map(String).join('.');
  return place === '' ? issue.message : `${place}: ${issue.message}`;
}

/**
 * What is there by the program's own logic. Where it is not, going on would leave something out without a word.
 *
 * @param what as in "… is missing"
 */
export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`a bug: ${what} is missing`);
  return value;
}
