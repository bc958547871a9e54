/** Finds commits that should be signed with a known key and are not, and counts those that are. */
import type { Commit } from '../log/commit.js';
import type { CommitVerifier } from '../log/commit-verifier.js';
import { commitPath } from '../paths.js';
import type { VerifyProblem } from './findings.js';

export interface SignatureReport {
  /** Whether a key was given. Without one the signatures are only counted. */
  readonly checked: boolean;
  /** Commits with a signature, whether it is valid or not. */
  readonly signed: number;
  /** Commits whose own signature was checked and is valid. */
  readonly valid: number;
  /** Signed commits whose key is none of those that were given. */
  readonly otherwise: number;
  /** Signed commits that an erasure has redacted: the signature of its receipt covers them. */
  readonly redacted: number;
  /** Commits without a signature. */
  readonly unsigned: number;
  /** SHA-256 of the public keys that the signatures name. */
  readonly keys: readonly string[];
}

/**
 * From the first signed commit on, each must have a valid signature of one of the keys. Somebody who rewrites
 * the log cannot make them.
 */
export class SignatureCheck {
  #signed = 0;
  #valid = 0;
  #otherwise = 0;
  #redacted = 0;
  #unsigned = 0;
  readonly #signers = new Set<string>();
  readonly #keys: readonly CommitVerifier[];

  /** @param keys several while a key is being replaced; if empty, signatures are only counted */
  constructor(keys: readonly CommitVerifier[]) {
    this.#keys = keys;
  }

  /** Commits come in order. */
  check(commit: Commit): VerifyProblem | undefined {
    const isChecked = this.#keys.length > 0;
    const { number, signed_by: signedBy } = commit;
    if (signedBy === null) {
      this.#unsigned++;
      return isChecked && this.#signed > 0
        ? wrong(number, 'is not signed, though an earlier commit is')
        : undefined;
    }
    this.#signed++;
    this.#signers.add(signedBy);
    if (!isChecked) return undefined;
    const key = this.#keys.find(({ publicKeyId }) => publicKeyId === signedBy);
    if (!key) {
      this.#otherwise++;
      return wrong(number, `is signed with another key, whose SHA-256 is ${signedBy}`);
    }
    // the signature covers what was redacted; the receipt that vouches for the rest is signed itself
    if (commit.redacted_by !== undefined) {
      this.#redacted++;
      return undefined;
    }
    if (!key.hasSigned(commit)) return wrong(number, 'has an invalid signature');
    this.#valid++;
    return undefined;
  }

  /** A key was given, so a log without any signature is a problem. */
  end(newest: number): VerifyProblem | undefined {
    if (this.#keys.length === 0 || this.#signed > 0 || newest === 0) return undefined;
    return wrong(newest, 'is not signed, and neither is any earlier commit');
  }

  get report(): SignatureReport {
    return {
      checked: this.#keys.length > 0,
      signed: this.#signed,
      valid: this.#valid,
      otherwise: this.#otherwise,
      redacted: this.#redacted,
      unsigned: this.#unsigned,
      keys: [...this.#signers],
    };
  }
}

function wrong(number: number, detail: string): VerifyProblem {
  return { path: commitPath(number), problem: 'signature', detail };
}
