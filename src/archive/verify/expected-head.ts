/** A commit that somebody outside has noted down: a log that has lost or changed it was tampered with. */
import type { LogIndex } from '../log/log-index.js';
import { commitPath } from '../paths.js';
import type { VerifyProblem } from './findings.js';

export interface ExpectedHead {
  readonly number: number;
  /** Undefined: only the number was noted down. */
  readonly digest: string | undefined;
}

/** The log may have grown since. */
export function headProblem(
  { number, digest }: ExpectedHead,
  newest: number,
  index: LogIndex,
): VerifyProblem | undefined {
  const path = commitPath(number);
  if (number > newest) {
    return { path, problem: 'missing', detail: 'is missing from the log, which should reach it' };
  }
  const found = index.digestOf(number);
  // a commit that cannot be read is a problem already
  if (digest === undefined || found === null || found === digest) return undefined;
  const detail = `is not the commit that was expected: its digest is ${found}`;
  return { path, problem: 'chain', detail };
}
