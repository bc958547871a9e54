/** Formats an error as one sentence. */
import { JobvaultError, messageOf } from '../../base/error.js';
import { VERSION } from '../../base/version.js';

/** An unexpected error is a bug, and the sentence says so. */
export function errorSentence(error: unknown): string {
  if (!isUnexpected(error)) return messageOf(error);
  return `unexpected error: ${messageOf(error)}. This is a bug in jobvault ${VERSION}: please report it to the provider of your jobvault, with the log of the same command run with --log-level debug`;
}

export function isUnexpected(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof JobvaultError);
}
