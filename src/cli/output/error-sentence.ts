/** Formats an error as one sentence. */
import { codeOf, JobvaultError, messageOf } from '../../base/error.js';
import { VERSION } from '../../base/version.js';

/** An unexpected error is a bug, and the sentence says so; a package that is not there is none. */
export function errorSentence(error: unknown): string {
  if (!isUnexpected(error)) return messageOf(error);
  if (codeOf(error) === 'ERR_MODULE_NOT_FOUND') {
    const [missing = ''] = messageOf(error).split(' imported from ', 1);
    return `${missing}: jobvault is not installed completely; install it again`;
  }
  return `unexpected error: ${messageOf(error)}. This is a bug in jobvault ${VERSION}: please report it to the provider of your jobvault, with the log of the same command run with --log-level debug`;
}

export function isUnexpected(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof JobvaultError);
}
