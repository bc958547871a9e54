/** Finds commits that belong to another archive than the first commit, or than jobvault.json. */
import type { Commit } from '../log/commit.js';
import { identityDifference, type ArchiveIdentity } from '../identity.js';
import { commitPath, IDENTITY_PATH } from '../paths.js';
import type { VerifyProblem } from './findings.js';

export class IdentityCheck {
  #first: Commit | undefined;

  /** Commits come in order. */
  check(commit: Commit): VerifyProblem | undefined {
    this.#first ??= commit;
    const difference = identityDifference(commit.archive, this.#first.archive);
    if (difference === undefined) return undefined;
    const detail = `belongs to another archive than commit ${this.#first.number}: ${difference}`;
    return { path: commitPath(commit.number), problem: 'identity', detail };
  }

  /** @param identity of jobvault.json; undefined if that is missing or damaged */
  end(identity: ArchiveIdentity | undefined): VerifyProblem | undefined {
    if (!identity || !this.#first) return undefined;
    const difference = identityDifference(identity, this.#first.archive);
    if (difference === undefined) return undefined;
    const detail = `is not the identity of this log: ${difference}`;
    return { path: IDENTITY_PATH, problem: 'identity', detail };
  }
}
