/** Finds commits that should be signed with a known key and are not. */
import type { Commit } from '../log/commit.js';
import type { CommitVerifier } from '../log/commit-verifier.js';
import { commitPath } from '../paths.js';
import type { VerifyProblem } from './findings.js';

/**
 * From the first signed commit on, each must have a valid signature of one of the keys. Somebody who rewrites
 * the log cannot make them.
 */
export class SignatureCheck {
  #hasBegun = false;
  readonly #keys: readonly CommitVerifier[];

  /** @param keys several while a key is being replaced; if empty, nothing is checked */
  constructor(keys: readonly CommitVerifier[]) {
    this.#keys = keys;
  }

  /** Commits come in order. */
  check(commit: Commit): VerifyProblem | undefined {
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
    // the signature covers what was redacted; the receipt that vouches for the rest is signed itself
    if (commit.redacted_by !== undefined) return undefined;
    return key.hasSigned(commit) ? undefined : wrong(number, 'has an invalid signature');
  }

  /** A key was given, so a log without any signature is a problem. */
  end(newest: number): VerifyProblem | undefined {
    if (this.#keys.length === 0 || this.#hasBegun || newest === 0) return undefined;
    return wrong(newest, 'is not signed, and neither is any earlier commit');
  }
}

function wrong(number: number, detail: string): VerifyProblem {
  return { path: commitPath(number), problem: 'signature', detail };
}
