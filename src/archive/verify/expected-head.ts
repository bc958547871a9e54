/** Compares the log with a commit that somebody has noted elsewhere: a log that has lost or changed it was tampered with. */
import type { LogIndex } from '../log/log-index.js';
import { commitPath } from '../paths.js';
import type { VerifyProblem } from './findings.js';

export interface ExpectedHead {
  readonly number: number;
  /** Undefined if only the number was noted. */
  readonly digest: string | undefined;
}

/** The problem if the log does not contain the commit; later commits are allowed. */
export function headProblem(
  { number, digest }: ExpectedHead,
  newest: number,
  index: LogIndex,
): VerifyProblem | undefined {
  const path = commitPath(number);
  if (number > newest) {
    return { path, problem: 'missing', detail: 'is missing from the log, but was expected' };
  }
  const found = index.digestOf(number);
  // a commit that cannot be read is a problem already
  if (digest === undefined || found === null || found === digest) return undefined;
  const detail = `is not the commit that was expected: its digest is ${found}`;
  return { path, problem: 'chain', detail };
}
