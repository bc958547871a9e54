/** Goes along the log and finds commits of another archive than the others, or than jobvault.json says. */
import type { Commit } from '../log/commit.js';
import { identityDifference, type ArchiveIdentity } from '../identity.js';
import { commitPath, IDENTITY_PATH } from '../paths.js';
import type { VerifyProblem } from './findings.js';

export class IdentityCheck {
  #first: Commit | undefined;

  /** Commits come in order. */
  look(commit: Commit): VerifyProblem | undefined {
    this.#first ??= commit;
    const told = identityDifference(commit.archive, this.#first.archive);
    if (told === undefined) return undefined;
    const detail = `belongs to another archive than commit ${this.#first.number}: ${told}`;
    return { path: commitPath(commit.number), problem: 'identity', detail };
  }

  /** @param identity what jobvault.json says; undefined where it says nothing */
  end(identity: ArchiveIdentity | undefined): VerifyProblem | undefined {
    if (!identity || !this.#first) return undefined;
    const told = identityDifference(identity, this.#first.archive);
    if (told === undefined) return undefined;
    const detail = `is not the identity of this log: ${told}`;
    return { path: IDENTITY_PATH, problem: 'identity', detail };
  }
}
