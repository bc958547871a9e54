/** Whether a commit follows on the one before: a chain of digests that shows tampering. */
import type { Commit } from './log/commit.js';
import { IntegrityError } from './verify/integrity-error.js';
import { commitPath } from './paths.js';

/** @throws {IntegrityError} the digest that `commit` gives for the one before is not that of `before` */
export function assertFollows(commit: Commit, before: Commit | undefined): void {
  const expected = commit.number === 1 ? null : (before?.digest ?? commit.previous);
  if (commit.previous === expected) return;
  throw new IntegrityError(
    commitPath(commit.number),
    'chain',
    `does not follow on commit ${commit.number - 1} as it stands: one of the two was rewritten`,
  );
}
