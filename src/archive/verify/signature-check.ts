/** Goes along the log and finds commits that should be signed with a known key and are not. */
import type { Commit } from '../log/commit.js';
import type { CommitVerifier } from '../log/commit-verifier.js';
import { commitPath } from '../paths.js';
import type { VerifyProblem } from './findings.js';

/**
 * From the first signed commit on, each must carry a valid signature by one of the keys: who rewrites
 * the log cannot make them, and leaving them out shows.
 */
export class SignatureCheck {
  #hasBegun = false;
  readonly #keys: readonly CommitVerifier[];

  /** @param keys several while a key is being replaced; none: nothing is checked */
  constructor(keys: readonly CommitVerifier[]) {
    this.#keys = keys;
  }

  /** Commits come in order. */
  look(commit: Commit): VerifyProblem | undefined {
    if (this.#keys.length === 0) return undefined;
    const { number, signed_by: signedBy } = commit;
    if (signedBy === null) {
      return this.#hasBegun
        ? wrong(number, 'is not signed, though an earlier commit is')
        : undefined;
    }
    this.#hasBegun = true;
    const key = this.#keys.find(({ publicKeyId }) => publicKeyId === signedBy);
    if (!key) {
      return wrong(number, `is signed with another key, whose SHA-256 is ${signedBy}`);
    }
    // made over what is left out now; the receipt that vouches for the rest is signed itself
    if (commit.redacted_by !== undefined) return undefined;
    return key.hasSigned(commit) ? undefined : wrong(number, 'bears a signature that does not fit');
  }

  /** A log without any signature proves nothing to somebody who came with a key. */
  end(newest: number): VerifyProblem | undefined {
    if (this.#keys.length === 0 || this.#hasBegun || newest === 0) return undefined;
    return wrong(newest, 'is not signed, nor is any commit before it');
  }
}

function wrong(number: number, detail: string): VerifyProblem {
  return { path: commitPath(number), problem: 'signature', detail };
}
