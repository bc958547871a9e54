/** Checks that a commit names the digest of the one before it: the chain shows tampering. */
import type { Commit } from './log/commit.js';
import { IntegrityError } from './verify/integrity-error.js';
import { commitPath } from './paths.js';

/** @throws {IntegrityError} `commit.previous` is not the digest of `before` */
export function assertFollows(commit: Commit, before: Pick<Commit, 'digest'> | undefined): void {
  const expected = commit.number === 1 ? null : (before?.digest ?? commit.previous);
  if (commit.previous === expected) return;
  throw new IntegrityError(
    commitPath(commit.number),
    'chain',
    `does not follow commit ${commit.number - 1}: one of the two was rewritten`,
  );
}
