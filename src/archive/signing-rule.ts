/** Checks that a run has the key with which the log must be signed: after the first signed commit, every commit must be (I-13 in FORMAT.md). */
import type { Commit } from './log/commit.js';
import type { CommitSigner } from './log/commit-signer.js';
import { SigningKeyError } from './signing-key-error.js';

export class SigningRule {
  /** The newest signed commit that was read. */
  #newest: { readonly number: number; readonly signedBy: string } | undefined;
  readonly #signer: CommitSigner | undefined;
  /** Of the archive, for messages. */
  readonly #location: string;

  constructor(signer: CommitSigner | undefined, location: string) {
    this.#signer = signer;
    this.#location = location;
  }

  /** Notes who signed a commit. Commits may come in any order. */
  learn({ number, signed_by: signedBy }: Pick<Commit, 'number' | 'signed_by'>): void {
    if (signedBy === null || number < (this.#newest?.number ?? 0)) return;
    this.#newest = { number, signedBy };
  }

  /** @throws {SigningKeyError} `verify` would refuse the commit of this run */
  assertMayAppend(): void {
    if (!this.#newest) return;
    const { number, signedBy } = this.#newest;
    if (!this.#signer) {
      throw new SigningKeyError(
        `commit ${number} of ${this.#location} is signed, and this run has no key: pass --signing-key`,
      );
    }
    const { publicKeyId, mayReplaceKey = false } = this.#signer;
    if (publicKeyId === signedBy || mayReplaceKey) return;
    throw new SigningKeyError(
      `--signing-key has another key (SHA-256 ${publicKeyId}) than the one that signed commit ${number} of ${this.#location} (${signedBy}): pass that key, or change the key with export --change-signing-key`,
    );
  }
}
