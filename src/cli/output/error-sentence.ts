/** What went wrong, in one sentence. */
import { JobvaultError, messageOf } from '../../base/error.js';
import { VERSION } from '../../base/version.js';

/** What was not foreseen is a bug, and says so. */
export function errorSentence(error: unknown): string {
  if (!isUnexpected(error)) return messageOf(error);
  return `unexpected error: ${messageOf(error)}. This is a bug in jobvault ${VERSION}: please report it to whoever gave you jobvault, with the log of the same command with --log-level debug`;
}

export function isUnexpected(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof JobvaultError);
}
