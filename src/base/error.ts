/** The one base class of every error that jobvault throws on purpose. */

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
